import type { Permission } from '../../../../../src/aws/ec2/security-groups.ts';
import type { Action, Rule, Tags } from '../../../../../src/aws/elbv2/traffic.ts';
import type {
  DesiredAction,
  ObservedGraph,
  ObservedListener,
  ObservedRule,
  ObservedTargetGroup,
} from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import type {
  Call,
  Operation,
  Step,
} from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import { attributeDefaults } from '../../../../../src/controllers/my-ingress/target-groups/attribute-defaults.ts';

type Input<Name extends Operation> = Call<Name>['input'];

const BALANCER = 'arn:aws:elasticloadbalancing:us-east-1:0:loadbalancer/app/shop/1';

/** AWS for the steps of one balancer; throws AWS's code where AWS would refuse. */
export class MemoryAws {
  readonly defaultGroup = 'sg-default';
  #securityGroups: ObservedGraph['securityGroups'] = [];
  #targetGroups: readonly ObservedTargetGroup[] = [];
  #listeners: readonly ObservedListener[] = [];
  #attached: readonly string[] = [this.defaultGroup];
  #ids = 0;

  observed(): ObservedGraph {
    return {
      loadBalancer: { arn: BALANCER, securityGroups: this.#attached },
      securityGroups: this.#securityGroups,
      targetGroups: this.#targetGroups.map((one) => ({
        ...one,
        targetGroup: { ...one.targetGroup, loadBalancerArns: this.#usersOf(one.targetGroup.arn) },
      })),
      // As they are read: only HTTPS has any.
      listeners: this.#listeners.map((one) => ({
        ...one,
        ...(one.listener.protocol === 'HTTPS' && { certificates: one.listener.certificates }),
      })),
    };
  }

  /** Somebody else's change. */
  meddle(change: (observed: ObservedGraph) => Partial<ObservedGraph>): void {
    const changed = change(this.observed());
    this.#listeners = changed.listeners ?? this.#listeners;
    this.#targetGroups = changed.targetGroups ?? this.#targetGroups;
    this.#securityGroups = changed.securityGroups ?? this.#securityGroups;
  }

  apply({ operation, input }: Step): void {
    (this.#handlers[operation] as (given: typeof input) => void)(input);
  }

  readonly #handlers: { readonly [Name in Operation]: (input: Input<Name>) => void } = {
    CreateTargetGroup: (input) => this.#createTargetGroup(input),
    ModifyTargetGroup: ({ arn, healthCheck }) =>
      this.#changeGroup(arn, (one) => ({
        ...one,
        targetGroup: { ...one.targetGroup, healthCheck },
      })),
    ModifyTargetGroupAttributes: ({ targetGroup, attributes }) =>
      this.#changeGroup(this.#arnOf(targetGroup), (one) => ({
        ...one,
        attributes: { ...one.attributes, ...attributes },
      })),
    DeleteTargetGroup: ({ arn }) => {
      refuseIf(this.#usersOf(arn).length > 0, 'ResourceInUse');
      this.#targetGroups = this.#targetGroups.filter((one) => one.targetGroup.arn !== arn);
    },
    CreateListener: (input) => this.#createListener(input),
    ModifyListener: (input) => this.#modifyListener(input),
    DeleteListener: ({ arn }) => {
      this.#listeners = this.#listeners.filter(({ listener }) => listener.arn !== arn);
    },
    AddListenerCertificates: ({ listener, certificate }) =>
      this.#changeFurther(listener, (others) => [...new Set([...others, certificate])]),
    RemoveListenerCertificates: ({ listener, certificate }) =>
      this.#changeFurther(listener, (others) => others.filter((other) => other !== certificate)),
    CreateRule: (input) => this.#createRule(input),
    ModifyRule: ({ arn, conditions, action }) => {
      const given = {
        ...(conditions !== undefined && { conditions }),
        ...(action !== undefined && { actions: this.#echo(action) }),
      };
      this.#changeRules((one) =>
        one.rule.arn === arn ? [{ ...one, rule: { ...one.rule, ...given } }] : [one],
      );
    },
    DeleteRule: ({ arn }) => this.#changeRules((one) => (one.rule.arn === arn ? [] : [one])),
    SetRulePriorities: (input) => this.#setPriorities(input),
    AddTags: ({ resource, tags }) => this.#retag(resource, (before) => ({ ...before, ...tags })),
    CreateTags: ({ resource, tags }) => this.#retag(resource, (before) => ({ ...before, ...tags })),
    RemoveTags: ({ resource, keys }) => this.#retag(resource, (before) => without(before, keys)),
    DeleteTags: ({ resource, tags }) =>
      this.#retag(resource, (before) => without(before, Object.keys(tags))),
    CreateSecurityGroup: ({ name, vpcId, tags }) => {
      this.#ids += 1;
      const securityGroup = { id: `sg-${this.#ids}`, name, vpcId, ingress: [] };
      this.#securityGroups = [...this.#securityGroups, { securityGroup, tags }];
    },
    AuthorizeSecurityGroupIngress: ({ ingress }) =>
      this.#changeIngress((before) => [...before, ...ingress]),
    RevokeSecurityGroupIngress: ({ ingress }) =>
      this.#changeIngress((before) =>
        before.filter((one) => !ingress.some((other) => isSame(one, other))),
      ),
    SetSecurityGroups: ({ groups }) => {
      const own = this.#securityGroups[0]?.securityGroup.id ?? 'none';
      this.#attached = groups.map((group) => ('id' in group ? group.id : own));
    },
    DeleteSecurityGroup: ({ groupId }) => {
      refuseIf(this.#attached.includes(groupId), 'DependencyViolation');
      this.#securityGroups = this.#securityGroups.filter(
        ({ securityGroup: { id } }) => id !== groupId,
      );
    },
  };

  #createRule({ listener, priority, conditions, action, tags }: Input<'CreateRule'>): void {
    const rule: Rule = {
      ...{ arn: this.#newArn('listener-rule'), priority, conditions, hasTransforms: false },
      actions: this.#echo(action),
    };
    this.#changeListener(this.#listenerOf(listener), (one) => {
      const isTaken = one.rules.some((other) => other.rule.priority === priority);
      refuseIf(isTaken, 'PriorityInUse');
      return { ...one, rules: [...one.rules, { rule, tags }] };
    });
  }

  #setPriorities({ priorities }: Input<'SetRulePriorities'>): void {
    const moved = new Map(priorities.map(({ arn, priority }) => [arn, priority] as const));
    this.#changeRules((one) => {
      const priority = moved.get(one.rule.arn) ?? one.rule.priority;
      return [{ ...one, rule: { ...one.rule, priority } }];
    });
    for (const { rules } of this.#listeners) {
      const numbers = rules.map(({ rule }) => rule.priority);
      refuseIf(new Set(numbers).size < numbers.length, 'PriorityInUse');
    }
  }

  #createTargetGroup({
    name,
    port,
    healthCheck,
    tags,
    ...fixed
  }: Input<'CreateTargetGroup'>): void {
    const isTaken = this.#targetGroups.some(({ targetGroup }) => targetGroup.name === name);
    refuseIf(isTaken, 'DuplicateTargetGroupName');
    const arn = this.#newArn('targetgroup');
    const targetGroup = { ...fixed, arn, name, port, healthCheck, loadBalancerArns: [] };
    const attributes = attributeDefaults;
    this.#targetGroups = [...this.#targetGroups, { targetGroup, tags, attributes }];
  }

  #createListener(input: Input<'CreateListener'>): void {
    const { port, protocol, sslPolicy, certificate, action, tags } = input;
    const isTaken = this.#listeners.some(({ listener }) => listener.port === port);
    refuseIf(isTaken, 'DuplicateListener');
    const listener = {
      ...{ arn: this.#newArn('listener'), loadBalancerArn: BALANCER, port, protocol },
      ...(sslPolicy !== undefined && { sslPolicy }),
      certificates: certificate === undefined ? [] : [certificate],
      defaultActions: this.#echo(action),
    };
    this.#listeners = [...this.#listeners, { listener, tags, rules: [] }];
  }

  #modifyListener({ arn, action, certificate, ...rest }: Input<'ModifyListener'>): void {
    this.#changeListener(arn, (one) => {
      const [, ...others] = one.listener.certificates;
      const isPlain = (rest.protocol ?? one.listener.protocol) === 'HTTP';
      const changed =
        certificate === undefined ? one.listener.certificates : [certificate, ...others];
      const { sslPolicy: _, ...plain } = { ...one.listener, ...rest };
      const listener = {
        ...(isPlain ? plain : { ...one.listener, ...rest }),
        certificates: isPlain ? [] : changed,
        ...(action !== undefined && { defaultActions: this.#echo(action) }),
      };
      return { ...one, listener };
    });
    const ports = this.#listeners.map(({ listener }) => listener.port);
    refuseIf(new Set(ports).size < ports.length, 'DuplicateListener');
  }

  #echo(action: DesiredAction): readonly Action[] {
    if (action.kind !== 'forward') return [action];
    const { targetGroups, ...rest } = action;
    const named = targetGroups.map(({ name, weight }) => ({ arn: this.#arnOf(name), weight }));
    return [{ ...rest, targetGroups: named }];
  }

  #arnOf(name: string): string {
    const found = this.#targetGroups.find(({ targetGroup }) => targetGroup.name === name);
    refuseIf(found === undefined, 'TargetGroupNotFound');
    return found?.targetGroup.arn ?? '';
  }

  #listenerOf(id: string): string {
    const found = this.#listeners.find(({ tags }) => tags['albridge.io/resource'] === id);
    refuseIf(found === undefined, 'ListenerNotFound');
    return found?.listener.arn ?? '';
  }

  #usersOf(arn: string): readonly string[] {
    const actions = this.#listeners.flatMap(({ listener, rules }) => [
      ...listener.defaultActions,
      ...rules.flatMap(({ rule }) => rule.actions),
    ]);
    const isUsed = actions.some((action) => {
      return action.kind === 'forward' && action.targetGroups.some((group) => group.arn === arn);
    });
    return isUsed ? [BALANCER] : [];
  }

  #changeGroup(arn: string, change: (one: ObservedTargetGroup) => ObservedTargetGroup): void {
    this.#targetGroups = this.#targetGroups.map((one) =>
      one.targetGroup.arn === arn ? change(one) : one,
    );
  }

  #changeListener(arn: string, change: (one: ObservedListener) => ObservedListener): void {
    this.#listeners = this.#listeners.map((one) => (one.listener.arn === arn ? change(one) : one));
  }

  /** The certificates beside the default one. */
  #changeFurther(id: string, change: (others: readonly string[]) => readonly string[]): void {
    this.#changeListener(this.#listenerOf(id), (one) => {
      const [first = '', ...others] = one.listener.certificates;
      return { ...one, listener: { ...one.listener, certificates: [first, ...change(others)] } };
    });
  }

  #changeRules(change: (one: ObservedRule) => readonly ObservedRule[]): void {
    this.#listeners = this.#listeners.map((one) => ({ ...one, rules: one.rules.flatMap(change) }));
  }

  #changeIngress(change: (ingress: readonly Permission[]) => readonly Permission[]): void {
    this.#securityGroups = this.#securityGroups.map(({ securityGroup, tags }) => ({
      securityGroup: { ...securityGroup, ingress: change(securityGroup.ingress) },
      tags,
    }));
  }

  #retag(resource: string, change: (tags: Tags) => Tags): void {
    const changed = <T extends { readonly tags: Tags }>(key: string, one: T): T =>
      key === resource ? { ...one, tags: change(one.tags) } : one;
    this.#targetGroups = this.#targetGroups.map((one) => changed(one.targetGroup.arn, one));
    this.#securityGroups = this.#securityGroups.map((one) => changed(one.securityGroup.id, one));
    this.#listeners = this.#listeners
      .map((one) => changed(one.listener.arn, one))
      .map((one) => ({ ...one, rules: one.rules.map((rule) => changed(rule.rule.arn, rule)) }));
  }

  #newArn(kind: string): string {
    this.#ids += 1;
    return `arn:aws:elasticloadbalancing:us-east-1:0:${kind}/${this.#ids}`;
  }
}

function without(tags: Tags, keys: readonly string[]): Tags {
  return Object.fromEntries(Object.entries(tags).filter(([key]) => !keys.includes(key)));
}

function isSame(one: Permission, other: Permission): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function refuseIf(isRefused: boolean, code: string): void {
  if (isRefused) throw new Error(code);
}
