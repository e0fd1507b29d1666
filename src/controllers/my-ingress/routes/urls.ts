import type { RouteListener, RouteRule } from './routes.ts';

/** URLs of what a load balancer serves, for people; pure. */

type Port = Pick<RouteListener, 'port' | 'protocol'>;
type Conditions = Pick<RouteRule, 'hosts' | 'paths'>;

/** The listener that a person tries first: HTTPS before HTTP, its default port before others. */
export function chooseListener<L extends Port>(listeners: readonly L[]): L | undefined {
  const secure = listeners.filter(({ protocol }) => protocol === 'HTTPS');
  const among = secure.length > 0 ? secure : listeners;
  const isOther = (listener: L): number => Number(!hasDefaultPort(listener));
  return among.toSorted((a, b) => isOther(a) - isOther(b) || a.port - b.port)[0];
}

/** `https://shop.example.com`, with the port where it is not the default one. */
export function formatOrigin(listener: Port, host: string): string {
  const scheme = listener.protocol === 'HTTPS' ? 'https' : 'http';
  return `${scheme}://${host}${hasDefaultPort(listener) ? '' : `:${listener.port}`}`;
}

/** The first host that is no pattern. */
export function findExactHost(rules: readonly Conditions[]): string | undefined {
  const hosts = rules.flatMap((rule) => rule.hosts ?? []);
  return hosts.find((host) => !WILDCARD.test(host))?.toLowerCase();
}

/** The first path, up to its first wildcard. */
export function findPath({ paths = [] }: Conditions): string {
  const [path = ''] = (paths[0] ?? '').split(WILDCARD);
  return path === '' ? '/' : path;
}

const WILDCARD = /[*?]/;

function hasDefaultPort({ port, protocol }: Port): boolean {
  return port === (protocol === 'HTTPS' ? 443 : 80);
}
