import type { ListenerProtocol } from '../listeners/listener.ts';
import type { LoadBalancer } from '../load-balancers/balancer-store.ts';
import type { TrafficRecord } from '../traffic/record-store.ts';

/** One rule of a listener. The default one has no conditions and holds the listener's DefaultActions. */
export interface Rule extends TrafficRecord {
  readonly listenerArn: string;
  readonly balancerArn: string;
  readonly priority: number | 'default';
  readonly conditions: readonly Condition[];
  readonly actions: readonly Action[];
  readonly transforms: readonly Transform[];
}

/** As AWS echoes it: with the short and the long form. */
export type Condition = Readonly<Record<string, unknown>> & { readonly Field: string };

/** As AWS echoes it. */
export type Transform = Readonly<Record<string, unknown>> & { readonly Type: string };

export type Action = ForwardAction | RedirectAction | FixedResponseAction;

interface Ordered {
  readonly order?: number;
}

export interface ForwardAction extends Ordered {
  readonly kind: 'forward';
  readonly groups: readonly { readonly arn: string; readonly weight: number }[];
  readonly stickiness: { readonly enabled: boolean; readonly durationSeconds?: number };
}

export interface RedirectAction extends Ordered {
  readonly kind: 'redirect';
  readonly protocol: string;
  readonly port: string;
  readonly host: string;
  readonly path: string;
  readonly query: string;
  readonly statusCode: string;
}

export interface FixedResponseAction extends Ordered {
  readonly kind: 'fixed-response';
  readonly statusCode: string;
  readonly contentType?: string;
  readonly messageBody?: string;
}

/** Where actions are to be carried out. */
export interface ActionPlace {
  readonly balancer: LoadBalancer;
  readonly protocol: ListenerProtocol;
  /** The listener's. */
  readonly port: number;
  /** The rule whose actions these replace, if it exists. */
  readonly replaced?: Rule | undefined;
}

/** Each target group that the actions name, once. */
export function forwardedArns(actions: readonly Action[]): readonly string[] {
  const arns = actions.flatMap((action) =>
    action.kind === 'forward' ? action.groups.map((group) => group.arn) : [],
  );
  return [...new Set(arns)];
}

/** The place of the default rule in a list ordered by priority: behind every other. */
export const BEHIND_ALL = 50_001;

export function positionOf(rule: Rule): number {
  return rule.priority === 'default' ? BEHIND_ALL : rule.priority;
}
