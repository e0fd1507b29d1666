import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import { MY_INGRESSES } from '../my-ingress/kind.ts';
import type { Claims } from '../traffic/claims.ts';
import { type Change, type Picture, resourceIdOf } from '../traffic/resources.ts';
import type { Stage } from '../world/stage.ts';
import { type Claim, keyOf, listAsked, listOwnClaims, nameClaims, type Piece } from './asked.ts';
import { EverAllowed } from './ever-allowed.ts';
import { listServed, mapHolders, sourceOf } from './served.ts';

interface Hold {
  readonly source: string;
  /** Of the MyIngress and of the WebApp, as they were when it began; undefined: not all that it asks for is served. */
  readonly version: string | undefined;
}

interface Known {
  readonly uid: string;
  readonly holds: Map<Claim, Hold>;
  /** Since when: by `WebApp/web/shop 80 shop.example.org /*`, and so below. */
  asked: ReadonlyMap<string, number>;
  /** What status has of each source, and since when: what is asked for later is not on record by it. */
  readonly records: Map<string, { readonly digest: string; readonly sinceMs: number }>;
  /** Given up while a rule for it was there: the rule shows no holder, not even of who asks for it again. */
  readonly givenUp: Set<string>;
  /** `WebApp/web/shop shop.example.org /*`: all of its piece was free once on some port, and it has asked for it ever since. */
  readonly wasFree: Set<string>;
}

/**
 * Whoever was served a host and path, and is on record with it, keeps it for as long as it asks for it without a
 * pause; and nothing is ever served for whoever has never been allowed to ask.
 */
export class HoldWatch {
  readonly #stage: Stage;
  readonly #claims: Claims;
  readonly #known = new Map<string, Known>();
  readonly #everAllowed: EverAllowed;

  constructor(stage: Stage, claims: Claims) {
    this.#stage = stage;
    this.#claims = claims;
    this.#everAllowed = new EverAllowed(stage.model.table);
  }

  /** Call with each change of a WebApp, a MyIngress or a namespace. */
  refresh(): void {
    this.#everAllowed.refresh(this.#listIngresses());
    for (const ingress of this.#listIngresses()) {
      const versions = this.#listVersions(ingress);
      const own = listOwnClaims(ingress);
      const known = this.#of(ingress);
      for (const [claim, { source }] of known.holds) {
        const isKept = versions.has(`${source} ${claim}`) && !own.has(claim);
        if (!isKept) known.holds.delete(claim);
      }
      for (const asked of known.asked.keys()) if (!versions.has(asked)) known.givenUp.add(asked);
      known.asked = new Map(
        [...versions.keys()].map((one) => [one, known.asked.get(one) ?? this.#nowMs]),
      );
      this.#noteFree(ingress, own);
    }
  }

  #noteFree(ingress: MyIngress, own: ReadonlySet<Claim>): void {
    const { holds, wasFree } = this.#of(ingress);
    const asked = listAsked(this.#stage.model.table, ingress).filter((one) => one.isAllowed);
    const places = new Set(
      asked.flatMap(({ source, pieces }) => pieces.flatMap((one) => listPlaces(source, one))),
    );
    for (const one of wasFree) if (!places.has(one)) wasFree.delete(one);
    for (const { source, pieces } of asked) {
      const isFree = (claim: Claim): boolean =>
        !own.has(claim) && (holds.get(claim)?.source ?? source) === source;
      const free = pieces.filter(({ claims }) => claims.length > 0 && claims.every(isFree));
      for (const place of free.flatMap((one) => listPlaces(source, one))) wasFree.add(place);
    }
  }

  /** Call with each status that the operator has written. */
  recorded(ingress: MyIngress, picture: Picture): void {
    this.#releaseRefused(ingress);
    this.#noteDigests(ingress);
    const sources = mapServed(ingress);
    if (sources.size === 0) return;
    const versions = this.#listVersions(ingress);
    const own = listOwnClaims(ingress);
    for (const [claim, source] of this.#listHolders(ingress, picture)) {
      const version = versions.get(`${source} ${claim}`);
      if (!sources.has(source) || version === undefined || own.has(claim)) continue;
      const isWhole = sources.get(source) === 'Attached';
      this.#hold(ingress, claim, { source, version: isWhole ? version : undefined });
    }
  }

  /** Of what is served in part the rule may be one that goes, and no record of who holds it. */
  #hold(ingress: MyIngress, claim: Claim, hold: Hold): void {
    const { holds } = this.#of(ingress);
    const { source, version } = hold;
    const isOnRecord = version !== undefined && this.#isRecorded(ingress, source, claim);
    if (isOnRecord || holds.get(claim)?.source === source) holds.set(claim, hold);
  }

  /** What status has of the source is not older than its wish for this. */
  #isRecorded(ingress: MyIngress, source: string, claim: Claim): boolean {
    const { asked, records } = this.#of(ingress);
    const { sinceMs = 0 } = records.get(source) ?? {};
    return sinceMs >= (asked.get(`${source} ${claim}`) ?? 0);
  }

  #noteDigests(ingress: MyIngress): void {
    const { records } = this.#of(ingress);
    const { attached = [] } = ingress.status;
    const digests = new Map(
      attached.map(({ kind, namespace, name, digest }) => [`${kind}/${namespace}/${name}`, digest]),
    );
    for (const source of records.keys()) if (!digests.has(source)) records.delete(source);
    for (const [source, digest] of digests) {
      if (records.get(source)?.digest === digest) continue;
      records.set(source, { digest, sinceMs: this.#nowMs });
    }
  }

  /** Who is said not to be served, such as with a full quota, where deletions come before creates. */
  #releaseRefused(ingress: MyIngress): void {
    const { holds } = this.#of(ingress);
    const refused = listRefused(ingress);
    for (const [claim, hold] of holds) {
      if (refused.has(hold.source)) holds.set(claim, { ...hold, version: undefined });
    }
  }

  /** Who holds a host and path; undefined: nobody has been served and on record yet. */
  holderOf(ingress: MyIngress, claim: Claim): string | undefined {
    return this.#of(ingress).holds.get(claim)?.source;
  }

  /**
   * Whether it may hold it without being served: others have a host that it has asked for since. A claim on a new port
   * is of who holds the same host and path on another one.
   */
  mayHold(ingress: MyIngress, source: string, claim: Claim): boolean {
    const [, host, path] = claim.split(' ');
    return this.#of(ingress).wasFree.has(`${source} ${host} ${path}`);
  }

  /** Call after each write of the operator to AWS. */
  judge(changes: readonly Change[], picture: Picture): void {
    if (changes.some(({ before, after }) => (before ?? after)?.kind === 'rule')) {
      for (const ingress of this.#listIngresses()) this.#judgeHolds(ingress, picture);
    }
    for (const { before, after } of changes) {
      const source = after && sourceOf(after);
      if (before === undefined && after !== undefined && source !== undefined) {
        this.#judgeAllowed(source, after, picture);
      }
    }
  }

  #judgeHolds(ingress: MyIngress, picture: Picture): void {
    const { holds } = this.#of(ingress);
    if (holds.size === 0) return;
    const key = keyOf(ingress);
    const holders = this.#listHolders(ingress, picture);
    const versions = this.#listVersions(ingress);
    for (const [claim, { source, version }] of holds) {
      const now = holders.get(claim);
      if (now === source) continue;
      if (now !== undefined) {
        const what = `${claim} of ${key} is ${source}'s, and ${now} is served`;
        return this.#stage.report('holder-keeps-its-path', what);
      }
      const isStill = version !== undefined && versions.get(`${source} ${claim}`) === version;
      if (!isStill || !this.#isWholePieceHeld(ingress, source, claim)) continue;
      const what = `${claim} of ${key} is ${source}'s, and has no rule any more`;
      return this.#stage.report('attached-stays', what);
    }
  }

  /** One host or path more that is somebody else's, and nothing of the rule is served any more. */
  #isWholePieceHeld(ingress: MyIngress, source: string, claim: Claim): boolean {
    const { holds } = this.#of(ingress);
    const asked = listAsked(this.#stage.model.table, ingress).filter(
      (one) => one.source === source,
    );
    const pieces = asked.flatMap((one) => one.pieces);
    const piece = pieces.find(({ claims }) => claims.includes(claim));
    return piece?.claims.every((one) => holds.get(one)?.source === source) ?? false;
  }

  #judgeAllowed(source: string, made: NonNullable<Change['after']>, picture: Picture): void {
    const key = this.#claims.ownerOf(made);
    if (key === undefined) return;
    const ever = this.#everAllowed.listAsked(key);
    const served = listServed(key, picture, this.#claims).filter((one) => one.source === source);
    const asked = served.flatMap(({ claims }) => claims.map((claim) => `${source} ${claim}`));
    const wasAllowed = [...ever].some((one) => one.startsWith(`${source} `));
    if (wasAllowed && asked.every((one) => ever.has(one))) return;
    const what = `${resourceIdOf(made)} of ${key}, whose object was never allowed to ask for it`;
    this.#stage.report('attaches-only-the-allowed', what);
  }

  #listHolders(ingress: MyIngress, picture: Picture): ReadonlyMap<Claim, string> {
    const served = listServed(keyOf(ingress), picture, this.#claims);
    const { givenUp } = this.#of(ingress);
    const all = new Set(
      served.flatMap(({ source, claims }) => claims.map((c) => `${source} ${c}`)),
    );
    for (const one of givenUp) if (!all.has(one)) givenUp.delete(one);
    return mapHolders(
      served.map((one) => ({
        ...one,
        claims: one.claims.filter((claim) => !givenUp.has(`${one.source} ${claim}`)),
      })),
    );
  }

  /** Whatever is asked for by whoever may, as `WebApp/web/shop 80 shop.example.org /*`. */
  #listVersions(ingress: MyIngress): ReadonlyMap<string, string> {
    const { uid, generation } = ingress.metadata;
    const asked = listAsked(this.#stage.model.table, ingress).filter((one) => one.isAllowed);
    return new Map(
      asked.flatMap(({ source, version, pieces }) =>
        pieces
          .flatMap(({ claims }) => claims)
          .map((claim) => [`${source} ${claim}`, `${uid} ${generation} ${version}`] as const),
      ),
    );
  }

  #of(ingress: MyIngress): Known {
    const key = keyOf(ingress);
    const { uid } = ingress.metadata;
    const found = this.#known.get(key);
    if (found?.uid === uid) return found;
    const nothing = { holds: new Map(), asked: new Map(), records: new Map() };
    const known: Known = { uid, ...nothing, givenUp: new Set(), wasFree: new Set() };
    this.#known.set(key, known);
    return known;
  }

  get #nowMs(): number {
    return this.#stage.clock.monotonicMs();
  }

  #listIngresses(): readonly MyIngress[] {
    const all = this.#stage.model.table.list(MY_INGRESSES) as unknown as readonly MyIngress[];
    return all.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }
}

/** On whatever port. */
function listPlaces(source: string, { hosts, paths }: Piece): readonly string[] {
  return nameClaims(0, hosts, paths).map((claim) => `${source} ${claim.slice('0 '.length)}`);
}

function listRefused({ status }: MyIngress): ReadonlySet<string> {
  const refused = (status.attached ?? []).filter(({ reason }) => reason === 'QuotaExceeded');
  return new Set(refused.map(({ kind, namespace, name }) => `${kind}/${namespace}/${name}`));
}

/** Whose rules are served on record, with the reason: of some one rule is served and another is not. */
function mapServed({ status }: MyIngress): ReadonlyMap<string, string> {
  const reasons = ['Attached', 'HostAndPathTaken'];
  const attached = (status.attached ?? []).filter(({ reason }) => reasons.includes(reason));
  return new Map(
    attached.map(({ kind, namespace, name, reason }) => [`${kind}/${namespace}/${name}`, reason]),
  );
}
