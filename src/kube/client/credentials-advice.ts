import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { User } from '@kubernetes/client-node';
import { DeadlineExceeded } from '../../core/ports/clock.ts';

const OTHER_USER = 'choose a context with another user';

/** Why the credentials of `user` cannot be read, and the next step; nothing that a plugin printed as its answer. */
export function explainFailure(error: unknown, user: User | null): string {
  if (isSystemError(error) && error.code === 'ENOENT' && error.syscall === 'open')
    return `the file ${error.path} is missing: write it, or correct its path`;
  const command = user?.exec?.command as string | undefined;
  if (command !== undefined) return explainPlugin(error, command);
  const provider = user?.authProvider as { readonly name?: string } | null | undefined;
  if (provider) {
    return `the auth-provider "${provider.name}" of the user gives no token: replace it with a credential plugin (exec), as kubectl requires, or ${OTHER_USER}`;
  }
  return `${describeFirstLine(error)}; kubectl with the same kubeconfig fails the same way: correct it until that works`;
}

const PEM_PARTS = {
  ca: ['certificate authority', (pem: string) => new X509Certificate(pem)],
  cert: ['client certificate', (pem: string) => new X509Certificate(pem)],
  key: ['client key', createPrivateKey],
} as const;

/** Node would report it as a failure of each connection, and takes an authority that it cannot read for none. */
export function findPemFault(
  tls: Readonly<Partial<Record<keyof typeof PEM_PARTS, string>>>,
): string | undefined {
  for (const [part, [name, parse]] of Object.entries(PEM_PARTS)) {
    const pem = tls[part as keyof typeof PEM_PARTS];
    if (pem === undefined) continue;
    try {
      parse(pem);
    } catch (error) {
      return `the ${name} is not in PEM form (${describeFirstLine(error)}): write it again, or correct its path`;
    }
  }
  return undefined;
}

function explainPlugin(error: unknown, command: string): string {
  const plugin = `the credential plugin "${command}"`;
  if (error instanceof DeadlineExceeded) {
    return `${plugin} has not answered (${error.message}): run it by hand to see what it waits for, or ${OTHER_USER}`;
  }
  if (isSystemError(error) && error.syscall?.startsWith('spawn')) {
    return error.code === 'ENOENT'
      ? `${plugin} is not there: install it, or ${OTHER_USER}`
      : `${plugin} cannot be started (${error.code}): correct its rights, or ${OTHER_USER}`;
  }
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
  const text = error instanceof Error ? error.message : String(error);
  return text.trim().split('\n', 1)[0] ?? '';
}
