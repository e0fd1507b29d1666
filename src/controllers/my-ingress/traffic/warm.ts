import { isDeepStrictEqual } from 'node:util';
import type { LoadBalancer } from '../../../aws/elbv2/load-balancers.ts';
import type { Rule, Tags } from '../../../aws/elbv2/traffic.ts';
import { getRevision } from '../attaching/joined.ts';
import type { FoundCertificates } from '../discovery/found-certificates.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import type { Step } from '../graph/steps.ts';
import { identifyResource } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import { requestsLiveRead } from '../load-balancer/read-depth.ts';
import { hasAnyDrift } from '../memory.ts';
import { readRoutes } from '../routes/read-routes.ts';
import { isReplaceable } from '../rules/diff.ts';
import type { Scope } from '../scope.ts';
import { readRecordedArn } from '../status.ts';
import {
  beginMemory,
  isReadDue,
  recallBalancer,
  type Standing,
  type TrafficMemory,
} from './memory.ts';
import { recordOwned } from './owned.ts';
import { isManaged, type Planned, planBy } from './planned.ts';
import { readReferences } from './references.ts';

/** The knowledge that spares a pass a read of everything. */
export interface WarmStart {
  readonly standing: Standing;
  readonly planned: Planned;
  /** From which it was made, as in `TrafficMemory`. */
  readonly certificates: FoundCertificates | undefined;
  readonly proofs: Promise<Proofs>;
  /** Once the names of what is about to be created are on record: one write, while the proofs are read. */
  readonly recorded: Promise<void>;
  /** The balancer as an earlier pass or the drift scan has just read it; undefined: it is read again. */
  readonly balancer: LoadBalancer | undefined;
}

/** The resources that the plan writes to, as just read. */
interface Proofs {
  readonly tags: ReadonlyMap<string, Tags | undefined>;
  /** By listener, where its action is changed or a rule of it: somebody may have put a safeguard there. */
  readonly rules: ReadonlyMap<string, readonly Rule[]>;
}

/**
 * Twenty are one call, the balancer's among them. A rule that finds no free priority moves all others, and a read of
 * everything would take as many calls and more: it goes by memory like any other edit.
 */
const MOST_PROOFS = 99;

/**
 * After an edit, and when something is due, the graph that this process has left behind is as good as a
 * read, but for whose its resources are: each write follows a read of the tags of what it writes to,
 * which is asked for here, so that it goes with the balancer's (docs/decisions/0014-an-edit-goes-by-memory.md).
 * undefined: everything has to be read.
 */
export function beginWarm(scope: Scope): WarmStart | undefined {
  const { clock, memory, object } = scope;
  const { traffic } = memory;
  const { standing } = traffic ?? {};
  if (traffic === undefined || standing === undefined) return undefined;
  if (!isCalledFor(scope, traffic) || !mayGoByMemory(scope, traffic)) return undefined;
  // A balancer that took the place of another has nothing of it.
  if (standing.loadBalancer.arn !== readRecordedArn(object)) return undefined;
  memory.traffic = beginMemory(traffic, getRevision(object), clock.monotonicMs());
  const planned = planStanding(scope, standing, standing.loadBalancer);
  const written = listWritten(planned, scope.identity);
  if (written === undefined || written.length > MOST_PROOFS) return undefined;
  const proofs = readProofs(scope, written, listReplaced(planned));
  const recorded = recordOwned(scope, planned);
  // A pass that never needs them has failed before.
  for (const one of [proofs, recorded]) one.catch(() => undefined);
  const balancer = recallBalancer(standing, clock.monotonicMs());
  const { certificates } = memory.traffic;
  return { standing, planned, certificates, proofs, recorded, balancer };
}

function planStanding(scope: Scope, { graph }: Standing, loadBalancer: LoadBalancer): Planned {
  const { arn, securityGroups, vpcId } = loadBalancer;
  const observed = { ...graph, loadBalancer: { arn, securityGroups, vpcId } };
  return planBy(scope, { loadBalancer, observed }, undefined);
}

/** The answer, once the record is stored too: a pass has one write of status under way at a time. */
export async function endRecord<T>({ recorded }: WarmStart, reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } finally {
    await recorded;
  }
}

/** By what this process has left behind; undefined where that is not proved. */
export async function planWarm(
  scope: Scope,
  { standing, planned, certificates, proofs }: WarmStart,
  loadBalancer: LoadBalancer,
): Promise<Planned | undefined> {
  // A plan over a hundred rules takes milliseconds.
  const isSame =
    isDeepStrictEqual(loadBalancer, planned.loadBalancer) &&
    isDeepStrictEqual(scope.memory.traffic?.certificates, certificates);
  const newest = isSame ? planned : planStanding(scope, standing, loadBalancer);
  return isProved(newest, await proofs, scope.identity) ? newest : undefined;
}

/** True where attributes of a listener have come into the spec that were of no interest before. */
function lacksAttributes({ desired, observed }: Pick<Planned, 'desired' | 'observed'>): boolean {
  const ports = desired.listeners.flatMap(({ port, attributes }) => {
    return Object.keys(attributes).length > 0 ? [port] : [];
  });
  return observed.listeners.some(({ listener: { port }, attributes }) => {
    return ports.includes(port) && attributes === undefined;
  });
}

async function readProofs(
  { pass, traffic }: Scope,
  written: readonly string[],
  replaced: readonly Replaced[],
): Promise<Proofs> {
  const clients = traffic();
  const listeners = [...new Set(replaced.map(({ listener }) => listener))];
  const [tags, rules] = await Promise.all([
    readEach(written, (arn) => clients.tags.read(arn, pass.signal)),
    readEach(listeners, async (arn) => (await clients.rules.list(arn, pass.signal)) ?? []),
  ]);
  return { tags, rules };
}

async function readEach<T>(
  arns: readonly string[],
  read: (arn: string) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  return new Map(await Promise.all(arns.map(async (arn) => [arn, await read(arn)] as const)));
}

/** True for an edit, where something is due, and where targets may have become healthy. */
function isCalledFor({ clock, object }: Scope, traffic: TrafficMemory): boolean {
  const { dueMs, revision, isHandingOver = false } = traffic;
  const isDue = dueMs !== undefined && dueMs <= clock.monotonicMs();
  return isDue || isHandingOver || revision !== getRevision(object);
}

/** False where something calls for a read. */
function mayGoByMemory(scope: Scope, traffic: TrafficMemory): boolean {
  const { clock, memory, object, objectCount } = scope;
  const { knownSinceMs, spread } = memory.facts;
  const given = { memory: { ...traffic, dueMs: undefined }, objectCount, knownSinceMs, spread };
  const isOld = traffic.readMs === undefined || isReadDue(given, clock.monotonicMs());
  // The successor of a managed group is read.
  const hasManaged = (traffic.standing?.graph.securityGroups ?? []).length > 0;
  const isReplaced = hasManaged && !isManaged(scope, readRoutes(object.spec));
  // So is what was found by its tags.
  const isRead = isReplaced || memory.foundGroups !== undefined || requestsLiveRead(object);
  return !isOld && !hasAnyDrift(memory.facts) && !isRead;
}

/**
 * True where all that the plan writes to has the tags that the plan was made from, and they are ours, and
 * nothing is replaced but what albridge writes.
 */
function isProved(planned: Planned, proofs: Proofs, identity: Identity): boolean {
  const written = listWritten(planned, identity);
  const known = listTags(planned.observed);
  const isOurs = written?.every((arn) => {
    const read = proofs.tags.get(arn);
    const isOwn = read !== undefined && identifyResource(read, identity) !== undefined;
    return isOwn && isDeepStrictEqual(read, known.get(arn));
  });
  return (isOurs ?? false) && listReplaced(planned).every((one) => isKnown(one, proofs.rules));
}

/** A rule that is changed or deleted, as this process knows it; without `rule` the default one. */
interface Replaced {
  readonly listener: string;
  readonly rule: Rule | undefined;
}

function listReplaced({ plan, observed }: Pick<Planned, 'plan' | 'observed'>): readonly Replaced[] {
  return plan.steps.flatMap(({ operation, input }): readonly Replaced[] => {
    if (operation === 'ModifyListener') return [{ listener: input.arn, rule: undefined }];
    if (operation !== 'ModifyRule' && operation !== 'DeleteRule') return [];
    return observed.listeners.flatMap(({ listener: { arn: listener }, rules }) =>
      rules.flatMap(({ rule }) => (rule.arn === input.arn ? [{ listener, rule }] : [])),
    );
  });
}

function isKnown({ listener, rule: known }: Replaced, rules: Proofs['rules']): boolean {
  const found = rules.get(listener)?.find(({ arn, priority }) => {
    return known === undefined ? priority === 'default' : arn === known.arn;
  });
  const kinds = (known?.transforms ?? []).map(({ kind }) => kind);
  return found !== undefined && isReplaceable(found, kinds);
}

/**
 * ARNs of what is there and is written to; undefined: that takes a read. A security group has no ARN. A
 * listener takes its rules along, among them those of others that this process does not know of; and to the create of one
 * AWS answers with a listener of the same settings, whoever has made it.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateListener.html
 */
function listWritten(
  { plan, observed, desired }: Pick<Planned, 'plan' | 'observed' | 'desired'>,
  identity: Identity,
): readonly string[] | undefined {
  const { listeners, targetGroups } = readReferences(observed, identity, '');
  if (plan.steps.some(takesRead) || lacksAttributes({ desired, observed })) return undefined;
  const arns = plan.steps.flatMap(({ input }) => [
    'arn' in input ? input.arn : [],
    'resource' in input ? input.resource : [],
    'priorities' in input ? input.priorities.map(({ arn }) => arn) : [],
    'listener' in input ? (listeners.get(input.listener) ?? []) : [],
    'targetGroup' in input ? (targetGroups.get(input.targetGroup) ?? []) : [],
  ]);
  return [...new Set(arns.flat())];
}

function takesRead({ id, operation }: Step): boolean {
  const isOfGroup = id.startsWith('security-group/') || operation === 'SetSecurityGroups';
  return isOfGroup || operation === 'DeleteListener' || operation === 'CreateListener';
}

function listTags({ listeners, targetGroups }: ObservedGraph): ReadonlyMap<string, Tags> {
  return new Map([
    ...targetGroups.map(({ targetGroup: { arn }, tags }) => [arn, tags] as const),
    ...listeners.flatMap(({ listener, tags, rules }) => [
      [listener.arn, tags] as const,
      ...rules.map(({ rule: { arn }, tags: own }) => [arn, own] as const),
    ]),
  ]);
}
