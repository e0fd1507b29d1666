import type {
  Action,
  Condition,
  ForwardAction,
  RedirectAction,
  Rule,
} from '../../aws/elbv2/traffic.ts';
import { listListenerDefaults } from '../../controllers/my-ingress/listeners/attribute-defaults.ts';
import type { RouteConditions } from '../../controllers/my-ingress/routes/routes.ts';
import type {
  ActionSpec,
  ListenerSpec,
  RuleSpec,
  TrafficSpec,
} from '../../controllers/my-ingress/routes/traffic-spec.ts';
import type { Balancer, ListenerWithRules } from './observe-balancer.ts';
import { nameGroups, suggestBackends } from './suggest-backends.ts';

/** Listeners, rules and backends in the words of a spec, and what it has no words for. */
export interface Suggestion {
  readonly spec: TrafficSpec;
  readonly remarks: readonly string[];
}

/** Says the traffic of a balancer as far as a spec can; pure. */
export function suggestTraffic({ listeners, targetGroups }: Balancer): Suggestion {
  const remarks: string[] = [];
  const names = nameGroups(targetGroups);
  const backends = suggestBackends(targetGroups, names, remarks);
  const translation = { names, remarks };
  const said = listeners.filter(({ listener: { protocol } }) => /^HTTPS?$/.test(protocol));
  const specs = said.map((listener) => suggestListener(listener, translation));
  const rules = said.flatMap((listener) =>
    listener.rules
      .toSorted((a, b) => Number(a.priority) - Number(b.priority))
      .flatMap((rule) => suggestRule(rule, listener, translation) ?? []),
  );
  const [first] = specs;
  // Required with two or more backends, although each listener has its own.
  const defaultAction = first?.defaultAction ?? NOT_FOUND;
  const spec = {
    ...(backends.length > 0 && { backends }),
    ...(specs.length > 0 && { listeners: specs }),
    ...(rules.length > 0 && { rules }),
    ...(backends.length > 1 && { defaultAction }),
  };
  return { spec, remarks };
}

interface Translation {
  /** Of the backend of each target group, by ARN; those without a name cannot be backends. */
  readonly names: ReadonlyMap<string, string>;
  readonly remarks: string[];
}

/** In place of an action that a spec cannot say, such as a login: without it the next action would answer, with none. */
const NOT_FOUND: ActionSpec = { fixedResponse: { statusCode: 404 } };

function suggestListener(
  { listener, attributes }: ListenerWithRules,
  translation: Translation,
): ListenerSpec {
  const { port, protocol, certificates, sslPolicy, mutualTls, defaultActions } = listener;
  const defaults = listListenerDefaults(protocol);
  const own = Object.entries(attributes).filter(
    ([key, value]) => value !== '' && value !== defaults[key],
  );
  const defaultAction = suggestAction(defaultActions, translation);
  if (defaultAction === undefined) {
    translation.remarks.push(
      `the default action of listener ${port}: ${describe(defaultActions)}; in its place the listener answers 404`,
    );
  }
  return {
    ...{ port, protocol: protocol === 'HTTPS' ? 'HTTPS' : 'HTTP' },
    // AWS lists the default one twice where it was added too; a spec has each once.
    ...(certificates.length > 0 && { certificates: [...new Set(certificates)] }),
    ...(sslPolicy !== undefined && protocol === 'HTTPS' && { sslPolicy }),
    ...suggestMutualTls(mutualTls),
    ...(own.length > 0 && { attributes: Object.fromEntries(own) }),
    defaultAction: defaultAction ?? NOT_FOUND,
  };
}

function suggestMutualTls(
  mutualTls: ListenerWithRules['listener']['mutualTls'],
): Pick<ListenerSpec, 'mutualTLS'> {
  if (mutualTls === undefined || mutualTls.mode === 'off') return {};
  if (mutualTls.mode !== 'verify') return { mutualTLS: { mode: 'passthrough' } };
  const { trustStore, ignoresExpiry, advertisesCaNames } = mutualTls;
  const verify = { mode: 'verify', trustStoreARN: trustStore } as const;
  return {
    mutualTLS: { ...verify, ignoreExpiry: ignoresExpiry, advertiseCANames: advertisesCaNames },
  };
}

/** undefined: a spec cannot say its conditions. */
function suggestRule(
  rule: Rule,
  { listener: { port } }: ListenerWithRules,
  translation: Translation,
): RuleSpec | undefined {
  const action = suggestAction(rule.actions, translation);
  const conditions = suggestConditions(rule.conditions);
  const rewrite = suggestRewrite(rule);
  const answer = action && rewrite && { ...action, ...rewrite };
  if (answer === undefined || conditions === undefined) {
    const parts = [...rule.conditions.map(describeCondition), describe(rule.actions)];
    const instead = conditions
      ? 'in its place the rule answers 404'
      : 'without it, what comes next answers its requests';
    translation.remarks.push(
      `rule ${rule.priority} of listener ${port}: ${parts.join(', ')}; ${instead}`,
    );
  }
  const name = `rule-${port}-${rule.priority}`;
  return conditions && { name, listeners: [port], ...conditions, ...(answer ?? NOT_FOUND) };
}

function suggestRewrite({ transforms }: Rule): Pick<RuleSpec, 'rewrite'> | undefined {
  const known = transforms.flatMap((one) => (one.kind === 'unknown' ? [] : [one]));
  if (known.length < transforms.length) return undefined;
  if (known.length === 0) return {};
  const entries = known.map(({ kind, regex, replace }) => [kind, { regex, replace }] as const);
  return { rewrite: Object.fromEntries(entries) };
}

function suggestAction(
  [action, ...others]: readonly Action[],
  translation: Translation,
): ActionSpec | undefined {
  if (action === undefined || others.length > 0) return undefined;
  switch (action.kind) {
    case 'forward':
      return suggestForward(action, translation);
    case 'redirect':
      return suggestRedirect(action);
    case 'fixed-response': {
      const { kind: _, ...fixedResponse } = action;
      // AWS knows no other content types than the CRD.
      // https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_FixedResponseActionConfig.html
      return { fixedResponse } as ActionSpec;
    }
    case 'unknown':
      return undefined;
    default:
      return action satisfies never;
  }
}

function suggestForward(
  { targetGroups, stickinessSeconds }: ForwardAction,
  { names }: Translation,
): ActionSpec | undefined {
  const to = targetGroups.map(({ arn, weight }) => ({ backend: names.get(arn) ?? '', weight }));
  if (stickinessSeconds !== undefined || to.some(({ backend }) => backend === '')) return undefined;
  return { forward: to.length === 1 ? to.map(({ backend }) => ({ backend })) : to };
}

/** AWS lists what a redirect keeps of the request as a placeholder; a spec cannot say a redirect to HTTP. */
function suggestRedirect(action: RedirectAction): ActionSpec | undefined {
  const { kind: _, protocol = '#{protocol}', port = '#{port}', statusCode, ...parts } = action;
  if (protocol === 'HTTP') return undefined;
  return {
    redirect: {
      ...parts,
      statusCode: statusCode === 301 ? 301 : 302,
      ...(protocol === 'HTTPS' && { protocol }),
      ...(port !== '#{port}' && { port: Number(port) }),
    },
  };
}

const PLAIN_FIELDS = {
  'host-header': 'hosts',
  'path-pattern': 'paths',
  'http-request-method': 'methods',
  'source-ip': 'sourceCIDRs',
} as const satisfies Readonly<Record<string, keyof RouteConditions>>;

/**
 * undefined: one of them has no field in a spec, or all of them must hold where one suffices in a spec: a rule may have
 * several of http-header and query-string.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/rule-condition-types.html
 */
function suggestConditions(conditions: readonly Condition[]): RouteConditions | undefined {
  const single = conditions.flatMap(({ field }) => (field === 'http-header' ? [] : [field]));
  if (new Set(single).size < single.length) return undefined;
  const parts = conditions.map(suggestCondition);
  const known = parts.flatMap((part) => part ?? []);
  if (known.length < parts.length) return undefined;
  const headers = known.flatMap((part) => part.headers ?? []);
  return { ...Object.assign({}, ...known), ...(headers.length > 0 && { headers }) };
}

function suggestCondition(condition: Condition): RouteConditions | undefined {
  switch (condition.field) {
    case 'unknown':
      return undefined;
    case 'query-string':
      return { queryStrings: condition.values };
    case 'http-header': {
      const { name, values, isRegex } = condition;
      if (!isRegex) return { headers: [{ name, values }] };
      const [regex, ...others] = values;
      return regex === undefined || others.length > 0 ? undefined : { headers: [{ name, regex }] };
    }
    default:
      return { [PLAIN_FIELDS[condition.field]]: condition.values };
  }
}

function describe(actions: readonly Action[]): string {
  return actions.map((one) => (one.kind === 'unknown' ? one.type : one.kind)).join(' and ');
}

function describeCondition(condition: Condition): string {
  return condition.field === 'unknown' ? condition.type : condition.field;
}
