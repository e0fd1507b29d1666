import { createSecureContext } from 'node:tls';
import type { KubeConfig, User } from '@kubernetes/client-node';
import { isFields } from '../../core/objects/fields.ts';
import { DeadlineExceeded } from '../../core/ports/clock.ts';
import { readMessage } from '../../core/reconcile/operator-error.ts';
import { hasEnd } from './kubeconfig-file.ts';

const OTHER_USER = 'choose a context with another user';

/** Why the credentials of `user` cannot be read, and the next step; nothing that a plugin printed as its answer. */
export function explainFailure(error: unknown, user: User | null): string {
  if (isSystemError(error) && error.code === 'ENOENT' && error.syscall === 'open')
    return `the file ${error.path} is missing: write it, or correct its path`;
  if (isSystemError(error) && ['open', 'read'].includes(error.syscall ?? ''))
    return explainFile(error);
  if (user?.exec) return explainPlugin(error, user.exec);
  const provider = getProvider(user);
  if (provider) {
    return `the auth-provider "${provider.name}" of the user gives no token: replace it with a credential plugin (exec), as kubectl requires, or ${OTHER_USER}`;
  }
  return `${describeFirstLine(error)}; kubectl with the same kubeconfig fails the same way: correct it until that works`;
}

/** client-node reads the files that the kubeconfig names as they are, and waits for a pipe without end. */
export function findFileFault(config: KubeConfig): string | undefined {
  const user = config.getCurrentUser();
  const { caFile } = config.getCurrentCluster() ?? {};
  const { tokenFile } = getProvider(user)?.config ?? {};
  const path = [caFile, user?.certFile, user?.keyFile, tokenFile].find(
    (one) => one && !hasEnd(one),
  );
  return path && `the file ${path} is no regular file of at most 1 MB: correct its path`;
}

const CERTIFICATE = /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/;
const PEM_PARTS = {
  // An empty one is none, as for kubectl.
  ca: ['certificate authority', new RegExp(`^$|${CERTIFICATE.source}`)],
  cert: ['client certificate', CERTIFICATE],
  key: ['client key', /-----BEGIN (?:\w+ )*PRIVATE KEY-----/],
} as const;

type PemParts = Readonly<Partial<Record<keyof typeof PEM_PARTS, string>>>;

/** Node would report it as a failure of each connection, and takes an authority that it cannot read for none. */
export function findTlsFault(tls: PemParts): string | undefined {
  for (const [part, [name, form]] of Object.entries(PEM_PARTS)) {
    const pem = tls[part as keyof PemParts];
    if (pem !== undefined && !form.test(pem))
      return `the ${name} is not in PEM form: write it again, or correct its path`;
  }
  return findPairFault(tls);
}

function findPairFault({ cert, key }: PemParts): string | undefined {
  if (!cert && !key) return undefined;
  if (!cert || !key) {
    const [lacking, given] = cert ? ['client key', 'certificate'] : ['client certificate', 'key'];
    return `the ${lacking} is missing beside the ${given}: add it, or ${OTHER_USER}`;
  }
  if (/ENCRYPTED/.test(key))
    return `the client key is encrypted: store it without its passphrase, or ${OTHER_USER}`;
  try {
    createSecureContext({ cert, key });
    return undefined;
  } catch (error) {
    return `the client certificate and its key cannot be used together (${describeFirstLine(error)}): correct them, or ${OTHER_USER}`;
  }
}

interface Plugin {
  readonly apiVersion?: unknown;
  readonly command?: string;
  readonly args?: unknown;
  readonly env?: unknown;
}

interface Given {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: PemParts;
}

/** Why credentials cannot be sent, or are none although a plugin was asked for them. */
export function findFault({ headers, tls }: Given, user: User | null): string | undefined {
  const { authorization } = headers;
  if (authorization !== undefined && !SENDABLE.test(authorization))
    return `the token of the user has characters that cannot be sent: write it again, or ${OTHER_USER}`;
  const hasToken = authorization !== undefined && authorization !== 'Bearer';
  return hasToken || tls.cert !== undefined ? undefined : explainNone(user);
}

function explainNone(user: User | null): string | undefined {
  if (user?.exec) return explainPlugin(new TypeError('no credentials'), user.exec);
  const path = getProvider(user)?.config?.tokenFile;
  return path && `the file ${path} has no token: write it again, or ${OTHER_USER}`;
}

interface Provider {
  readonly name?: string;
  readonly config?: { readonly tokenFile?: string } | null;
}

function getProvider(user: User | null): Provider | undefined {
  return (user?.authProvider as Provider | null | undefined) ?? undefined;
}

/** Node names the file of an error only where it cannot be opened. */
function explainFile({ code, path }: NodeJS.ErrnoException): string {
  return path === undefined
    ? `a file that the kubeconfig names cannot be read (${code}): correct certificate-authority, client-certificate, client-key and tokenFile`
    : `the file ${path} cannot be read (${code}): correct its path or rights`;
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.5 */
const SENDABLE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** https://kubernetes.io/docs/reference/access-authn-authz/authentication/#configuration */
const EXEC_VERSION = /^client\.authentication\.k8s\.io\/v1(?:beta1)?$/;

function explainPlugin(error: unknown, exec: Plugin): string {
  const plugin = `the credential plugin "${exec.command}"`;
  const fault = findExecFault(exec, plugin);
  if (fault !== undefined) return fault;
  if (error instanceof DeadlineExceeded) {
    return `${plugin} has not answered (${error.message}): run it by hand to see what it waits for, or ${OTHER_USER}`;
  }
  return isSystemError(error) && error.syscall?.startsWith('spawn')
    ? explainSpawn(error, plugin)
    : explainAnswer(error, plugin);
}

function findExecFault(
  { apiVersion, args, command, env }: Plugin,
  plugin: string,
): string | undefined {
  if (typeof command !== 'string' || command === '')
    return `the exec of the user names no command: add its credential plugin, or ${OTHER_USER}`;
  if (typeof apiVersion !== 'string' || !EXEC_VERSION.test(apiVersion))
    return `${plugin} has no apiVersion that is known: write client.authentication.k8s.io/v1 into its exec`;
  if (!isListOf(args, isText))
    return `${plugin} has args that are no list of texts: correct them in its exec`;
  if (!isListOf(env, isVariable))
    return `${plugin} has an env that is no list of names and values: correct it in its exec`;
  return undefined;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  const items = value ?? [];
  return Array.isArray(items) && items.every(isItem);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isVariable(item: unknown): boolean {
  return isFields(item) && isText(item['name']) && isText(item['value']);
}

function explainSpawn({ code }: NodeJS.ErrnoException, plugin: string): string {
  return code === 'ENOENT'
    ? `${plugin} is not there: install it, or ${OTHER_USER}`
    : `${plugin} cannot be started (${code}): correct its path or rights, or ${OTHER_USER}`;
}

function explainAnswer(error: unknown, plugin: string): string {
  // Of client-node, which reads the answer as it is.
  if (error instanceof SyntaxError || error instanceof TypeError)
    return `${plugin} printed no ExecCredential: update it, or ${OTHER_USER}`;
  const why = describeFirstLine(error) || 'it printed no error';
  return `${plugin} failed: ${why}; correct that, or ${OTHER_USER}`;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function describeFirstLine(error: unknown): string {
  const text = readMessage(error);
  return text.trim().split('\n', 1)[0] ?? '';
}
