import type {
  ObservedGraph,
  ObservedListener,
} from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import {
  projectStep,
  type StandingGraph,
} from '../../../../../src/controllers/my-ingress/graph/projection.ts';
import type {
  Call,
  Operation,
  Step,
} from '../../../../../src/controllers/my-ingress/graph/steps.ts';

type Input<Name extends Operation> = Call<Name>['input'];

const BALANCER = 'arn:aws:elasticloadbalancing:us-east-1:0:loadbalancer/app/shop/1';

/** AWS for the steps of one balancer: as their projection says, but that it refuses what AWS would. */
export class MemoryAws {
  readonly defaultGroup = 'sg-default';
  #graph: StandingGraph = {
    loadBalancer: { arn: BALANCER, securityGroups: [this.defaultGroup], vpcId: 'vpc-main' },
    ...{ securityGroups: [], targetGroups: [], listeners: [] },
  };
  #ids = 0;

  observed(): StandingGraph {
    return this.#graph;
  }

  /** Somebody else's change. */
  meddle(change: (observed: ObservedGraph) => Partial<ObservedGraph>): void {
    this.#graph = { ...this.#graph, ...change(this.#graph) } as StandingGraph;
  }

  /** Throws AWS's code where AWS would refuse. */
  apply(step: Step): void {
    const refuse = this.#refusals[step.operation] as
      | ((input: Step['input']) => string | undefined)
      | undefined;
    const code = refuse?.(step.input);
    if (code !== undefined) throw new Error(code);
    if (step.operation.startsWith('Create')) this.#ids += 1;
    const made =
      step.operation === 'CreateSecurityGroup' ? 'sg-' : `${BALANCER}/${step.operation}/`;
    this.#graph = projectStep(this.#graph, step, `${made}${this.#ids}`);
    const [first] = this.#graph.listeners.flatMap(listRepeated);
    if (first !== undefined) throw new Error(first);
    const ports = this.#graph.listeners.map(({ listener }) => listener.port);
    if (new Set(ports).size < ports.length) throw new Error('DuplicateListener');
  }

  readonly #refusals: {
    readonly [Name in Operation]?: (input: Input<Name>) => string | undefined;
  } = {
    CreateTargetGroup: ({ name }) =>
      this.#hasGroup(name) ? 'DuplicateTargetGroupName' : undefined,
    ModifyTargetGroupAttributes: ({ targetGroup }) => this.#refuseUnknown([targetGroup]),
    DeleteTargetGroup: (input) => {
      const group = this.#graph.targetGroups.find(({ targetGroup: { arn } }) => arn === input.arn);
      return group?.targetGroup.loadBalancerArns.length === 0 ? undefined : 'ResourceInUse';
    },
    CreateListener: ({ action }) => this.#refuseUnknownIn(action),
    ModifyListener: ({ action }) => this.#refuseUnknownIn(action),
    CreateRule: ({ listener, action }) =>
      this.#hasListener(listener) ? this.#refuseUnknownIn(action) : 'ListenerNotFound',
    ModifyRule: ({ action }) => this.#refuseUnknownIn(action),
    AddListenerCertificates: ({ listener }) =>
      this.#hasListener(listener) ? undefined : 'ListenerNotFound',
    DeleteSecurityGroup: ({ groupId }) => {
      const { securityGroups } = this.#graph.loadBalancer;
      return securityGroups.includes(groupId) ? 'DependencyViolation' : undefined;
    },
  };

  #refuseUnknownIn(action: Input<'CreateRule'>['action'] | undefined): string | undefined {
    if (action?.kind !== 'forward') return undefined;
    return this.#refuseUnknown(action.targetGroups.map(({ name }) => name));
  }

  #refuseUnknown(names: readonly string[]): string | undefined {
    return names.every((name) => this.#hasGroup(name)) ? undefined : 'TargetGroupNotFound';
  }

  #hasGroup(name: string): boolean {
    return this.#graph.targetGroups.some(({ targetGroup }) => targetGroup.name === name);
  }

  #hasListener(id: string): boolean {
    return this.#graph.listeners.some(({ tags }) => tags['albridge.io/resource'] === id);
  }
}

function listRepeated({ rules }: ObservedListener): readonly string[] {
  const numbers = rules.map(({ rule }) => rule.priority);
  return new Set(numbers).size < numbers.length ? ['PriorityInUse'] : [];
}
