import { isDeepStrictEqual } from 'node:util';
import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import type { WebApp } from '../../../src/apis/web-app.ts';
import type { ObjectTable } from '../api-model/object-table.ts';
import type { EndpointHistory } from '../services/endpoint-history.ts';
import { listBackendFaults } from '../traffic/backend-faults.ts';
import type { Claims } from '../traffic/claims.ts';
import { activeTargets, type Picture } from '../traffic/resources.ts';
import type { Report } from '../violation.ts';
import {
  type Asked,
  type Claim,
  isPattern,
  keyOf,
  listAsked,
  listOwnClaims,
  type Piece,
} from './asked.ts';
import { listOwnPriorities, listServed, mapHolders, type ServedRule, sourceOf } from './served.ts';

export interface FinalAttachParts {
  readonly table: ObjectTable;
  readonly picture: Picture;
  readonly claims: Claims;
  readonly endpoints: EndpointHistory;
  readonly ingresses: readonly MyIngress[];
  readonly apps: readonly WebApp[];
  readonly holderOf: (ingress: MyIngress, claim: Claim) => string | undefined;
  readonly mayHold: (ingress: MyIngress, source: string, claim: Claim) => boolean;
  readonly report: Report;
}

/** What must be so in the end: AWS has what docs/attaching.md says is served, and each object says what it got. */
export function checkFinalAttached(parts: FinalAttachParts): void {
  const refused = new Map<string, string>();
  for (const ingress of parts.ingresses) checkIngress(parts, ingress, refused);
  for (const app of parts.apps) checkApp(parts, app, refused);
}

interface Scene {
  readonly ingress: MyIngress;
  readonly parts: FinalAttachParts;
  readonly asked: readonly Asked[];
  readonly rules: readonly ServedRule[];
}

function checkIngress(
  parts: FinalAttachParts,
  ingress: MyIngress,
  refused: Map<string, string>,
): void {
  const asked = listAsked(parts.table, ingress);
  const rules = listServed(keyOf(ingress), parts.picture, parts.claims);
  const scene: Scene = { ingress, parts, asked, rules };
  for (const one of asked) {
    const reason = judgeAsked(scene, one);
    if (reason !== undefined) refused.set(one.source, reason);
  }
  const wrong = [
    ...listLeftRules(scene),
    ...listSharedClaims(scene),
    ...listUnserved(scene),
    ...listOrderFaults(rules),
    ...listLateOwnRules(scene),
    ...listActionFaults(rules),
    ...listGroupFaults(scene),
    ...listStatusFaults(scene, refused),
  ];
  if (wrong.length === 0) return;
  parts.report('serves-what-is-attached', `${keyOf(ingress)}: ${wrong.join('; ')}`);
}

function isServed(rules: readonly ServedRule[], source: string, { claims }: Piece): boolean {
  const own = new Set(rules.filter((one) => one.source === source).flatMap((one) => one.claims));
  return claims.length > 0 && claims.every((claim) => own.has(claim));
}

/** Why not all of it is served; undefined: it is. */
function judgeAsked({ rules }: Scene, { isAllowed, pieces, source }: Asked): string | undefined {
  if (!isAllowed) return 'NotAllowed';
  if (pieces.some(({ claims }) => claims.length === 0)) return 'NoListener';
  return pieces.every((piece) => isServed(rules, source, piece)) ? undefined : 'HostAndPathTaken';
}

function listLeftRules({ asked, rules }: Scene): readonly string[] {
  return rules
    .filter(({ claims, source }) => {
      const by = asked.find((one) => one.source === source && one.isAllowed);
      const all = new Set(by?.pieces.flatMap((piece) => piece.claims));
      return !claims.every((claim) => all.has(claim));
    })
    .map(({ source, claims }) => `${claims.join()} is served for ${source}, which may not have it`);
}

/** Of two sources, or of one and the spec. */
function listSharedClaims({ ingress, rules }: Scene): readonly string[] {
  const holders = mapHolders(rules);
  const own = listOwnClaims(ingress);
  return rules.flatMap(({ source, claims }) =>
    claims
      .filter((claim) => own.has(claim) || holders.get(claim) !== source)
      .map((claim) => `${claim} is served for ${source} and for another`),
  );
}

/** Whatever is not served has a host and path that the spec or another has, or holds. */
function listUnserved({ asked, ingress, parts, rules }: Scene): readonly string[] {
  const holders = mapHolders(rules);
  const own = listOwnClaims(ingress);
  const isTaken = (claim: Claim, from: string): boolean => {
    const others = [holders.get(claim), parts.holderOf(ingress, claim)];
    return own.has(claim) || others.some((one) => one !== undefined && one !== from);
  };
  const isHeldUnserved = ({ pieces, source }: Asked, claim: Claim): boolean => {
    const piece = pieces.find(({ claims }) => claims.includes(claim));
    const isRefused = piece?.claims.some((one) => isTaken(one, source)) === true;
    return isRefused && parts.mayHold(ingress, source, claim);
  };
  return asked
    .filter(({ isAllowed }) => isAllowed)
    .flatMap(({ pieces, source }) =>
      pieces
        .filter((piece) => piece.claims.length > 0 && !isServed(rules, source, piece))
        .filter(({ claims }) =>
          claims.every((claim) => {
            const isHeld = asked.some((one) => one.source !== source && isHeldUnserved(one, claim));
            return !isTaken(claim, source) && !isHeld;
          }),
        )
        .map(({ claims }) => `${claims.join()} is free and not served for ${source}`),
    );
}

/** From narrow to wide: exact hosts before patterns, those with more letters before others, then the same for paths. */
function listOrderFaults(rules: readonly ServedRule[]): readonly string[] {
  const faults: string[] = [];
  for (const [index, rule] of rules.entries()) {
    const next = rules[index + 1];
    if (next === undefined || next.port !== rule.port) continue;
    const [a, b] = [measure(rule), measure(next)];
    const at = a.findIndex((value, place) => value !== b[place]);
    if (at >= 0 && (a[at] ?? 0) > (b[at] ?? 0)) {
      faults.push(`${rule.claims.join()} comes before ${next.claims.join()}, which is narrower`);
    }
  }
  return faults;
}

/** The rules of the spec come before all attached ones. */
function listLateOwnRules({ ingress, parts, rules }: Scene): readonly string[] {
  return listOwnPriorities(keyOf(ingress), parts.picture, parts.claims)
    .filter((own) =>
      rules.some(({ port, priority }) => port === own.port && priority < own.priority),
    )
    .map(
      ({ port, priority }) => `rule ${priority} of the spec on ${port} comes after attached ones`,
    );
}

/** Smaller is narrower. */
function measure({ hosts, paths }: ServedRule): readonly number[] {
  return [hosts, paths].flatMap(([first]) => {
    if (first === undefined || /^\/?\*+$/.test(first)) return [2, 0, 0, 0];
    if (!isPattern(first)) return [0, 0, 0, 0];
    const letters = first.replaceAll(/[*?]/g, '').length;
    const single = first.replaceAll(/[^?]/g, '').length;
    const stars = first.split(/[^*?]+/).filter((run) => run.includes('*')).length;
    return [1, -letters, -(letters + single), stars];
  });
}

/** The requests of an object go to its own target group alone. */
function listActionFaults(rules: readonly ServedRule[]): readonly string[] {
  return rules
    .filter(({ action, source }) => action !== `forward ${source}`)
    .map(({ action, claims, source }) => `${claims.join()} of ${source} does: ${action}`);
}

/** A target group for each object that has a rule, with the endpoints of its own Service. */
function listGroupFaults({ ingress, parts, rules }: Scene): readonly string[] {
  const serving = new Set(rules.map(({ source }) => source));
  const groups = [...parts.picture.values()].flatMap((one) => {
    const source = sourceOf(one);
    if (one.kind !== 'targetGroup' || source === undefined) return [];
    return parts.claims.ownerOf(one) === keyOf(ingress) ? [{ source, group: one }] : [];
  });
  const having = new Set(groups.map(({ source }) => source));
  return [
    ...[...serving].filter((one) => !having.has(one)).map((one) => `${one} has no target group`),
    ...[...having].filter((one) => !serving.has(one)).map((one) => `the group of ${one} is left`),
    // It has no settings of its own.
    ...groups.flatMap(({ source, group: { record } }) =>
      listBackendFaults({ name: source }, record, true),
    ),
    ...groups.flatMap(({ source, group }) => {
      const [, namespace = '', name = ''] = source.split('/');
      const { desired } = parts.endpoints.now({ namespace, name, port: 'http' });
      const [is, wanted] = [activeTargets(group), desired].map((all) => [...all].toSorted());
      if (isDeepStrictEqual(is, wanted)) return [];
      return [`${source} has targets ${is?.join()}, desired ${wanted?.join()}`];
    }),
  ];
}

/** status.attached names each object that may attach, and no other; the condition is about all of them. */
function listStatusFaults(
  { asked, ingress }: Scene,
  refused: ReadonlyMap<string, string>,
): readonly string[] {
  const { attached = [], conditions = [] } = ingress.status;
  const said = attached.map(({ kind, namespace, name, reason }) => {
    return `${kind}/${namespace}/${name} ${reason}`;
  });
  const allowed = asked.filter(({ isAllowed }) => isAllowed);
  const desired = allowed.map(({ source }) => `${source} ${refused.get(source) ?? 'Attached'}`);
  const accepted = conditions.find(({ type }) => type === 'AttachmentsAccepted');
  const areAll = allowed.every(({ source }) => !refused.has(source));
  const isTrue =
    accepted === undefined ? allowed.length === 0 : accepted.status === `${title(areAll)}`;
  return [
    ...(isDeepStrictEqual(said.toSorted(), desired.toSorted())
      ? []
      : [`status.attached says ${said.join()}, desired ${desired.join()}`]),
    ...(isTrue ? [] : [`AttachmentsAccepted is ${accepted?.status ?? 'absent'}`]),
  ];
}

function title(is: boolean): string {
  return is ? 'True' : 'False';
}

function checkApp(
  parts: FinalAttachParts,
  { metadata, spec, status }: WebApp,
  refused: ReadonlyMap<string, string>,
): void {
  if (metadata.deletionTimestamp !== undefined) return;
  const { namespace, name } = metadata;
  const exposed = status?.conditions?.find(({ type }) => type === 'Exposed');
  const said = exposed && `${exposed.status} ${exposed.reason}`;
  const wanted = describeWanted(parts, { metadata, spec } as WebApp, refused);
  const key = `${namespace}/${name}`;
  const isRight = said === wanted || (wanted === 'False NotExposed' && said === undefined);
  if (!isRight) {
    return parts.report('exposed-is-true', `${key} says ${said}, and it is ${wanted}`);
  }
  const others = parts.apps.map((one) => one.metadata.name).filter((one) => one !== name);
  const named = others.find((one) => exposed?.message.includes(one));
  if (named !== undefined) parts.report('names-no-other', `${key}: ${exposed?.message}`);
}

function describeWanted(
  { ingresses }: FinalAttachParts,
  { metadata, spec }: WebApp,
  refused: ReadonlyMap<string, string>,
): string {
  const { namespace, name } = metadata;
  const { ingress } = spec.expose ?? {};
  if (ingress === undefined) return 'False NotExposed';
  const at = `${ingress.namespace ?? namespace}/${ingress.name}`;
  if (!ingresses.some((one) => keyOf(one) === at)) {
    // Whether there is one is nobody's business who may not attach to it.
    return at.startsWith(`${namespace}/`) ? 'False IngressNotFound' : 'False NotAllowed';
  }
  const reason = refused.get(`WebApp/${namespace}/${name}`);
  return reason === undefined ? 'True Attached' : `False ${reason}`;
}
