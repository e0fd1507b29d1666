import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import {
  nameSecurityGroup,
  nameTargetGroup,
} from '../../../src/controllers/my-ingress/graph/names.ts';
import type { ObjectName } from '../my-ingress/actions.ts';
import { partsOf } from '../people.ts';
import type { TrafficAction, TrafficMeddling } from './actions.ts';
import type { Claims } from './claims.ts';
import { type Resource, takePicture } from './resources.ts';

export interface OutsiderParts {
  readonly aws: EmbeddedAws;
  readonly cluster: string;
  readonly claims: Claims;
  /** Runs what somebody else does to AWS. */
  readonly around: (act: () => void) => void;
  readonly trace: (line: string) => void;
}

type Of<Kind extends Resource['kind']> = Extract<Resource, { readonly kind: Kind }>;
type Nth = Extract<TrafficMeddling, { readonly nth: number }>;

/** A deregistration delay, in seconds, that no spec has. */
export const THEIR_DELAY = '77';
const OUTSIDER = { userAgent: 'somebody else' } as const;
const VPC = 'vpc-main';
const LIMITS = {
  rules: 'rules-per-application-load-balancer',
  targets: 'targets-per-application-load-balancer',
} as const;
const TEAPOT = {
  Type: 'fixed-response',
  FixedResponseConfig: { StatusCode: '418', ContentType: 'text/plain', MessageBody: 'theirs' },
} as const;

/** Whoever else works in the account, as far as traffic goes. */
export class Outsider {
  readonly #parts: OutsiderParts;
  /** What squatters made, by object. */
  readonly #squatted = new Map<ObjectName, (() => void)[]>();

  constructor(parts: OutsiderParts) {
    this.#parts = parts;
  }

  perform(action: TrafficAction): void {
    switch (action.do) {
      case 'meddle':
        return this.#meddle(action.at, action.meddling);
      case 'squat':
        return action.what === 'targetGroup'
          ? this.#squatGroup(action.at)
          : this.#squatSecurityGroup(action.at);
      case 'leave':
        for (const leave of this.#squatted.get(action.at)?.splice(0) ?? []) leave();
        return;
      case 'limit':
        return this.#parts.aws.control.changeSettings({
          limits: { [LIMITS[action.name]]: action.most },
        });
      default:
        return action satisfies never;
    }
  }

  #meddle(at: ObjectName, meddling: TrafficMeddling): void {
    if ('port' in meddling) return this.#meddleWithPort(at, meddling);
    if ('kind' in meddling) return this.#meddleWithTag(at, meddling);
    switch (meddling.what) {
      case 'allowIngress':
      case 'revokeIngress':
        return this.#meddleWithIngress(at, meddling.what);
      case 'deleteListener':
      case 'editListener':
        return this.#meddleWithListener(at, meddling);
      default:
        return isOfRule(meddling)
          ? this.#meddleWithRule(at, meddling)
          : this.#meddleWithGroup(at, meddling);
    }
  }

  #meddleWithListener(at: ObjectName, { what, nth }: Nth): void {
    const listener = this.#nth(this.#own(at, 'listener'), nth);
    if (listener === undefined) return;
    if (what === 'deleteListener') this.#call('DeleteListener', { ListenerArn: listener.key });
    else this.#call('ModifyListener', { ListenerArn: listener.key, DefaultActions: [TEAPOT] });
  }

  #meddleWithRule(at: ObjectName, meddling: Nth): void {
    if (meddling.what === 'addRule') {
      const listener = this.#nth(this.#own(at, 'listener'), meddling.nth);
      if (listener === undefined) return;
      return this.#call('CreateRule', {
        ListenerArn: listener.key,
        Priority: meddling.priority,
        Conditions: [{ Field: 'path-pattern', PathPatternConfig: { Values: ['/theirs'] } }],
        Actions: [TEAPOT],
      });
    }
    const rule = this.#nth(this.#own(at, 'rule'), meddling.nth);
    if (rule === undefined) return;
    const RuleArn = rule.key;
    if (meddling.what === 'deleteRule') this.#call('DeleteRule', { RuleArn });
    else if (meddling.what === 'editRule') this.#call('ModifyRule', { RuleArn, Actions: [TEAPOT] });
    else this.#call('SetRulePriorities', { RulePriorities: [{ RuleArn, Priority: 4321 }] });
  }

  #meddleWithGroup(at: ObjectName, { what, nth }: Nth): void {
    const group = this.#nth(this.#own(at, 'targetGroup'), nth);
    if (group === undefined) return;
    const TargetGroupArn = group.key;
    switch (what) {
      case 'deleteGroup':
        for (const { key } of this.#own(at, 'listener')) {
          this.#call('DeleteListener', { ListenerArn: key });
        }
        return this.#call('DeleteTargetGroup', { TargetGroupArn });
      case 'editHealthCheck':
        return this.#call('ModifyTargetGroup', { TargetGroupArn, HealthCheckPath: '/theirs' });
      case 'editAttribute': {
        const Attributes = [{ Key: 'deregistration_delay.timeout_seconds', Value: THEIR_DELAY }];
        return this.#call('ModifyTargetGroupAttributes', { TargetGroupArn, Attributes });
      }
      case 'deregister': {
        const Targets = [...group.record.targets.values()].map(({ id: Id, port: Port }) => ({
          Id,
          Port,
        }));
        if (Targets.length > 0) this.#call('DeregisterTargets', { TargetGroupArn, Targets });
        return;
      }
      default:
        return this.#call('RegisterTargets', {
          TargetGroupArn,
          Targets: [{ Id: '10.0.2.250', Port: 9999 }],
        });
    }
  }

  #meddleWithPort(
    at: ObjectName,
    { what, port }: Extract<TrafficMeddling, { readonly port: number }>,
  ): void {
    if (what === 'handOver') return this.#handOver(at, port);
    const [one] = this.#own(at, 'listener');
    if (one === undefined) return;
    const input = { LoadBalancerArn: one.record.balancerArn, Port: port, Protocol: 'HTTP' };
    this.#call('CreateListener', { ...input, DefaultActions: [TEAPOT] });
  }

  #handOver(at: ObjectName, port: number): void {
    const { aws, claims, cluster } = this.#parts;
    const [one] = this.#own(at, 'listener');
    const theirs = aws.world.traffic.listeners.all().find((listener) => {
      const isHere = listener.balancerArn === one?.record.balancerArn && listener.port === port;
      return isHere && claims.ownerOf(listener) === undefined;
    });
    if (theirs === undefined) return;
    const consent = { [ownershipTagKeys.cluster]: cluster, [ownershipTagKeys.adopt]: at };
    const Tags = Object.entries(consent).map(([Key, Value]) => ({ Key, Value }));
    this.#call('AddTags', { ResourceArns: [theirs.arn], Tags });
  }

  #meddleWithIngress(at: ObjectName, what: 'allowIngress' | 'revokeIngress'): void {
    const [group] = this.#own(at, 'securityGroup');
    if (group === undefined) return;
    const first = group.record.ingress.find(({ source }) => source.kind === 'ipv4');
    if (what === 'revokeIngress' && first !== undefined) {
      const { from: FromPort, to: ToPort } = first.ports ?? {};
      const IpRanges = [{ CidrIp: first.source.value }];
      const IpPermissions = [{ IpProtocol: 'tcp', FromPort, ToPort, IpRanges }];
      return this.#call('RevokeSecurityGroupIngress', { GroupId: group.key, IpPermissions });
    }
    const theirs = { IpProtocol: 'tcp', FromPort: 22, ToPort: 22 };
    const IpPermissions = [{ ...theirs, IpRanges: [{ CidrIp: '192.0.2.0/24' }] }];
    this.#call('AuthorizeSecurityGroupIngress', { GroupId: group.key, IpPermissions });
  }

  #meddleWithTag(
    at: ObjectName,
    meddling: Extract<TrafficMeddling, { readonly what: 'copyTags' | 'tag' | 'untag' }>,
  ): void {
    if (meddling.what === 'copyTags') return this.#copyTags(at, meddling.kind);
    const { what, kind, key } = meddling;
    const [one] = this.#own(at, kind);
    if (one === undefined) return;
    const Tags = [{ Key: key, Value: 'theirs' }];
    if (kind === 'securityGroup') {
      const given = what === 'tag' ? Tags : [{ Key: key }];
      const operation = what === 'tag' ? 'CreateTags' : 'DeleteTags';
      return this.#call(operation, { Resources: [one.key], Tags: given });
    }
    if (what === 'tag') this.#call('AddTags', { ResourceArns: [one.key], Tags });
    else this.#call('RemoveTags', { ResourceArns: [one.key], TagKeys: [key] });
  }

  #copyTags(at: ObjectName, kind: 'rule' | 'targetGroup' | 'securityGroup'): void {
    const [listener] = this.#own(at, 'listener');
    const { record } = listener ?? {};
    const balancer = record && this.#parts.aws.world.balancers.byArn(record.balancerArn);
    if (listener === undefined || balancer === undefined) return;
    const Tags = [...balancer.tags].map(([Key, Value]) => ({ Key, Value }));
    if (kind === 'securityGroup') {
      const TagSpecifications = [{ ResourceType: 'security-group', Tags }];
      const input = { GroupName: 'theirs', Description: 'theirs', VpcId: VPC };
      return this.#call('CreateSecurityGroup', { ...input, TagSpecifications });
    }
    const group = kind === 'targetGroup' ? this.#createGroup('theirs', Tags) : undefined;
    this.#call('CreateRule', {
      ...{ ListenerArn: listener.key, Priority: 3210, Tags },
      Conditions: [{ Field: 'path-pattern', PathPatternConfig: { Values: ['/theirs'] } }],
      Actions: [group === undefined ? TEAPOT : { Type: 'forward', TargetGroupArn: group }],
    });
  }

  #squatGroup(at: ObjectName): void {
    const fixed = { protocol: 'HTTP', protocolVersion: 'HTTP1', targetType: 'ip' } as const;
    const Name = nameTargetGroup(
      { cluster: this.#parts.cluster, ...partsOf(at) },
      { source: 'spec', name: 'web' },
      { ...fixed, ipAddressType: 'ipv4', vpcId: VPC },
    );
    const TargetGroupArn = this.#createGroup(Name);
    if (TargetGroupArn === undefined) return;
    this.#willLeave(at, () => this.#call('DeleteTargetGroup', { TargetGroupArn }));
  }

  /** With the settings of a backend that has none: a create under this name answers with this group. Returns its ARN. */
  #createGroup(Name: string, Tags?: readonly object[]): string | undefined {
    const input = { Name, Protocol: 'HTTP', Port: 80, VpcId: VPC, TargetType: 'ip', Tags };
    const check = {
      ...{ HealthCheckPath: '/', HealthCheckIntervalSeconds: 15, HealthCheckTimeoutSeconds: 5 },
      ...{ HealthyThresholdCount: 2, UnhealthyThresholdCount: 2, Matcher: { HttpCode: '200' } },
    };
    const answer = this.#ask('CreateTargetGroup', { ...input, ...check }) as
      | { readonly TargetGroups: readonly { readonly TargetGroupArn: string }[] }
      | undefined;
    return answer?.TargetGroups[0]?.TargetGroupArn;
  }

  #squatSecurityGroup(at: ObjectName): void {
    const GroupName = nameSecurityGroup({ cluster: this.#parts.cluster, ...partsOf(at) });
    const input = { GroupName, Description: 'theirs', VpcId: VPC };
    const answer = this.#ask('CreateSecurityGroup', input) as
      | { readonly GroupId: string }
      | undefined;
    if (answer === undefined) return;
    const { GroupId } = answer;
    this.#willLeave(at, () => this.#call('DeleteSecurityGroup', { GroupId }));
  }

  #willLeave(at: ObjectName, leave: () => void): void {
    this.#squatted.set(at, [...(this.#squatted.get(at) ?? []), leave]);
  }

  #own<Kind extends Resource['kind']>(at: ObjectName, kind: Kind): readonly Of<Kind>[] {
    const { aws, claims } = this.#parts;
    const all = [...takePicture(aws.world).values()];
    return all.filter((one): one is Of<Kind> => one.kind === kind && claims.ownerOf(one) === at);
  }

  #nth<T>(items: readonly T[], nth: number): T | undefined {
    return items[nth % Math.max(1, items.length)];
  }

  #call(operation: string, input: object): void {
    this.#ask(operation, input);
  }

  /** Refused like anybody else; then nothing has happened. */
  #ask(operation: string, input: object): unknown {
    const { aws, around, trace } = this.#parts;
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
    }
    return answer;
  }
}

type RuleMeddling = Extract<
  TrafficMeddling,
  { readonly what: 'deleteRule' | 'editRule' | 'moveRule' | 'addRule' }
>;

function isOfRule(meddling: TrafficMeddling): meddling is RuleMeddling {
  return meddling.what.endsWith('Rule');
}
