import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import * as https from 'node:https';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ManagedProcess, type ProcessSpec, startProcess } from './managed-process.ts';

export interface ApiServerSpec extends Omit<ProcessSpec, 'name' | 'args'> {
  readonly port: number;
  readonly etcdAddress: string;
  /** Without a controller-manager nobody creates ServiceAccounts, and pods could not be created. */
  readonly hasControllerManager: boolean;
  /** Further flags; a later flag wins over ours. */
  readonly extraArgs: readonly string[];
  readonly readyTimeoutMs: number;
}

export interface ApiServerIdentity {
  /** Bearer token of a member of system:masters. */
  readonly adminToken: string;
}

export interface RunningApiServer {
  readonly process: ManagedProcess;
  /** The authority that signed the serving certificate. */
  readonly caPem: string;
}

/** The port was taken between our look and the server's start; another one may do. */
export class PortTakenError extends Error {
  constructor(port: number) {
    super(`port ${port} on 127.0.0.1 was taken by somebody else`);
    this.name = 'PortTakenError';
  }
}

/**
 * Writes what the API server needs to know whom it serves: the key that signs ServiceAccount
 * tokens, and a static token for the administrator, which spares client certificates:
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#static-token-file
 */
export async function createIdentity(directory: string): Promise<ApiServerIdentity> {
  const adminToken = randomBytes(24).toString('base64url');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = { mode: 0o600 };
  await Promise.all([
    writeFile(
      join(directory, 'service-account.key'),
      privateKey.export({ type: 'sec1', format: 'pem' }),
      secret,
    ),
    writeFile(
      join(directory, 'service-account.pub'),
      publicKey.export({ type: 'spki', format: 'pem' }),
    ),
    writeFile(
      join(directory, 'tokens.csv'),
      `${adminToken},albridge-test-admin,admin,"system:masters"\n`,
      secret,
    ),
  ]);
  return { adminToken };
}

/**
 * Starts kube-apiserver and waits until it is ready. It issues its own serving certificate in
 * `<directory>/certs`, and finds it there again when it is restarted. Throws PortTakenError, or an
 * error with the end of its log.
 */
export async function startApiServer(
  spec: ApiServerSpec,
  identity: ApiServerIdentity,
): Promise<RunningApiServer> {
  const process = await startProcess({
    ...spec,
    name: 'kube-apiserver',
    args: [...apiServerArgs(spec), ...spec.extraArgs],
  });
  try {
    return { process, caPem: await waitUntilReady(process, spec, identity) };
  } catch (error) {
    await process.kill();
    throw error;
  }
}

function apiServerArgs(spec: ApiServerSpec): readonly string[] {
  return [
    `--etcd-servers=${spec.etcdAddress}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${spec.port}`,
    '--cert-dir=certs',
    '--token-auth-file=tokens.csv',
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    '--service-account-key-file=service-account.pub',
    '--service-account-signing-key-file=service-account.key',
    '--service-cluster-ip-range=10.0.0.0/24',
    '--allow-privileged=true',
    // No `kubernetes` Endpoints that nothing listens behind.
    '--endpoint-reconciler-type=none',
    ...(spec.hasControllerManager ? [] : ['--disable-admission-plugins=ServiceAccount']),
  ];
}

async function waitUntilReady(
  process: ManagedProcess,
  spec: ApiServerSpec,
  { adminToken }: ApiServerIdentity,
): Promise<string> {
  const deadline = performance.now() + spec.readyTimeoutMs;
  let lastAnswer = 'no answer yet';
  while (performance.now() < deadline) {
    if (process.hasExited()) throw await startFailure(process, spec.port);
    try {
      const caPem = await readAuthority(spec.directory);
      const timeoutMs = Math.min(deadline - performance.now(), READYZ_TIMEOUT_MS);
      lastAnswer = await getReadyz({ port: spec.port, caPem, adminToken, timeoutMs });
      if (lastAnswer === 'ok') return caPem;
    } catch (error) {
      lastAnswer = (error as Error).message;
    }
    await sleep(40);
  }
  const tail = await process.logTail();
  throw new Error(
    `kube-apiserver was not ready within ${spec.readyTimeoutMs / 1000} s (${lastAnswer}):\n${tail}`,
  );
}

async function startFailure(process: ManagedProcess, port: number): Promise<Error> {
  const tail = await process.logTail();
  if (tail.includes('address already in use')) return new PortTakenError(port);
  return new Error(`kube-apiserver ended while starting:\n${tail}`);
}

/** The self-issued file holds the serving certificate first and its authority last. */
async function readAuthority(directory: string): Promise<string> {
  const chain = await readFile(join(directory, 'certs', 'apiserver.crt'), 'utf8');
  const certificates = chain.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g);
  const authority = certificates?.at(-1);
  if (authority === undefined) throw new Error('certs/apiserver.crt is not written yet');
  return authority;
}

/** A listener takes connections before it serves them. */
const READYZ_TIMEOUT_MS = 2000;

interface ReadyzTarget {
  readonly port: number;
  readonly caPem: string;
  readonly adminToken: string;
  /** Of the whole answer. */
  readonly timeoutMs: number;
}

/** What is not ready is answered as a list, a line for each check. */
function inOneLine(text: string): string {
  return text.trim().replaceAll('\n', '; ');
}

/** https://kubernetes.io/docs/reference/using-api/health-checks/ */
function getReadyz({ port, caPem, adminToken, timeoutMs }: ReadyzTarget): Promise<string> {
  return new Promise((resolve, reject) => {
    const call = https.get(
      {
        host: '127.0.0.1',
        port,
        path: '/readyz',
        ca: caPem,
        headers: { authorization: `Bearer ${adminToken}` },
        agent: false,
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => resolve(response.statusCode === 200 ? 'ok' : inOneLine(text)));
      },
    );
    const giveUp = (): void => void call.destroy(new Error('no answer from /readyz in time'));
    const timer = setTimeout(giveUp, timeoutMs);
    call.once('close', () => clearTimeout(timer));
    call.once('error', reject);
  });
}
