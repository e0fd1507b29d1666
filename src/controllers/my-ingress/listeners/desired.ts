import type { MutualTls } from '../../../aws/elbv2/traffic.ts';
import { omitUndefined } from '../../../core/objects/fields.ts';
import { desireAction } from '../graph/actions.ts';
import type { DesiredListener } from '../graph/graph.ts';
import { getListenerId } from '../graph/resource-id.ts';
import { desireTags } from '../graph/tags.ts';
import type { RouteListener, RouteRule } from '../routes/routes.ts';
import { desireRule, type RuleContext } from '../rules/desired.ts';
import { listListenerDefaults } from './attribute-defaults.ts';
import { MUTUAL_TLS } from './settings.ts';

/**
 * Always written: a listener created without one allows TLS 1.0.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
 */
const DEFAULT_POLICY = 'ELBSecurityPolicy-TLS13-1-2-2021-06';

interface RoutingTable extends RuleContext {
  readonly rules: readonly RouteRule[];
  /** As `pickSettings`. */
  readonly recorded: readonly string[];
}

export function desireListener(listener: RouteListener, table: RoutingTable): DesiredListener {
  const { port, protocol, certificates, sslPolicy = DEFAULT_POLICY, defaultAction } = listener;
  const { spare, uncovered, unresolved } = listener;
  const { names, place } = table;
  const id = getListenerId(port);
  const isSecure = protocol === 'HTTPS';
  const mutualTls = isSecure ? desireMutualTls(listener, table.recorded) : undefined;
  return {
    ...{ id, port, protocol },
    ...(isSecure && { sslPolicy }),
    ...(mutualTls && { mutualTls }),
    ...omitUndefined({ spare, uncovered, unresolved }),
    attributes: desireAttributes(listener, table.recorded),
    certificates: isSecure ? [...new Set(certificates)] : [],
    action: desireAction(defaultAction, names),
    tags: desireTags(id, place.userTags, place.identity),
    rules: table.rules
      .filter(({ listeners }) => listeners.includes(port))
      .flatMap((rule) => desireRule(rule, port, table)),
  };
}

/** Settings that left the spec are switched off; those of others stay. */
function desireMutualTls(
  { mutualTls }: RouteListener,
  recorded: readonly string[],
): MutualTls | undefined {
  return mutualTls ?? (recorded.includes(MUTUAL_TLS) ? { mode: 'off' } : undefined);
}

/** Attributes that left the spec get AWS's default. */
function desireAttributes(
  { protocol, attributes }: RouteListener,
  recorded: readonly string[],
): DesiredListener['attributes'] {
  const defaults = Object.entries(listListenerDefaults(protocol));
  const left = defaults.filter(([key]) => recorded.includes(key));
  return { ...Object.fromEntries(left), ...attributes };
}
