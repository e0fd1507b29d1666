import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import { askListener } from '../surroundings/listener-client.ts';
import type { Scene } from './scene.ts';

/** With curl where there is one, as a person would type it; the name resolves in AWS or in DNS alone. */
export async function curl(
  { stage }: Scene,
  listener: ListenerAddress,
  { host = listener.dnsName, path = '/' }: { readonly host?: string; readonly path?: string } = {},
): Promise<string> {
  const protocol = listener.protocol.toLowerCase();
  // Nobody has signed the certificates of the stand-in.
  const trust = protocol === 'https' ? ['--insecure'] : [];
  const args = ['--connect-to', `::${listener.address}`, ...trust, `${protocol}://${host}${path}`];
  const body = await promisify(execFile)('curl', ['--silent', '--show-error', ...args]).then(
    ({ stdout }) => stdout,
    async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return (await askListener(listener, { host, path })).body;
    },
  );
  stage.show(`curl ${args.join(' ')}`, body);
  return body;
}
