import { routingRule } from '../../../localstack/embedded/data-plane/routing-rules.ts';
import type { Listener } from '../../../localstack/embedded/listeners/listener.ts';
import type { Action, Rule } from '../../../localstack/embedded/rules/rule.ts';
import { resourceTagKey } from '../../../src/apis/my-ingress.ts';
import { decide } from '../../../src/routing/decide.ts';
import type { Request } from '../../../src/routing/rule.ts';
import {
  type Answer,
  CLOSED,
  describeForward,
  describeRedirect,
  describeResponse,
} from './answer.ts';

/** What the data plane of one balancer has, or will have. */
export interface RoutingState {
  readonly listeners: readonly Listener[];
  /** The default one among them. */
  readonly rulesOf: (listenerArn: string) => readonly Rule[];
  /** The name of the backend whose target group this is; else its ARN. */
  readonly backendOf: (groupArn: string) => string;
  readonly isOurs: (rule: Rule) => boolean;
}

/** By AWS's state and src/routing. */
export function answerByState(state: RoutingState, request: Request): Answer {
  const listener = state.listeners.find(({ port }) => port === request.port);
  if (listener === undefined) return CLOSED;
  const stored = new Map(state.rulesOf(listener.arn).map((rule) => [routingRule(rule), rule]));
  if (stored.size === 0) return CLOSED;
  const rule = stored.get(decide([...stored.keys()], request).rule);
  if (rule === undefined) return CLOSED;
  return { by: nameOf(rule, state), action: describeAction(rule.actions[0], state) };
}

/** The name that the spec has for it; for a foreign rule its ARN. */
export function nameOf(rule: Rule, { isOurs }: Pick<RoutingState, 'isOurs'>): string {
  if (rule.priority === 'default') return 'default';
  if (!isOurs(rule)) return rule.arn;
  return /^rule\/\d+\/spec\/(.+)\/0$/.exec(rule.tags.get(resourceTagKey) ?? '')?.[1] ?? rule.arn;
}

export function describeAction(
  action: Action | undefined,
  { backendOf }: Pick<RoutingState, 'backendOf'>,
): string {
  switch (action?.kind) {
    case 'forward':
      return describeForward(
        action.groups.map(({ arn, weight }) => ({ backend: backendOf(arn), weight })),
      );
    case 'redirect':
      return describeRedirect({ ...action, statusCode: Number(action.statusCode.slice(-3)) });
    case 'fixed-response': {
      const { statusCode, contentType, messageBody: body } = action;
      return describeResponse({ statusCode: Number(statusCode), contentType, body });
    }
    case undefined:
      return 'nothing';
  }
}
