import type { Request } from '../../../src/routing/rule.ts';

const HOSTS = ['shop.example.com', 'api.example.com', 'other.test'];
const PATHS = ['/', '/cart', '/api/v1', '/api/v2/x', '/old/page'];

/** What is asked of each listener after each change; the generator's conditions tell these apart. */
export function listProbes(ports: Iterable<number>): readonly Request[] {
  return [...new Set(ports)].flatMap((port) =>
    HOSTS.flatMap((host) => PATHS.map((path) => makeProbe(port, host, path))),
  );
}

const known = new Map<string, Request>();

function makeProbe(port: number, host: string, path: string): Request {
  const key = `${port} ${host} ${path}`;
  const probe = known.get(key) ?? {
    ...{ protocol: 'HTTP', port, host, path, method: 'GET', query: '', headers: [] },
    sourceIp: '192.0.2.1',
  };
  known.set(key, probe);
  return probe;
}

export function describeProbe({ port, host, path }: Request): string {
  return `${host}:${port}${path}`;
}
