import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import type { WebApp } from '../../../src/apis/web-app.ts';
import { NAMESPACES } from '../api-model/api-server-model.ts';
import type { ObjectTable } from '../api-model/object-table.ts';
import { definedKind } from '../served-definition.ts';

/** docs/attaching.md, said again without the code: who asks for which host and path of a MyIngress, and who may. */

const WEB_APPS = definedKind('WebApp');

/** `80 shop.example.org /*`. */
export type Claim = string;

/** Hosts and paths of one port that are served together or not at all: all exact ones, or one pattern. */
export interface Piece {
  readonly hosts: readonly string[];
  readonly paths: readonly string[];
  readonly claims: readonly Claim[];
}

export interface Asked {
  /** `WebApp/web/shop`. */
  readonly source: string;
  /** Of this life and this spec of the object. */
  readonly version: string;
  readonly isAllowed: boolean;
  readonly pieces: readonly Piece[];
}

/** All WebApps that name the MyIngress, as they are at this moment. */
export function listAsked(table: ObjectTable, ingress: MyIngress): readonly Asked[] {
  return listWebApps(table).flatMap((app) => askOf(table, app, ingress) ?? []);
}

export function keyOf({ metadata }: MyIngress): string {
  return `${metadata.namespace}/${metadata.name}`;
}

export function listWebApps(table: ObjectTable): readonly WebApp[] {
  return table.list(WEB_APPS) as unknown as readonly WebApp[];
}

/** What this spec asks of this MyIngress; undefined: nothing. */
export function askOf(
  table: ObjectTable,
  { metadata, spec: { expose } }: WebApp,
  ingress: MyIngress,
): Asked | undefined {
  const { namespace, name, uid, generation, deletionTimestamp } = metadata;
  if (expose === undefined || deletionTimestamp !== undefined) return undefined;
  const { namespace: own, name: shared } = ingress.metadata;
  const { ingress: named } = expose;
  if ((named.namespace ?? namespace) !== own || named.name !== shared) return undefined;
  return {
    ...{ source: `WebApp/${namespace}/${name}`, version: `${uid} ${generation}` },
    isAllowed: mayAttach(table, ingress, namespace),
    pieces: listPieces(expose, ingress),
  };
}

function mayAttach(table: ObjectTable, { metadata, spec }: MyIngress, namespace: string): boolean {
  if (namespace === metadata.namespace) return true;
  const { from, selector } = spec.allowedNamespaces ?? { from: 'Same' };
  if (from !== 'Selector') return from === 'All';
  const labels = table.get(NAMESPACES, `/${namespace}`)?.metadata.labels ?? {};
  const selected = Object.entries(selector?.matchLabels ?? {});
  return selected.length > 0 && selected.every(([key, value]) => labels[key] === value);
}

function listPieces(
  { hosts, paths = [], listener }: NonNullable<WebApp['spec']['expose']>,
  { spec }: MyIngress,
): readonly Piece[] {
  const ports = (spec.listeners ?? [])
    .map(({ port }) => port)
    .filter((port) => listener === undefined || listener === port);
  const onPorts = ports.length === 0 ? [[]] : ports.map((port) => [port]);
  return groupByWidth(hosts).flatMap((hostGroup) =>
    groupByWidth(paths.length === 0 ? ['/*'] : paths).flatMap((pathGroup) =>
      onPorts.map((own) => ({
        ...{ hosts: hostGroup, paths: pathGroup },
        claims: own.flatMap((port) => nameClaims(port, hostGroup, pathGroup)),
      })),
    ),
  );
}

function groupByWidth(values: readonly string[]): readonly (readonly string[])[] {
  const exact = values.filter((value) => !isPattern(value));
  const patterns = values.filter(isPattern).map((value) => [value]);
  return exact.length === 0 ? patterns : [exact, ...patterns];
}

/** Hosts are compared without regard to case; no paths, * and /* are the same. */
export function nameClaims(
  port: number,
  hosts: readonly string[],
  paths: readonly string[],
): readonly Claim[] {
  const all = paths.length === 0 ? ['/*'] : paths;
  return hosts.flatMap((host) =>
    all.map((path) => `${port} ${host.toLowerCase()} ${path === '*' ? '/*' : path}`),
  );
}

/** Those of the rules of the spec that ask for nothing but hosts and paths. */
export function listOwnClaims({ spec }: MyIngress): ReadonlySet<Claim> {
  const ports = (spec.listeners ?? []).map(({ port }) => port);
  const plain = (spec.rules ?? []).filter(({ methods, headers, queryStrings, sourceCIDRs }) =>
    [methods, headers, queryStrings, sourceCIDRs].every((one) => one === undefined),
  );
  return new Set(
    plain.flatMap(({ hosts = ['*'], paths = [], listeners }) =>
      ports
        .filter((port) => listeners === undefined || listeners.includes(port))
        .flatMap((port) => nameClaims(port, hosts, paths)),
    ),
  );
}

export function isPattern(value: string): boolean {
  return /[*?]/.test(value);
}
