import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** One answered request, as kube-apiserver notes it. */
export interface AuditEntry {
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly user: {
    readonly username: string;
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  };
  readonly objectRef?: {
    readonly apiGroup?: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code: number };
  readonly requestReceivedTimestamp: string;
}

/** A record of every request to an API server: who, what, and how it was answered. */
export interface AuditLog {
  /** For kube-apiserver. */
  readonly apiServerArgs: readonly string[];
  entries(): Promise<readonly AuditEntry[]>;
  remove(): Promise<void>;
}

/**
 * A watch is noted twice: when its answer starts and, perhaps much later, when it ends.
 * https://kubernetes.io/docs/tasks/debug/debug-cluster/audit/
 */
const POLICY = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  # Everybody may read them: no right is asked for.
  - level: None
    nonResourceURLs: [/openapi/*]
  - level: Metadata
`;

export async function createAuditLog(): Promise<AuditLog> {
  const directory = await mkdtemp(join(tmpdir(), 'albridge-audit-'));
  const [policy, log] = [join(directory, 'policy.yaml'), join(directory, 'audit.log')];
  await writeFile(policy, POLICY);
  return {
    apiServerArgs: [
      `--audit-policy-file=${policy}`,
      `--audit-log-path=${log}`,
      '--audit-log-mode=blocking',
    ],
    entries: async () => {
      const text = await readFile(log, 'utf8');
      const whole = text.slice(0, text.lastIndexOf('\n') + 1);
      return whole
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as AuditEntry);
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
