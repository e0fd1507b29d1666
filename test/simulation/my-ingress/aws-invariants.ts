import {
  loadBalancerFinalizer,
  type MyIngress,
  ownershipTagKeys,
} from '../../../src/apis/my-ingress.ts';
import { isWrite } from '../../../src/aws/aws-operations.ts';
import type { Report } from '../violation.ts';
import type { AwsCallSeen } from '../world/aws-network.ts';
import type { Account, Balancer } from './account.ts';

export interface AwsInvariantParts {
  readonly account: Account;
  readonly cluster: () => string;
  readonly object: (namespace: string, name: string) => MyIngress | undefined;
  /** Deletion policies that the spec of this object had within the last half minute. */
  readonly recentPolicies: (uid: string) => ReadonlySet<string>;
  readonly report: Report;
}

interface WriteInput {
  readonly LoadBalancerArn?: string;
  readonly ResourceArns?: readonly string[];
  readonly Tags?: readonly { readonly Key: string; readonly Value: string }[];
}

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
    const result = carryOut();
    const after = account.remember();
    if (JSON.stringify(before) === JSON.stringify(after)) return result;
    if (operation === 'CreateLoadBalancer') this.#judgeCreate(before, after);
    else this.#judgeChange(operation, input as WriteInput, before);
    this.#countBalancers(after);
    return result;
  }

  #judgeCreate(before: readonly Balancer[], after: readonly Balancer[]): void {
    const { account, object, report } = this.#parts;
    const made = after.find(({ arn }) => before.every((one) => one.arn !== arn));
    if (made === undefined) return report('foreign-untouched', 'a create changed a balancer');
    const owner = account.ownerOf(made);
    const [namespace = '', name = ''] = owner?.split('/') ?? [];
    const holder = object(namespace, name);
    const isRecorded = made.tags[ownershipTagKeys.uid] && made.tags[ownershipTagKeys.managedBy];
    if (owner === undefined || !isRecorded) {
      return report(
        'tags-in-the-create',
        `${made.name} was made with ${JSON.stringify(made.tags)}`,
      );
    }
    if (!holder?.metadata.finalizers?.includes(loadBalancerFinalizer)) {
      report('finalizer-first', `${made.name} was made, ${owner} has no finalizer`);
    }
  }

  #judgeChange(operation: string, input: WriteInput, before: readonly Balancer[]): void {
    const { account, report } = this.#parts;
    const arn = input.LoadBalancerArn ?? input.ResourceArns?.[0] ?? '';
    const owners = account
      .recent(arn)
      .flatMap((one) => account.ownerOf(one) ?? account.consentOf(one) ?? []);
    const balancer = before.find((one) => one.arn === arn);
    if (owners.length === 0 || balancer === undefined) {
      return report('foreign-untouched', `${operation} to ${balancer?.name ?? arn}`);
    }
    const [namespace = '', name = ''] = owners.at(-1)?.split('/') ?? [];
    this.#judgeHolder(operation, balancer, `${namespace}/${name}`);
    this.#judgeRecord(operation, input, balancer);
  }

  #judgeHolder(operation: string, balancer: Balancer, owner: string): void {
    const { object, recentPolicies, report } = this.#parts;
    const [namespace = '', name = ''] = owner.split('/');
    const holder = object(namespace, name);
    if (!holder?.metadata.finalizers?.includes(loadBalancerFinalizer)) {
      return report(
        'finalizer-first',
        `${operation} to ${balancer.name}, ${owner} has no finalizer`,
      );
    }
    if (operation !== 'DeleteLoadBalancer') return;
    if (holder.metadata.deletionTimestamp === undefined) {
      return report(
        'deletes-only-the-deleted',
        `${balancer.name} of ${owner}, which is not deleted`,
      );
    }
    if (!recentPolicies(holder.metadata.uid).has('Delete')) {
      report('retain-retains', `${balancer.name} of ${owner} was deleted`);
    }
  }

  /** Write-ahead: what has to be undone one day is on record before it is done. */
  #judgeRecord(operation: string, input: WriteInput, balancer: Balancer): void {
    const { account, object, report } = this.#parts;
    const owner = account.ownerOf(balancer) ?? account.consentOf(balancer);
    const [namespace = '', name = ''] = owner?.split('/') ?? [];
    const holder = object(namespace, name);
    if (operation !== 'AddTags' || holder === undefined) return;
    const isLostCreate = holder.status.alb === undefined && holder.spec.adopt === undefined;
    const isKnown = account.recent(balancer.arn).some((one) => one.tags !== undefined);
    if (isLostCreate || !isKnown) return;
    const added = (input.Tags ?? [])
      .map(({ Key }) => Key)
      .filter(
        (key) => Object.hasOwn(holder.spec.tags ?? {}, key) && balancer.tags[key] === undefined,
      )
      .filter((key) => !holder.status.applied?.tags?.includes(key));
    if (added.length > 0) {
      report('record-before-write', `tags ${added.join()} of ${balancer.name} are not on record`);
    }
  }

  #countBalancers(after: readonly Balancer[]): void {
    const { account, report } = this.#parts;
    const owners = after.flatMap((balancer) => account.ownerOf(balancer) ?? []);
    const twice = owners.find((owner, at) => owners.indexOf(owner) !== at);
    if (twice !== undefined) report('one-balancer-each', `${twice} has more than one balancer`);
  }
}
