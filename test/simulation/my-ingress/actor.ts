import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { type MyIngress, ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import { deriveDefaultName } from '../../../src/controllers/my-ingress/identity.ts';
import {
  PAUSED_ANNOTATION,
  RECONCILE_REQUESTED_ANNOTATION,
} from '../../../src/core/objects/annotations.ts';
import type { Clock } from '../../../src/core/ports/clock.ts';
import type { ApiServerModel } from '../api-model/api-server-model.ts';
import { People, partsOf } from '../people.ts';
import type { Account, Balancer } from './account.ts';
import type { Meddling, MyIngressAction, ObjectName, SpecChange, SpecPlan } from './actions.ts';
import { MY_INGRESSES } from './kind.ts';
import { GROUPS } from './specs.ts';

export interface ActorParts {
  readonly model: ApiServerModel;
  readonly aws: EmbeddedAws;
  readonly clock: Clock;
  readonly account: Account;
  readonly cluster: string;
  readonly isCalm: boolean;
  /** Runs what somebody else does to AWS. */
  readonly around: (act: () => void) => void;
  readonly trace: (line: string) => void;
}

type Patch = Readonly<Record<string, unknown>>;

type KubectlVerb = 'create' | 'edit' | 'unset' | 'delete' | 'pause' | 'goOn' | 'request';

const OUTSIDER = { userAgent: 'somebody else' } as const;
const ANY_ARN = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app';
/** Not taken for an ARN by AWS; taken for one. */
const UNKNOWN_ARN = `${ANY_ARN}/none/1`;
const GONE_ARN = `${ANY_ARN}/gone/0123456789abcdef`;

/** The people of the world: users with kubectl, and whoever else works in the AWS account. */
export class Actor {
  readonly #parts: ActorParts;
  readonly #people: People;
  /** Balancers made by `legacy` and `squat`, by the name in the scenario. */
  readonly #made = new Map<string, string>();

  constructor(parts: ActorParts) {
    this.#parts = parts;
    this.#people = new People(parts);
  }

  perform(action: MyIngressAction): void {
    switch (action.do) {
      case 'create':
        return this.#people.create(MY_INGRESSES, action.at, { spec: this.#specOf(action.spec) });
      case 'edit':
        return this.#people.patch(MY_INGRESSES, action.at, { spec: this.#specOf(action.change) });
      case 'unset':
        return this.#people.patch(MY_INGRESSES, action.at, { spec: { [action.field]: null } });
      case 'delete':
        return this.#people.delete(MY_INGRESSES, action.at);
      case 'deleteInSpite':
        return this.#deleteInSpite(action.at, action.lateMs);
      case 'pause':
        return this.#people.annotate(MY_INGRESSES, action.at, { [PAUSED_ANNOTATION]: 'true' });
      case 'goOn':
        return this.#people.annotate(MY_INGRESSES, action.at, { [PAUSED_ANNOTATION]: null });
      case 'request':
        return this.#people.annotate(MY_INGRESSES, action.at, {
          [RECONCILE_REQUESTED_ANNOTATION]: action.token,
        });
      default:
        return this.#takeRecord(action);
    }
  }

  #takeRecord(action: Exclude<MyIngressAction, { do: KubectlVerb }>): void {
    switch (action.do) {
      case 'restore':
        return this.#restore(action.at, action.spec);
      case 'forget':
        return this.#people.patchStatus(MY_INGRESSES, action.at, { alb: null, applied: null });
      case 'forge':
        return this.#people.patchStatus(MY_INGRESSES, action.at, { alb: { arn: GONE_ARN } });
      case 'forgeArn':
        return this.#forgeArn(action.at, this.#made.get(action.arnOf));
      case 'deleteInSpite':
        return this.#deleteInSpite(action.at, action.lateMs);
      default:
        return this.#inAws(action);
    }
  }

  #restore(at: ObjectName, plan: SpecPlan | undefined): void {
    const { account, model } = this.#parts;
    const stored = model.table.get(MY_INGRESSES, at)?.['spec'];
    const spec = plan === undefined ? stored : this.#specOf(plan);
    if (spec === undefined) return;
    account.restored.add(at);
    this.#people.patch(MY_INGRESSES, at, { metadata: { finalizers: null } });
    this.#people.delete(MY_INGRESSES, at);
    this.#people.create(MY_INGRESSES, at, { spec });
  }

  /** Where AWS refused to make the balancer of others there is nothing to name. */
  #forgeArn(at: ObjectName, arn: string | undefined): void {
    if (arn === undefined) return;
    this.#people.patchStatus(MY_INGRESSES, at, { alb: { arn, name: 'forged' } });
  }

  /** A process that is killed meanwhile leaves the balancer: decision 0009. */
  #deleteInSpite(at: ObjectName, lateMs?: number): void {
    if (!this.#parts.isCalm) return this.#people.delete(MY_INGRESSES, at);
    this.#parts.account.goneInSpite.add(at);
    this.#people.deleteInSpite(MY_INGRESSES, at, lateMs);
  }

  /** What somebody does in the AWS account, or with what is in it. */
  #inAws(
    action: Extract<
      MyIngressAction,
      { do: 'meddle' | 'squat' | 'plant' | 'leave' | 'legacy' | 'quota' }
    >,
  ): void {
    const { aws, account, cluster } = this.#parts;
    switch (action.do) {
      case 'meddle':
        return this.#meddle(action.at, action.meddling);
      case 'squat':
      case 'plant': {
        const name = action.spec.name ?? defaultNameOf(cluster, action.at);
        const planted = action.do === 'plant' ? ownTagsOf(cluster, action.at) : {};
        return this.#make(action.at, { ...action.spec, name }, { ...action.tags, ...planted });
      }
      case 'leave':
        return this.#leave(action.at);
      case 'legacy': {
        const consent = action.consentFor && {
          [ownershipTagKeys.cluster]: cluster,
          [ownershipTagKeys.adopt]: action.consentFor,
        };
        const spec = { securityGroups: [...GROUPS], ...action.spec, name: action.name };
        return this.#make(action.name, spec, { ...action.tags, ...consent });
      }
      case 'quota':
        aws.control.changeSettings({ quota: action.quota });
        account.remember();
        return;
      default:
        return action satisfies never;
    }
  }

  #specOf({ adopt, ...spec }: SpecChange): Patch {
    if (adopt === undefined || adopt === null) return spec;
    return { ...spec, adopt: { arn: this.#made.get(adopt) ?? UNKNOWN_ARN } };
  }

  #make(key: string, spec: SpecPlan, tags: Readonly<Record<string, string>>): void {
    const before = new Set(this.#parts.account.balancers.map((balancer) => balancer.arn));
    const answer = this.#call('CreateLoadBalancer', {
      Name: spec.name,
      Type: 'application',
      Scheme: spec.scheme ?? 'internet-facing',
      Subnets: spec.subnets,
      IpAddressType: spec.ipAddressType ?? 'ipv4',
      ...(spec.securityGroups && { SecurityGroups: spec.securityGroups }),
      ...(Object.keys(tags).length > 0 && { Tags: pairs(tags) }),
    }) as { readonly LoadBalancers?: readonly { readonly LoadBalancerArn: string }[] } | undefined;
    const arn = answer?.LoadBalancers?.[0]?.LoadBalancerArn;
    // The same settings as somebody's balancer answer with that one.
    if (arn === undefined || before.has(arn)) return;
    this.#made.set(key, arn);
    this.#parts.account.recordMade(arn, spec.securityGroups);
  }

  #leave(at: ObjectName): void {
    const arn = this.#made.get(at);
    if (arn !== undefined) this.#call('DeleteLoadBalancer', { LoadBalancerArn: arn });
  }

  #meddle(at: ObjectName, meddling: Meddling): void {
    const { namespace, name } = partsOf(at);
    const { account } = this.#parts;
    const held = account.of(namespace, name)[0] ?? this.#releasedOf(at);
    if (held !== undefined) this.#meddleWith(held, meddling, at);
  }

  /** What the status of the object names, if it was let go by hand. */
  #releasedOf(at: ObjectName): Balancer | undefined {
    const { account } = this.#parts;
    const arn = this.#recordOf(at);
    if (arn === undefined || !account.releasedByHand.has(arn)) return undefined;
    return account.balancers.find((one) => one.arn === arn);
  }

  /** The balancer that the status of the object names. */
  #recordOf(at: ObjectName): string | undefined {
    const stored = this.#parts.model.table.get(MY_INGRESSES, at);
    return (stored as unknown as MyIngress | undefined)?.status?.alb?.arn;
  }

  #meddleWith(held: Balancer, meddling: Meddling, at: ObjectName): void {
    const { arn } = held;
    switch (meddling.what) {
      case 'delete':
        this.#call(
          'ModifyLoadBalancerAttributes',
          attributeInput(arn, 'deletion_protection.enabled', 'false'),
        );
        return void this.#call('DeleteLoadBalancer', { LoadBalancerArn: arn });
      case 'state':
        this.#parts.aws.control.setState(held.name, { code: meddling.code });
        return void this.#parts.account.remember();
      case 'subnets':
        return void this.#call('SetSubnets', { LoadBalancerArn: arn, Subnets: meddling.subnets });
      case 'securityGroups':
        this.#parts.account.givenGroups.delete(arn);
        return void this.#call('SetSecurityGroups', {
          LoadBalancerArn: arn,
          SecurityGroups: meddling.groups,
        });
      case 'ipAddressType':
        return void this.#call('SetIpAddressType', {
          LoadBalancerArn: arn,
          IpAddressType: meddling.type,
        });
      case 'attribute':
        noted(this.#parts.account.meddledAttributes, arn, meddling.key);
        return void this.#call(
          'ModifyLoadBalancerAttributes',
          attributeInput(arn, meddling.key, meddling.value),
        );
      default:
        return this.#meddleWithTags(arn, meddling, at);
    }
  }

  #meddleWithTags(
    arn: string,
    meddling: Extract<Meddling, { what: 'tag' | 'untag' | 'release' | 'restore' }>,
    at: ObjectName,
  ): void {
    const { account, cluster } = this.#parts;
    const tag = (tags: Readonly<Record<string, string>>): unknown =>
      this.#call('AddTags', { ResourceArns: [arn], Tags: pairs(tags) });
    switch (meddling.what) {
      case 'tag':
        noted(account.meddledTags, arn, meddling.key);
        return void tag({ [meddling.key]: meddling.value });
      case 'restore':
        if (this.#recordOf(at) === arn) account.releasedByHand.delete(arn);
        return void tag(ownTagsOf(cluster, at));
      case 'release':
        account.releasedByHand.add(arn);
        return void this.#call('RemoveTags', { ResourceArns: [arn], TagKeys: [meddling.key] });
      case 'untag':
        if (meddling.key === ownershipTagKeys.uid && this.#recordOf(at) !== arn) {
          // Neither the tags nor a record say whose it is.
          account.releasedByHand.add(arn);
        }
        return void this.#call('RemoveTags', { ResourceArns: [arn], TagKeys: [meddling.key] });
      default:
        return meddling satisfies never;
    }
  }

  /** Outsiders are refused like anybody else; then nothing has happened. */
  #call(operation: string, input: object): unknown {
    const { aws, account, around, trace } = this.#parts;
    const { budget } = aws.control.settings();
    let answer: unknown;
    aws.control.changeSettings({ budget: 'off' });
    try {
      around(() => {
        answer = aws.handle(operation, input as never, OUTSIDER);
      });
    } catch (error) {
      trace(`  ${operation}: ${(error as Error).message}`);
    } finally {
      aws.control.changeSettings({ budget });
      account.remember();
    }
    return answer;
  }
}

function defaultNameOf(cluster: string, at: ObjectName): string {
  return deriveDefaultName({ cluster, ...partsOf(at) });
}

/** The three ownership tags. */
function ownTagsOf(cluster: string, at: ObjectName): Readonly<Record<string, string>> {
  const { namespace, name } = partsOf(at);
  return {
    [ownershipTagKeys.cluster]: cluster,
    [ownershipTagKeys.namespace]: namespace,
    [ownershipTagKeys.name]: name,
  };
}

function attributeInput(arn: string, key: string, value: string): object {
  return { LoadBalancerArn: arn, Attributes: [{ Key: key, Value: value }] };
}

function pairs(tags: Readonly<Record<string, string>>): readonly object[] {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

function noted(into: Map<string, Set<string>>, arn: string, key: string): void {
  into.set(arn, (into.get(arn) ?? new Set()).add(key));
}
