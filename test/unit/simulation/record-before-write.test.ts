import { describe, expect, it } from 'vitest';
import { type MyIngress, ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import type { Commit } from '../../simulation/api-model/object-table.ts';
import { Account } from '../../simulation/my-ingress/account.ts';
import { AwsInvariants } from '../../simulation/my-ingress/aws-invariants.ts';
import { KubeInvariants } from '../../simulation/my-ingress/kube-invariants.ts';
import type { AwsCallSeen } from '../../simulation/world/aws-network.ts';
import { call, createBalancer, seededModel } from '../localstack/seeded-model.ts';

type Status = MyIngress['status'];

const OPERATOR = 'replica-0_1';
const NOTHING: ReadonlySet<string> = new Set();

const CLEARED: Status = {} as never;
const RECORDED: Status = { applied: { tags: ['team'] } } as never;

function objectWith(status: Status, uid = 'uid'): MyIngress {
  const metadata = { namespace: 'web', name: 'shop', uid, generation: 1 };
  return { metadata, spec: { tags: { team: 'a' }, adopt: 'legacy' }, status } as never;
}

/** A balancer that `web/shop` may adopt, and the promises about it. */
class Bench {
  readonly broken: string[] = [];
  readonly #model = seededModel({ provisioningMs: 0 });
  readonly #arn: string;
  readonly #kube: KubeInvariants;
  readonly #aws: AwsInvariants;
  #object = objectWith(CLEARED);

  constructor() {
    const { aws, clock } = this.#model;
    this.#arn = createBalancer(aws, 'legacy')['LoadBalancerArn'];
    const { adopt, cluster } = ownershipTagKeys;
    this.#tag({ [cluster]: 'cluster', [adopt]: 'web/shop' });
    const shared = {
      ...{ nowMs: () => clock.nowMs, unseenMs: () => 30_000 },
      report: (promise: string) => this.broken.push(promise),
    };
    const account = new Account({ aws, ...shared, cluster: 'cluster', sweepMs: 300_000 });
    account.remember();
    this.#kube = new KubeInvariants({
      ...{ account, ...shared, provisioningMs: 0, isDisturbed: () => false },
      traffic: undefined as never,
    });
    this.#aws = new AwsInvariants({
      ...{ account, ...shared, object: () => this.#object },
      lostFinalizers: { mayBeUnknown: () => true } as never,
      forgottenTags: (key) => this.#kube.forgottenTags(key),
      ...{ recentPolicies: () => NOTHING, tagKeys: () => NOTHING },
    });
  }

  store(status: Status, by: string): void {
    const before = this.#object;
    this.#object = objectWith(status);
    this.#kube.onCommit({
      type: 'MODIFIED',
      object: this.#object,
      before,
      by,
    } as unknown as Commit);
  }

  /** Somebody deletes it and applies it again, without the finalizer that would keep it. */
  restore(): void {
    const object = this.#object;
    const seen = { type: 'DELETED', object, before: object, by: 'somebody' };
    this.#kube.onCommit(seen as unknown as Commit);
    this.#object = objectWith(CLEARED, 'another');
  }

  wait(forMs: number): void {
    this.#model.clock.advance(forMs);
  }

  /** The call of the operator reaches AWS. */
  addTag(): void {
    const Tags = [{ Key: 'team', Value: 'a' }];
    const input = { ResourceArns: [this.#arn], Tags };
    const seen = { operation: 'AddTags', input } as unknown as AwsCallSeen;
    this.#aws.during(seen, () => this.#tag({ team: 'a' }));
  }

  #tag(tags: Readonly<Record<string, string>>): void {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    call(this.#model.aws, 'AddTags', { ResourceArns: [this.#arn], Tags });
  }
}

describe('a tag of an adopted balancer', () => {
  it('is on record before it is added', () => {
    const bench = new Bench();
    bench.store(RECORDED, OPERATOR);
    bench.addTag();
    expect(bench.broken).toEqual([]);
  });

  it.each<[string, (bench: Bench) => void]>([
    ['clear status', (bench) => bench.store(CLEARED, 'somebody')],
    ['restore the object without status', (bench) => bench.restore()],
  ])('is on record although users %s while the call is under way', (_, act) => {
    const bench = new Bench();
    bench.store(RECORDED, OPERATOR);
    act(bench);
    bench.addTag();
    expect(bench.broken).toEqual([]);
  });

  it.each<[string, (bench: Bench) => void]>([
    ['it was never on record', () => {}],
    ['the operator itself has taken it off the record', (bench) => bench.store(CLEARED, OPERATOR)],
    [
      'users have cleared status long before',
      (bench) => {
        bench.store(CLEARED, 'somebody');
        bench.wait(30_001);
      },
    ],
  ])('is reported where %s', (name, act) => {
    const bench = new Bench();
    if (!name.includes('never')) bench.store(RECORDED, OPERATOR);
    act(bench);
    bench.addTag();
    expect(bench.broken).toEqual(['record-before-write']);
  });
});
