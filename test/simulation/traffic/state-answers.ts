import { routingRule } from '../../../localstack/embedded/data-plane/routing-rules.ts';
import type { Listener } from '../../../localstack/embedded/listeners/listener.ts';
import type { Rule } from '../../../localstack/embedded/rules/rule.ts';
import { resourceTagKey } from '../../../src/apis/my-ingress.ts';
import { decide } from '../../../src/routing/decide.ts';
import type { Request } from '../../../src/routing/rule.ts';
import {
  type Answer,
  CLOSED,
  describeForward,
  describeRedirect,
  describeResponse,
  describeRewrite,
  type RewriteParts,
} from './answer.ts';

/** What the data plane of one balancer has, or will have. */
export interface RoutingState {
  readonly listeners: readonly Listener[];
  /** The default one among them. */
  readonly rulesOf: (listenerArn: string) => readonly Rule[];
  /** The name of the backend whose target group this is; else its ARN. */
  readonly backendOf: (groupArn: string) => string;
  readonly isOurs: (resource: Pick<Rule, 'tags'>) => boolean;
}

/** By AWS's state and src/routing. */
export function answerByState(state: RoutingState, request: Request): Answer {
  const listener = state.listeners.find(({ port }) => port === request.port);
  if (listener === undefined) return CLOSED;
  const stored = new Map(state.rulesOf(listener.arn).map((rule) => [routingRule(rule), rule]));
  if (stored.size === 0) return CLOSED;
  const rule = stored.get(decide([...stored.keys()], request).rule);
  if (rule === undefined) return CLOSED;
  return { by: nameOf(rule, state), action: describeAction(rule, state) };
}

/** The name that the spec has for it; for a foreign rule its ARN. */
export function nameOf(rule: Rule, { isOurs }: Pick<RoutingState, 'isOurs'>): string {
  if (rule.priority === 'default') return 'default';
  if (!isOurs(rule)) return rule.arn;
  return /^rule\/\d+\/spec\/(.+)\/\w+$/.exec(rule.tags.get(resourceTagKey) ?? '')?.[1] ?? rule.arn;
}

export function describeAction(
  rule: Rule | undefined,
  { backendOf }: Pick<RoutingState, 'backendOf'>,
): string {
  const [action] = rule?.actions ?? [];
  switch (action?.kind) {
    case 'forward': {
      const shares = action.groups.map(({ arn, weight }) => ({ backend: backendOf(arn), weight }));
      return `${describeForward(shares)}${describeRewrite(readRewrite(rule))}`;
    }
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

interface Config {
  readonly Rewrites: readonly { readonly Regex: string; readonly Replace: string }[];
}

function readRewrite(rule: Rule | undefined): RewriteParts {
  const find = (name: string): RewriteParts['host'] => {
    const config = rule?.transforms.find((one) => one[name] !== undefined)?.[name];
    const [first] = (config as Config | undefined)?.Rewrites ?? [];
    return first && { regex: first.Regex, replace: first.Replace };
  };
  return { host: find('HostHeaderRewriteConfig'), url: find('UrlRewriteConfig') };
}
