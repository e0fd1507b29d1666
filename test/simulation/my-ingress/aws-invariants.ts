import {
  loadBalancerFinalizer,
  type MyIngress,
  ownershipTagKeys,
} from '../../../src/apis/my-ingress.ts';
import { isWrite } from '../../../src/aws/client/operations.ts';
import { deriveDefaultName } from '../../../src/controllers/my-ingress/identity.ts';
import type { LostFinalizers } from '../traffic/lost-finalizers.ts';
import type { Report } from '../violation.ts';
import type { AwsCallSeen } from '../world/aws-network.ts';
import type { Account, Balancer } from './account.ts';
import { mayBeDefault } from './specs.ts';

export interface AwsInvariantParts {
  readonly account: Account;
  readonly object: (key: string) => MyIngress | undefined;
  readonly lostFinalizers: LostFinalizers;
  /** Deletion policies of this object's spec by which a process may still go. */
  readonly recentPolicies: (uid: string) => ReadonlySet<string>;
  /** Tag keys that others have lately taken off the record of this object. */
  readonly forgottenTags: (key: string) => ReadonlySet<string>;
  /** Tag keys that a spec of this object has had. */
  readonly tagKeys: (uid: string) => ReadonlySet<string>;
  readonly report: Report;
}

interface WriteInput {
  readonly LoadBalancerArn?: string;
  readonly SecurityGroups?: readonly string[];
  readonly ResourceArns?: readonly string[];
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
  readonly TagKeys?: readonly string[];
}

const OWN_KEYS: ReadonlySet<string> = new Set(Object.values(ownershipTagKeys));

/** What must hold for every write that reaches AWS; see docs/reliability.md. */
export class AwsInvariants {
  readonly #parts: AwsInvariantParts;

  constructor(parts: AwsInvariantParts) {
    this.#parts = parts;
  }

  /** Runs what a call does to the world, and judges it by the world before and after. */
  during<T>({ operation, input }: AwsCallSeen, carryOut: () => T): T {
    if (!isWrite(operation)) return carryOut();
    const { account } = this.#parts;
    const before = account.balancers;
    const owner = this.#claimantOf(arnOf(input));
    const result = carryOut();
    const after = account.remember();
    if (account.isLastCallDenied()) this.#judgeDenial(operation, input, before);
    if (isSame(before, after)) return result;
    if (operation === 'CreateLoadBalancer') this.#judgeCreate(input, before, after);
    else this.#judgeChange(operation, input, { before, owner });
    this.#judgeOthersTags(before, after);
    this.#countBalancers(after);
    return result;
  }

  #judgeCreate(
    { SecurityGroups }: WriteInput,
    before: readonly Balancer[],
    after: readonly Balancer[],
  ): void {
    const { account, report } = this.#parts;
    const made = after.find(({ arn }) => before.every((one) => one.arn !== arn));
    if (made === undefined) return report('foreign-untouched', 'a create changed a balancer');
    const owner = account.ownerOf(made);
    const { uid, managedBy } = ownershipTagKeys;
    if (owner === undefined || !made.tags[uid] || !made.tags[managedBy]) {
      return report('tags-in-the-create', `${made.name} has ${JSON.stringify(made.tags)}`);
    }
    if (mayBeDefault(made.name) && made.name !== ownDefaultName(made)) {
      report('default-names-are-kept', `${owner} took ${made.name}`);
    }
    this.#judgeFinalizer('CreateLoadBalancer', owner);
    if (SecurityGroups === undefined) this.#judgeDefaultGroup(made, owner);
  }

  /** The groups of an adopted balancer that is gone are unknown: the default one of the VPC is not among them. */
  #judgeDefaultGroup({ name }: Balancer, owner: string): void {
    const { object, report } = this.#parts;
    const adopted = object(owner)?.spec.adopt?.arn.split('/').at(-2);
    if (name === adopted) report('recreates-as-stated', `${owner} made ${name} without groups`);
  }

  /** What made a balancer of old goes on managing it. */
  #judgeOthersTags(before: readonly Balancer[], after: readonly Balancer[]): void {
    for (const { arn, name, tags } of after) {
      const was = before.find((one) => one.arn === arn)?.tags['ManagedBy'];
      if (was === undefined || was === tags['ManagedBy']) continue;
      this.#parts.report('others-tags-stay', `ManagedBy of ${name} was ${was}`);
    }
  }

  /** Whose the balancer was by its tags, or by its owner's consent, at the last time that they said so. */
  #claimantOf(arn: string): string | undefined {
    const { account } = this.#parts;
    const claims = account.recent(arn).map((one) => account.ownerOf(one) ?? account.consentOf(one));
    return claims.findLast((claim) => claim !== undefined);
  }

  #judgeChange(
    operation: string,
    input: WriteInput,
    { before, owner }: { readonly before: readonly Balancer[]; readonly owner: string | undefined },
  ): void {
    const { report } = this.#parts;
    const arn = arnOf(input);
    const balancer = before.find((one) => one.arn === arn);
    if (owner === undefined || balancer === undefined) {
      return report('foreign-untouched', `${operation} to ${balancer?.name ?? arn}`);
    }
    this.#judgeFinalizer(operation, owner);
    if (operation === 'DeleteLoadBalancer') this.#judgeDelete(balancer, owner);
    if (operation === 'AddTags') this.#judgeRecord(input, balancer, owner);
    if (operation === 'RemoveTags') this.#judgeRemoval(input, balancer, owner);
  }

  /** Other people tag balancers too: only what a spec of this object has had is taken off. */
  #judgeRemoval({ TagKeys = [] }: WriteInput, { name, tags }: Balancer, owner: string): void {
    const { object, tagKeys, report } = this.#parts;
    const known = tagKeys(object(owner)?.metadata.uid ?? '');
    const theirs = TagKeys.filter(
      (key) => Object.hasOwn(tags, key) && !OWN_KEYS.has(key) && !known.has(key),
    );
    if (theirs.length > 0) report('others-tags-stay', `${theirs.join()} of ${name}`);
  }

  /** Nothing changed, but only because IAM stood in the way; one that went while a process was frozen is let pass. */
  #judgeDenial(operation: string, input: WriteInput, before: readonly Balancer[]): void {
    const { account, report } = this.#parts;
    const arn = arnOf(input);
    const isAboutBalancer = arn.includes(':loadbalancer/') || operation === 'CreateLoadBalancer';
    if (!isAboutBalancer) return;
    const isOurs = (one: Balancer): boolean =>
      (account.ownerOf(one) ?? account.consentOf(one)) !== undefined;
    const isOursNow = before.some((one) => one.arn === arn && isOurs(one));
    if (!isOursNow && account.sinceSweep(arn).some(isOurs)) return;
    report('asks-for-what-is-granted', `${operation} on ${arn || 'a new balancer'} was denied`);
  }

  #judgeFinalizer(operation: string, owner: string): void {
    const { account, lostFinalizers, object, report } = this.#parts;
    if (account.goneInSpite.has(owner) || lostFinalizers.mayBeUnknown(owner)) return;
    if (object(owner)?.metadata.finalizers?.includes(loadBalancerFinalizer)) return;
    report('finalizer-first', `${operation} for ${owner}, which has no finalizer`);
  }

  #judgeDelete({ name }: Balancer, owner: string): void {
    const { account, object, recentPolicies, report } = this.#parts;
    if (account.goneInSpite.has(owner)) return;
    const holder = object(owner);
    if (holder?.metadata.deletionTimestamp === undefined) {
      return report('deletes-only-the-deleted', `${name} of ${owner}, which is not deleted`);
    }
    if (recentPolicies(holder.metadata.uid).has('Delete')) return;
    report('retain-retains', `${name} of ${owner} was deleted`);
  }

  /** Write-ahead: what has to be undone one day is on record before it is done. */
  #judgeRecord({ Tags = [] }: WriteInput, balancer: Balancer, owner: string): void {
    const { forgottenTags, object, report } = this.#parts;
    const { spec, status } = object(owner) ?? {};
    const forgotten = forgottenTags(owner);
    // One that is ours with no ARN on record is a lost create, which carried all its tags.
    if (status?.alb === undefined && spec?.adopt === undefined) return;
    const unrecorded = Tags.map(({ Key }) => Key)
      .filter((key) => Object.hasOwn(spec?.tags ?? {}, key) && balancer.tags[key] === undefined)
      .filter((key) => !status?.applied?.tags?.includes(key) && !forgotten.has(key));
    if (unrecorded.length === 0) return;
    report(
      'record-before-write',
      `tags ${unrecorded.join()} of ${balancer.name} are not on record`,
    );
  }

  /** One from which others have taken the tag of the UID before it was on record is nobody's. */
  #countBalancers(after: readonly Balancer[]): void {
    const { account, object, report } = this.#parts;
    const owners = after.flatMap((balancer) => {
      const owner = account.ownerOf(balancer);
      if (owner === undefined) return [];
      const isOnRecord = object(owner)?.status?.alb?.arn === balancer.arn;
      return isOnRecord || balancer.tags[ownershipTagKeys.uid] !== undefined ? owner : [];
    });
    const twice = owners.find((owner, at) => owners.indexOf(owner) !== at);
    if (twice !== undefined) report('one-balancer-each', `${twice} has more than one balancer`);
  }
}

/** An account gives a balancer that nobody has written as the same object. */
function isSame(before: readonly Balancer[], after: readonly Balancer[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((one, at) => {
    return one === after[at] || JSON.stringify(one) === JSON.stringify(after[at]);
  });
}

function arnOf({ LoadBalancerArn, ResourceArns }: WriteInput): string {
  return LoadBalancerArn ?? ResourceArns?.[0] ?? '';
}

function ownDefaultName({ tags }: Balancer): string {
  const { cluster, namespace, name } = ownershipTagKeys;
  const [of = '', space = '', object = ''] = [tags[cluster], tags[namespace], tags[name]];
  return deriveDefaultName({ cluster: of, namespace: space, name: object });
}
