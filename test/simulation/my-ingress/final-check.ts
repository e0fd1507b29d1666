import { APPLICATION_ATTRIBUTES } from '../../../localstack/embedded/load-balancers/attribute-rules.ts';
import { type MyIngress, ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import { deriveDefaultName } from '../../../src/controllers/my-ingress/identity.ts';
import { isPaused } from '../../../src/core/objects/annotations.ts';
import type { TrafficCast } from '../traffic/cast.ts';
import { hasManagedGroup } from '../traffic/desires.ts';
import type { Report } from '../violation.ts';
import type { Account, Balancer } from './account.ts';
import { differences, GROUPS, isAcceptable, isSameSet } from './specs.ts';

type Listener = NonNullable<MyIngress['spec']['listeners']>[number];

export interface FinalParts {
  readonly account: Account;
  readonly traffic: TrafficCast;
  readonly cluster: string;
  readonly quota: number;
  readonly objects: readonly MyIngress[];
  readonly report: Report;
}

/**
 * What must be so when no fault is left and the stated time has passed: every object is what AWS is,
 * or says truly why it cannot be; nothing of ours is left without an object; nothing was forgotten.
 */
export function checkFinal(parts: FinalParts): void {
  for (const object of parts.objects) checkObject(parts, object);
  for (const balancer of parts.account.balancers) checkBalancer(parts, balancer);
}

function checkObject(parts: FinalParts, object: MyIngress): void {
  const { report } = parts;
  const key = keyOf(object);
  const ready = conditionOf(object, 'Ready');
  if (ready === undefined) return report('converges', `${key} has no condition Ready`);
  if (object.status.observedGeneration !== object.metadata.generation) {
    return report(
      'observes-generation',
      `${key} was observed at ${object.status.observedGeneration}`,
    );
  }
  if (isPaused(object)) {
    if (ready.reason !== 'Paused') report('converges', `${key} is paused and says ${ready.reason}`);
    return;
  }
  const stalled = conditionOf(object, 'Stalled');
  if (stalled !== undefined) {
    checkExcuse(parts, object, stalled.reason);
    return checkBeside(parts, object, stalled.reason);
  }
  const routeFaults = listRouteFaults(parts, object, ready);
  if (routeFaults !== undefined) return checkHeld(parts, object, routeFaults);
  report('converges', `${key} is ${ready.status} ${ready.reason}: ${ready.message}`);
}

/**
 * undefined: it is not Ready, and does not wait for a target group that can have no target. Where it does, what the other
 * group leaves behind is to stay, and all else is as the spec says.
 */
function listRouteFaults(
  { account, traffic }: FinalParts,
  object: MyIngress,
  { status, reason }: { readonly status: string; readonly reason: string },
): readonly string[] | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const key = keyOf(object);
  if (status === 'True') {
    return traffic.listFaults(key, object.spec, { isRestored: account.restored.has(key) });
  }
  const isWaiting = reason === 'HandingOver' && traffic.hasEmptySuccessor(object);
  return isWaiting ? traffic.listFaults(key, object.spec, { isSettled: false }) : undefined;
}

function checkHeld(
  { account, traffic, report }: FinalParts,
  object: MyIngress,
  routeFaults: readonly string[],
): void {
  const { arn, dns } = object.status.alb ?? {};
  const held = account.balancers.find((balancer) => balancer.arn === arn);
  const key = keyOf(object);
  if (held === undefined)
    return report('status-is-true', `${key} holds ${arn}, which is not there`);
  const wrong = [
    ...differences(object.spec, held, new Set()),
    ...unless(held.state === 'active', `state ${held.state}`),
    ...unless(held.dnsName === dns, `dns ${held.dnsName}`),
    ...unless(account.ownerOf(held) === key, 'it is not its own'),
    ...unless(held.tags[ownershipTagKeys.uid] === object.metadata.uid, 'tag uid is another'),
    ...forgottenBy(account, object, held),
    ...unless(
      !lacksOldGroups(account, object, held),
      `security groups ${held.securityGroups.join()}`,
    ),
    ...routeFaults,
    ...traffic.listTargetFaults(object),
    ...traffic.listAttachmentFaults(object, held),
    ...unless(!isRefused(object), 'targets that AWS refuses, by its status'),
  ];
  const { reason } = conditionOf(object, 'Ready') ?? {};
  if (wrong.length > 0) report('converges', `${key} is ${reason}, AWS has ${wrong.join('; ')}`);
}

/** An adopted balancer has the groups that others gave it, before and after albridge managed one for it. */
function lacksOldGroups(
  { givenGroups }: Account,
  { spec }: MyIngress,
  { arn, securityGroups }: Balancer,
): boolean {
  if (spec.adopt?.arn !== arn || hasManagedGroup(spec)) return false;
  if (spec.securityGroups !== undefined) return false;
  const given = givenGroups.get(arn);
  if (given === undefined) return !securityGroups.every((group) => GROUPS.has(group));
  return !isSameSet(given, securityGroups);
}

/** No world has endpoints at its end that cannot be targets of their group. */
function isRefused(object: MyIngress): boolean {
  const { status, reason = '' } = conditionOf(object, 'BackendsResolved') ?? {};
  return status === 'False' && ['InvalidTarget', 'ValidationError'].includes(reason);
}

/** What left the spec and is still on the balancer; an adopted one has attributes of its own. */
function forgottenBy(account: Account, object: MyIngress, held: Balancer): readonly string[] {
  const none = new Set<string>();
  const tags = forgottenTags(object, held, account.meddledTags.get(held.arn) ?? none);
  if (object.spec.adopt !== undefined) return tags;
  const meddled = account.meddledAttributes.get(held.arn) ?? none;
  return [...tags, ...forgottenAttributes(object, held, meddled)];
}

/** Keys that left the spec and are still on the balancer. */
function forgottenTags(
  { spec }: MyIngress,
  { tags }: Balancer,
  meddled: ReadonlySet<string>,
): readonly string[] {
  const records = new Set<string>(Object.values(ownershipTagKeys));
  return Object.keys(tags)
    .filter((key) => !records.has(key) && !meddled.has(key) && !LEGACY_TAGS.has(key))
    .filter((key) => !Object.hasOwn(spec.tags ?? {}, key))
    .map((key) => `tag ${key} forgotten`);
}

/** Tags that balancers of old have by themselves. */
const LEGACY_TAGS: ReadonlySet<string> = new Set(['owner', 'ManagedBy']);

function forgottenAttributes(
  { spec }: MyIngress,
  { attributes, scheme }: Balancer,
  meddled: ReadonlySet<string>,
): readonly string[] {
  return (
    Object.entries(attributes)
      .filter(([key]) => !meddled.has(key) && !Object.hasOwn(spec.attributes ?? {}, key))
      .filter(([key]) => key !== 'ipv6.deny_all_igw_traffic' || scheme !== 'internal')
      // AWS takes no empty bucket back.
      .filter(([key]) => !key.endsWith('_logs.s3.bucket'))
      .filter(([key, value]) => APPLICATION_ATTRIBUTES[key]?.default !== value)
      .map(([key, value]) => `attribute ${key} ${value} forgotten`)
  );
}

/** Stalled must be true, too: what it says has to be so. */
function checkExcuse(parts: FinalParts, object: MyIngress, reason: string): void {
  const excuses: Readonly<Record<string, boolean>> = {
    // Whether there are any is judged by DiscoveryCast.
    NoCertificate: (object.spec.listeners ?? []).some(isWithoutCertificates),
    SubnetsNotFound: awaitsSubnets(parts, object),
    SubnetsAmbiguous: awaitsSubnets(parts, object),
    NameConflict: isNameTaken(parts, object),
    AdoptionRefused: object.spec.adopt !== undefined && !isAdoptable(parts, object),
    RecreationRefused: lacksForNew(parts, object),
    SpecMismatch: isMismatched(parts, object),
    DuplicateName: isNameTaken(parts, object),
    TooManyLoadBalancers: parts.account.balancers.length >= parts.quota,
    DeletionBlocked: object.metadata.deletionTimestamp !== undefined && isProtected(parts, object),
  };
  const isLive = object.metadata.deletionTimestamp === undefined;
  const spec = readEffective(parts, object);
  const isRefused = !isAcceptable(spec) || spec.adopt?.arn.includes('/none/');
  const isOfTraffic = parts.traffic.isExcused(object, reason);
  const isTrue = isOfTraffic || (excuses[reason] ?? (isLive && isRefused));
  if (!isTrue) parts.report('stalled-is-true', `${keyOf(object)} is Stalled by ${reason}`);
}

/** A listener of somebody else has the port, or keeps one that has left the spec: all else is carried out. */
const BESIDE: ReadonlySet<string> = new Set(['PortConflict', 'ResourceInUse']);

function checkBeside({ traffic, report }: FinalParts, object: MyIngress, reason: string): void {
  if (!BESIDE.has(reason) || object.metadata.deletionTimestamp !== undefined) return;
  const key = keyOf(object);
  const taken = traffic.listTakenPorts(object);
  const isOfTaken = (fault: string): boolean =>
    taken.some(
      (port) => fault.startsWith(`listener/${port} `) || fault.startsWith(`rule/${port}/`),
    );
  const faults = traffic.listFaults(key, object.spec, { isSettled: false });
  const wrong = [
    ...faults.filter((fault) => !isOfTaken(fault)),
    ...traffic.listTargetFaults(object),
  ];
  if (wrong.length > 0) report('converges', `${key} is ${reason}, AWS has ${wrong.join('; ')}`);
}

function isWithoutCertificates({ protocol, certificates }: Listener): boolean {
  return protocol === 'HTTPS' && certificates === undefined;
}

/** A balancer that stands keeps its subnets. */
function awaitsSubnets({ account }: FinalParts, { spec, status }: MyIngress): boolean {
  const stands = account.balancers.some(({ arn }) => arn === status.alb?.arn);
  return spec.subnets === undefined && !stands;
}

/** The balancer that it adopted is gone, and the spec does not say how its addresses or groups were. */
function lacksForNew({ account }: FinalParts, { spec, status }: MyIngress): boolean {
  if (spec.adopt === undefined) return false;
  const stands = account.balancers.some(({ arn }) => arn === status.alb?.arn);
  const hasGroups = spec.securityGroups !== undefined || hasManagedGroup(spec);
  return !stands && !(hasGroups && spec.ipAddressType !== undefined);
}

/** An adopted balancer keeps the addresses that it has where the spec says nothing of them. */
function readEffective({ account }: FinalParts, { spec, status }: MyIngress): MyIngress['spec'] {
  const held = account.balancers.find(({ arn }) => arn === status.alb?.arn);
  if (spec.adopt === undefined || held === undefined) return spec;
  return { ...spec, ipAddressType: spec.ipAddressType ?? held.ipAddressType } as MyIngress['spec'];
}

function isNameTaken({ account, cluster }: FinalParts, object: MyIngress): boolean {
  const { namespace, name } = object.metadata;
  const wanted = object.spec.name ?? deriveDefaultName({ cluster, namespace, name });
  // Who has lost the balancer that it adopted makes one of that name.
  const adopted = object.spec.adopt?.arn.split('/').at(-2);
  // A restored object has no record, and a balancer that lost its UID tag then proves nothing.
  const isUnproven = ({ arn, tags }: Balancer): boolean =>
    tags[ownershipTagKeys.uid] === undefined && arn !== object.status.alb?.arn;
  const isForeign = (balancer: Balancer): boolean =>
    account.ownerOf(balancer) !== keyOf(object) || isUnproven(balancer);
  return account.balancers.some(
    (one) =>
      isForeign(one) &&
      (one.name === wanted || one.name === adopted || one.arn === object.status.alb?.arn),
  );
}

/** It is the object's own, or its owner agrees and nobody has or had it. */
function isAdoptable({ account }: FinalParts, object: MyIngress): boolean {
  const { namespace, name } = object.metadata;
  const key = keyOf(object);
  const { uid: uidKey, namespace: namespaceKey, name: nameKey } = ownershipTagKeys;
  return account.balancers
    .filter(({ arn }) => arn === object.spec.adopt?.arn)
    .some((one) => {
      if (one.tags[uidKey] !== undefined) return account.namedBy(one) === key;
      const isFree =
        [undefined, namespace].includes(one.tags[namespaceKey]) &&
        [undefined, name].includes(one.tags[nameKey]);
      return isFree && account.consentOf(one) === key;
    });
}

function isMismatched({ account }: FinalParts, object: MyIngress): boolean {
  const { adopt, scheme, name } = object.spec;
  return account.balancers.some((one) => {
    const isMeant = one.arn === adopt?.arn || account.ownerOf(one) === keyOf(object);
    return (
      isMeant &&
      (one.scheme !== scheme ||
        (name !== undefined && one.name !== name) ||
        (adopt !== undefined && one.arn !== adopt.arn))
    );
  });
}

function isProtected({ account }: FinalParts, object: MyIngress): boolean {
  return account.balancers
    .filter((one) => isHeldBy(account, object, one))
    .some(({ attributes }) => attributes['deletion_protection.enabled'] === 'true');
}

/** Without a UID tag it is this object's only if it is on record there. */
function isHeldBy(account: Account, object: MyIngress, balancer: Balancer): boolean {
  const isOnRecord = balancer.arn === object.status.alb?.arn;
  const owner = isOnRecord ? account.namedBy(balancer) : account.ownerOf(balancer);
  return owner === keyOf(object);
}

/** No orphan: whoever is ours has an object, unless somebody let it go by hand. */
function checkBalancer({ account, objects, report }: FinalParts, balancer: Balancer): void {
  const owner = account.ownerOf(balancer);
  const isHeld = objects.some((object) => isHeldBy(account, object, balancer));
  if (isHeld || account.releasedByHand.has(balancer.arn)) return;
  if (owner !== undefined) return report('no-orphan', `${balancer.name} of ${owner} is left`);
  const isLeft = balancer.tags[ownershipTagKeys.managedBy] !== undefined;
  if (isLeft) report('no-orphan', `${balancer.name} still says that albridge manages it`);
}

function conditionOf(
  { status }: MyIngress,
  type: string,
): NonNullable<MyIngress['status']['conditions']>[number] | undefined {
  return status.conditions?.find((condition) => condition.type === type);
}

function keyOf({ metadata }: MyIngress): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function unless(isFine: boolean, sentence: string): readonly string[] {
  return isFine ? [] : [sentence];
}
