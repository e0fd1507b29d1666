import type {
  RouteAction,
  RouteListener,
  RouteRule,
  Routes,
} from '../../controllers/my-ingress/routes/routes.ts';
import { describeConditions } from '../../controllers/my-ingress/rules/conditions.ts';
import { readConditions } from '../../controllers/my-ingress/rules/desired.ts';
import { formatLocation } from '../../routing/answer.ts';
import { meetsCondition } from '../../routing/condition.ts';
import { decide } from '../../routing/decide.ts';
import type { Condition, Request, Rule } from '../../routing/rule.ts';
import { nameBackendOf, nameRule } from '../objects/my-ingress-parts.ts';

/** Which rule answers a request, by the function that the stand-in for AWS routes with; pure. */

/** As typed. */
export interface Typed {
  readonly port: number;
  readonly method: string;
  readonly host: string;
  /** Path and query. */
  readonly path: string;
  /** `name: value`, one a line. */
  readonly headers: string;
  /** The client's address. */
  readonly from: string;
}

export interface Verdict {
  readonly winner: string;
  readonly action: string;
  /** In the order of evaluation. */
  readonly passedOver: readonly PassedOver[];
  /** Conditions that are not evaluated, and changes to the request. */
  readonly remarks: readonly string[];
}

interface PassedOver {
  readonly rule: string;
  readonly because: string;
}

interface Named {
  readonly name: string;
  readonly rule: Rule;
  readonly action: RouteAction;
  readonly isRewritten: boolean;
}

/** Undefined where nothing listens on the port. */
export function tryRequest(routes: Routes, typed: Typed): Verdict | undefined {
  const listener = routes.listeners.find(({ port }) => port === typed.port);
  if (listener === undefined) return undefined;
  const request = readRequest(typed, listener);
  const named = listRules(routes, listener, request);
  const { rule, passedOver } = decide(
    named.map((one) => one.rule),
    request,
  );
  const getNamed = (sought: Rule): Named | undefined => named.find((one) => one.rule === sought);
  const winner = getNamed(rule);
  const opaque = passedOver.filter(({ because }) => isOpaque(because, request));
  return {
    winner: winner?.name ?? '',
    action: winner === undefined ? '' : describeAction(winner.action, request),
    passedOver: passedOver.map((one) => {
      return { rule: getNamed(one.rule)?.name ?? '', because: describeCondition(one.because) };
    }),
    remarks: [
      ...opaque.map(({ rule: one }) => describeOpaque(getNamed(one)?.name ?? '', one, request)),
      ...(winner?.isRewritten ? ['the request is rewritten on its way to the targets'] : []),
    ],
  };
}

/** Not decided here: a regular expression, and the client's address where none is typed. */
function isOpaque({ field }: Condition, request: Request): boolean {
  return field === 'regex' || (field === 'source-ip' && !meetsCondition(ANY_ADDRESS, request));
}

const ANY_ADDRESS: Condition = { field: 'source-ip', values: ['0.0.0.0/0', '::/0'] };

/** Of a rule all of whose other conditions hold. */
function describeOpaque(name: string, { conditions }: Rule, request: Request): string {
  const opaque = conditions.filter((condition) => isOpaque(condition, request));
  const hasRegex = opaque.some(({ field }) => field === 'regex');
  const clients = opaque.flatMap((one) => (one.field === 'source-ip' ? one.values : []));
  if (clients.length === 0)
    return `${name} has a regular expression, which is not evaluated here: where it matches, ${name} wins`;
  const only = hasRegex ? ' where its regular expression matches, which is not evaluated here' : '';
  return `${name} is for clients of ${clients.join(' or ')}, and no address is typed: for them ${name} wins${only}`;
}

function listRules({ rules }: Routes, listener: RouteListener, request: Request): readonly Named[] {
  const taken = rules.filter((rule) => rule.listeners.includes(listener.port));
  const { defaultAction } = listener;
  return [
    ...taken.map((rule, index) => ({
      name: nameRule(rule),
      rule: createRule(index + 1, readRuleConditions(rule, request)),
      ...{ action: rule.action, isRewritten: rule.rewrite !== undefined },
    })),
    {
      ...{ name: `default of ${listener.port}`, rule: createRule('default', []) },
      ...{ action: defaultAction, isRewritten: false },
    },
  ];
}

/** Only the rule is decided on here; its action is described from the spec. */
function createRule(priority: Rule['priority'], conditions: readonly Condition[]): Rule {
  return { priority, conditions, action: { type: 'forward', targetGroups: [] } };
}

/** Those that are not decided here come last: another one that does not hold is certain. */
function readRuleConditions(rule: RouteRule, request: Request): readonly Condition[] {
  return readConditions(rule)
    .map((known): Condition => {
      if (known.field !== 'http-header' || !known.isRegex) return known;
      const values = known.values.map((source) => ({ source, matches: () => false }));
      return { field: 'regex', of: { header: known.name }, values };
    })
    .toSorted((a, b) => Number(isOpaque(a, request)) - Number(isOpaque(b, request)));
}

function readRequest(
  { method, host, path, headers, from }: Typed,
  listener: RouteListener,
): Request {
  const [way = '', ...query] = path.split('?');
  return {
    ...{ protocol: listener.protocol, port: listener.port, method, host, sourceIp: from },
    ...{ path: way, query: query.join('?') },
    headers: headers.split('\n').flatMap((line) => {
      const [, name, value = ''] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      return name === undefined ? [] : [[name, value] as const];
    }),
  };
}

function describeCondition(condition: Condition): string {
  if (condition.field !== 'regex') return describeConditions([condition]);
  const part =
    typeof condition.of === 'object' ? `http-header ${condition.of.header}` : condition.of;
  return `${part} ~ ${condition.values.map(({ source }) => source).join(', ')}`;
}

function describeAction(action: RouteAction, request: Request): string {
  switch (action.kind) {
    case 'forward':
      return `forwards to ${describeShares(action.to)}`;
    case 'redirect':
      return `redirects with ${action.statusCode} to ${formatLocation(action, request)}`;
    case 'fixed-response':
      return `answers ${action.statusCode}`;
  }
}

type Share = Extract<RouteAction, { readonly kind: 'forward' }>['to'][number];

function describeShares(to: readonly Share[]): string {
  const total = to.reduce((sum, { weight }) => sum + weight, 0);
  const shares = to.map(({ backend, weight }) => {
    const name = nameBackendOf(backend);
    if (to.length === 1) return `backend ${name}`;
    const percent = total === 0 ? 0 : Math.round((100 * weight) / total);
    return `backend ${name} (weight ${weight}, ${percent} %)`;
  });
  return shares.join(', ');
}
