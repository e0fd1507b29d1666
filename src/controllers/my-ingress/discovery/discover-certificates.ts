import type { Certificate } from '../../../aws/acm/certificates.ts';
import { STALENESS_BOUND_MS } from '../../../aws/elbv2/load-balancers.ts';
import { OperatorError } from '../../../core/reconcile/operator-error.ts';
import { findDecision } from '../attaching/joined.ts';
import { OWN_SOURCE, type Routes } from '../routes/routes.ts';
import type { Scope } from '../scope.ts';
import { chooseCertificates } from './choose-certificates.ts';
import {
  explainMissing,
  explainRefusal,
  type FoundCertificates,
  keepOthers,
  NOTHING_FOUND,
} from './found-certificates.ts';

/** One list serves all objects of the process, each of which is looked at again in half an hour. */
const SHARED_MS = 1_800_000;

/**
 * Finds certificates by the hosts of rules; asks for nothing where every listener names its own.
 *
 * @param isListOld a certificate of the list is gone
 */
export async function findCertificates(
  scope: Scope,
  routes: Routes,
  isListOld: boolean,
): Promise<FoundCertificates> {
  const finding = routes.listeners.filter(({ findsCertificates }) => findsCertificates);
  if (finding.length === 0) return NOTHING_FOUND;
  const hostsByPort = new Map(finding.map(({ port }) => [port, listHosts(routes, port)]));
  const shared = await read(scope, isListOld ? STALENESS_BOUND_MS : SHARED_MS);
  const found = choose(scope, hostsByPort, shared);
  const isWhole = [...found.values()].every(
    ({ uncovered, unresolved }) => uncovered === undefined && unresolved === undefined,
  );
  // A certificate may have been issued since.
  return isWhole ? found : choose(scope, hostsByPort, await read(scope, STALENESS_BOUND_MS));
}

interface ListenerHosts {
  readonly hosts: readonly string[];
  /** Those of the spec. */
  readonly own: ReadonlySet<string>;
}

function listHosts({ rules }: Routes, port: number): ListenerHosts {
  const taking = rules.filter(({ listeners }) => listeners.includes(port));
  const hosts = taking.flatMap(({ hosts: some = [] }) => some);
  const ofSpec = taking.filter(({ source }) => source === OWN_SOURCE);
  const own = ofSpec.flatMap(({ hosts: some = [] }) => some.map((host) => host.toLowerCase()));
  return { hosts, own: new Set(own) };
}

type Read = readonly Certificate[] | OperatorError;

/** A refusal is a matter of these listeners alone. */
async function read(scope: Scope, maxAgeMs: number): Promise<Read> {
  const { signal } = scope.pass;
  try {
    return await scope.traffic().certificates.list(maxAgeMs, signal);
  } catch (error) {
    if (error instanceof OperatorError && !signal.aborted) return error;
    throw error;
  }
}

function choose(
  { clock, object }: Scope,
  hostsByPort: ReadonlyMap<number, ListenerHosts>,
  issued: Read,
): FoundCertificates {
  const nowMs = clock.now();
  const isKnown = findDecision(object)?.isKnown ?? true;
  return new Map(
    [...hostsByPort].map(([port, { hosts, own }]) => {
      if (issued instanceof OperatorError) return [port, explainRefusal(issued)];
      const choice = chooseCertificates(hosts, issued, nowMs);
      return [port, isKnown ? explainMissing(own, choice) : keepOthers(own, choice)];
    }),
  );
}
