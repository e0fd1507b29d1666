import type { Request } from '../../../src/routing/rule.ts';

const HOSTS = ['shop.example.com', 'api.example.com', 'other.test'];
const PATHS = ['/', '/cart', '/api/v1', '/api/v2/x', '/old/page'];
const TEAMS = ['bluebird'];

/** What is asked of each listener after each change; the generator's conditions tell these apart. */
export function listProbes(ports: Iterable<number>): readonly Request[] {
  return [...new Set(ports)].flatMap((port) =>
    HOSTS.flatMap((host) => [
      ...PATHS.map((path) => makeProbe(port, host, path)),
      ...TEAMS.map((team) => makeProbe(port, host, '/cart', team)),
    ]),
  );
}

type ProbeParts = readonly [port: number, host: string, path: string, team?: string];

const known = new Map<string, Request>();

function makeProbe(...[port, host, path, team]: ProbeParts): Request {
  const key = `${port} ${host} ${path} ${team ?? ''}`;
  const probe = known.get(key) ?? {
    ...{ protocol: 'HTTP', port, host, path, method: 'GET', query: '' },
    headers: team === undefined ? [] : [['x-team', team] as const],
    sourceIp: '192.0.2.1',
  };
  known.set(key, probe);
  return probe;
}

export function describeProbe({ port, host, path, headers }: Request): string {
  return `${host}:${port}${path}${headers.map((pair) => ` ${pair.join(': ')}`).join('')}`;
}
