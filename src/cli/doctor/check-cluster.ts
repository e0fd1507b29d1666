import { abridge } from '../../core/objects/abridge.ts';
import type { Clock } from '../../core/ports/clock.ts';
import { OperatorError, readMessage } from '../../core/reconcile/operator-error.ts';
import { KubeError, ProxyError, parseKubeError } from '../../kube/client/kube-error.ts';
import { type FieldDifference, findFieldDifference } from '../../kube/client/served-fields.ts';
import { KIND_FIELDS } from '../../setup/definitions/kind-fields.ts';
import type { ClusterAccess } from '../cluster.ts';
import {
  ABOUT_PROXY,
  CommandError,
  describeError,
  describeUntrusted,
  isAnonymous,
} from '../errors.ts';
import { OUR_KINDS, type OurKind } from '../objects/kinds.ts';
import { type Check, checkClock } from './check.ts';

/** API server, its clock, and the definitions of our kinds. */

/** The oldest minor version of Kubernetes 1 that docs/install.md names. */
const OLDEST_MINOR = 32;

interface Version {
  readonly minor?: string;
  readonly gitVersion: string;
}

/** The API server answers, in which version, and with which time. */
export async function checkServer(
  { transport, cluster }: ClusterAccess,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<readonly Check[]> {
  const name = 'API server';
  try {
    const answer = await transport.request({ method: 'GET', path: '/version', signal });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    if (answer.status !== 200)
      return [describeRefusal(parseKubeError(answer.status, answer.headers, text))];
    const version = parseVersion(text);
    if (version === undefined) return [describeOther(cluster.server)];
    return [
      describeVersion(version, cluster.server),
      checkClock('the API server', answer.headers['date'], clock.now()),
    ];
  } catch (error) {
    const message = `${cluster.server}, context ${cluster.context}: ${describeCause(error)}`;
    // That of credentials names the next step itself.
    if (error instanceof OperatorError) return [{ name, verdict: 'failed', message }];
    const untrusted = error instanceof ProxyError ? undefined : describeUntrusted(error);
    if (untrusted !== undefined) return [{ name, verdict: 'failed', message: untrusted }];
    const next =
      error instanceof ProxyError
        ? ABOUT_PROXY
        : 'check the context (kubectl config current-context), the login and the network';
    return [{ name, verdict: 'failed', message, next }];
  }
}

/** Undefined where another program answers. */
function parseVersion(text: string): Version | undefined {
  try {
    const version = JSON.parse(text) as Partial<Version> | null;
    return typeof version?.gitVersion === 'string' ? (version as Version) : undefined;
  } catch {
    return undefined;
  }
}

function describeOther(server: string): Check {
  const message = `${server} answers to GET /version as no API server does`;
  const next = 'check that the address in the kubeconfig is that of an API server';
  return { name: 'API server', verdict: 'failed', message, next };
}

function describeCause(error: unknown): string {
  if (error instanceof CommandError || error instanceof KubeError) return describeError(error);
  return readMessage(error);
}

function describeRefusal(error: KubeError): Check {
  const { status } = error;
  const message = `it answers ${status} to GET /version`;
  const isBusy = status === 429 || status >= 500;
  const next = isBusy ? 'try again; if it persists, check the API server' : adviseOnRefusal(error);
  return { name: 'API server', verdict: 'failed', message, next };
}

function adviseOnRefusal(error: KubeError): string {
  if (isAnonymous(error)) return 'nobody is logged in: log in, or choose another context';
  return error.status === 401
    ? 'log in again, or choose another context'
    : 'check that nothing else answers at this address';
}

function describeVersion({ minor = '', gitVersion }: Version, server: string): Check {
  const name = 'API server';
  const message = `${server}, Kubernetes ${gitVersion}`;
  if (Number.parseInt(minor, 10) >= OLDEST_MINOR) return { name, verdict: 'ok', message };
  const next = `upgrade to Kubernetes 1.${OLDEST_MINOR} or later, which albridge needs`;
  return { name, verdict: 'failed', message, next };
}

/** One check for each kind: its CRD is served, and has the fields that this version knows. */
export async function checkDefinitions(
  access: ClusterAccess,
  signal: AbortSignal,
): Promise<{ readonly checks: readonly Check[]; readonly served: readonly OurKind[] }> {
  const found = await Promise.all(
    OUR_KINDS.map(async (kind) => ({ kind, isServed: await isServed(kind, access, signal) })),
  );
  const served = found.filter((one) => one.isServed).map(({ kind }) => kind);
  const missing = found.filter((one) => !one.isServed).map(({ kind }) => kind.kind);
  const checks = await Promise.all(served.map((kind) => checkFields(kind, access)));
  return { checks: [...checks, ...describeMissing(missing, served.length)], served };
}

async function isServed(
  { group, version, plural }: OurKind,
  { client }: ClusterAccess,
  signal: AbortSignal,
): Promise<boolean> {
  type Resources = { readonly resources?: readonly { readonly name: string }[] };
  try {
    const path = `/apis/${group}/${version}`;
    const { resources = [] } = await client.request<Resources>({ method: 'GET', path, signal });
    return resources.some(({ name }) => name === plural);
  } catch (error) {
    if (error instanceof KubeError && error.status === 404 && !error.isForeign) return false;
    throw error;
  }
}

const INSTALL = 'kubectl apply --server-side -k crds';

function describeMissing(kinds: readonly string[], served: number): readonly Check[] {
  if (kinds.length === 0) return [];
  const name = 'CRDs';
  const message = `not installed: ${kinds.join(', ')}`;
  if (served === 0) return [{ name, verdict: 'failed', message, next: INSTALL }];
  const next = `nothing where ALBRIDGE_KINDS leaves them out; else ${INSTALL}`;
  return [{ name, verdict: 'warning', message, next }];
}

async function checkFields(kind: OurKind, { client }: ClusterAccess): Promise<Check> {
  const row = KIND_FIELDS.find((one) => one.kind === kind.kind);
  const fields = row?.fields.split(' ') ?? [];
  try {
    return judgeFields(await findFieldDifference(client, { ...kind, fields }));
  } catch (error) {
    if (!(error instanceof KubeError) || error.status !== 404) throw error;
    const message = 'was installed just now: the API server does not show its fields yet';
    return {
      name: `CRD ${kind.kind}`,
      verdict: 'not checked',
      message,
      next: 'run albridge doctor again; if it persists, check that the API server serves /openapi/v3',
    };
  }
}

/** Pure. */
export function judgeFields({ kind, missing, unknown }: FieldDifference): Check {
  const name = `CRD ${kind}`;
  if (missing.length > 0) {
    const message = `older than this version, which also knows ${abridge(missing, 3).join(', ')}`;
    return { name, verdict: 'failed', message, next: `apply the CRDs of this version: ${INSTALL}` };
  }
  if (unknown.length === 0)
    return { name, verdict: 'ok', message: 'has the fields of this version' };
  const message = `newer than this version, which does not know ${abridge(unknown, 3).join(', ')}`;
  return { name, verdict: 'warning', message, next: 'use the command line of the newer version' };
}
