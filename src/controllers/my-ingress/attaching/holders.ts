import { compareText, type KubeObject } from '../../../core/objects/kube-object.ts';
import { type AttachingObject, compareAge, getSource } from './attaching-object.ts';
import { type Candidate, recallCandidates } from './candidates.ts';
import {
  type Claim,
  digestClaim,
  getPlace,
  getPort,
  listPlaces,
  nameClaim,
  type Place,
} from './claims.ts';
import type { Decided, Holders } from './decision.ts';
import type { Hold } from './turns.ts';

/** The holders of hosts and paths on each port; pure. */

export interface Ports {
  readonly now: readonly number[];
  /** Before the last edits of the listeners. */
  readonly before: readonly number[];
}

/** Of what is held on a port that the spec no longer has: status does not say for good which one that was. */
const GONE_PORT = 0;

/** For status: those on one of the ports come first. */
export function digestHolds(claims: readonly Claim[], ports: readonly number[]): readonly string[] {
  const isNow = (claim: Claim): boolean => ports.includes(getPort(claim));
  const gone = claims.filter((claim) => !isNow(claim));
  const lists = [claims.filter(isNow), gone.map((claim) => nameClaim(GONE_PORT, getPlace(claim)))];
  return [...new Set(lists.flatMap((list) => list.map(digestClaim).toSorted(compareText)))];
}

/**
 * After a restart: an object holds what it still asks for of what status records as its own. Status is a hint: without
 * it the older object has it.
 *
 * @param recorded by source: `digestHolds`
 */
export function recallHolders(
  { now, before }: Ports,
  objects: readonly AttachingObject[],
  recorded: ReadonlyMap<string, readonly string[]>,
): Holders {
  const gone = [GONE_PORT, ...before.filter((port) => !now.includes(port))];
  const held = objects.toSorted(compareAge).flatMap((object) => {
    const source = getSource(object);
    const own = new Set(recorded.get(source));
    if (own.size === 0) return [];
    const places = [...listAskedPlaces(object)];
    return [
      ...recallCandidates(object, now).flatMap(({ claims }) => claims),
      ...gone.flatMap((port) => places.map((place) => nameClaim(port, place))),
    ]
      .filter((claim) => own.has(digestClaim(claim)))
      .map((claim) => [claim, source] as const);
  });
  return new Map(held.toReversed());
}

/** Another object of the same name goes by its own status: one that is gone may have been asked about last. */
export function findKeptHolders(
  known: Decided | undefined,
  { metadata }: KubeObject,
): Holders | undefined {
  return known?.uid === metadata.uid ? known?.decision.holders : undefined;
}

export interface Asked {
  readonly objects: readonly AttachingObject[];
  /** Of these objects on these ports. */
  readonly candidates: readonly Candidate[];
  readonly ports: readonly number[];
}

/** A holder that no longer asks for a claim has given it up. On a port that is gone it asks as long as its rule does. */
export function keepHolders({ objects, candidates, ports }: Asked, held: Holders): Holders {
  const asked = new Set(
    candidates.flatMap(({ claims, source }) => claims.map((claim) => `${source} ${claim}`)),
  );
  const places = new Map(objects.map((one) => [getSource(one), listAskedPlaces(one)] as const));
  const isAsked = (claim: Claim, source: string): boolean =>
    ports.includes(getPort(claim))
      ? asked.has(`${source} ${claim}`)
      : places.get(source)?.has(getPlace(claim)) === true;
  return new Map([...held].filter(([claim, source]) => isAsked(claim, source)));
}

/**
 * Also what is held on another port alone: an edit of the listeners gives it to the object that has the same host and
 * path there, before an older one.
 */
export function reserveClaims(
  candidates: readonly Candidate[],
  holders: Holders,
  held: Holders,
): Holders {
  const elsewhere = new Set([...held].map(([claim, source]) => `${source} ${getPlace(claim)}`));
  const reserved = new Map(holders);
  for (const { claims, source } of candidates) {
    for (const claim of claims) {
      const isFree = !reserved.has(claim);
      if (isFree && elsewhere.has(`${source} ${getPlace(claim)}`)) reserved.set(claim, source);
    }
  }
  return reserved;
}

/** @param reserved of these holders */
export function measureHold(
  { claims, source }: Candidate,
  holders: Holders,
  reserved: Holders,
): Hold {
  const count = claims.filter((claim) => holders.get(claim) === source).length;
  if (count > 0) return count === claims.length ? 'all' : 'some';
  return claims.some((claim) => reserved.get(claim) === source) ? 'elsewhere' : 'none';
}

const known = new WeakMap<AttachingObject, ReadonlySet<Place>>();

/** On whatever port. */
function listAskedPlaces(object: AttachingObject): ReadonlySet<Place> {
  const found = known.get(object);
  if (found !== undefined) return found;
  const places = new Set(object.rules.flatMap(listPlaces));
  known.set(object, places);
  return places;
}
