import { desireAction } from '../graph/actions.ts';
import type { DesiredListener } from '../graph/graph.ts';
import { listenerId } from '../graph/resource-id.ts';
import { desireTags } from '../graph/tags.ts';
import type { RouteListener, RouteRule } from '../routes/routes.ts';
import { desireRule, type RuleContext } from '../rules/desired.ts';

/**
 * Always written: a listener created without one allows TLS 1.0.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/describe-ssl-policies.html
 */
const DEFAULT_POLICY = 'ELBSecurityPolicy-TLS13-1-2-2021-06';

interface RoutingTable extends RuleContext {
  readonly rules: readonly RouteRule[];
}

export function desireListener(listener: RouteListener, table: RoutingTable): DesiredListener {
  const { port, protocol, certificates, sslPolicy = DEFAULT_POLICY, defaultAction } = listener;
  const { names, place } = table;
  const id = listenerId(port);
  const isSecure = protocol === 'HTTPS';
  return {
    ...{ id, port, protocol },
    ...(isSecure && { sslPolicy }),
    certificates: isSecure ? [...new Set(certificates)] : [],
    action: desireAction(defaultAction, names),
    tags: desireTags(id, place.userTags, place.identity),
    rules: table.rules
      .filter(({ listeners }) => listeners.includes(port))
      .flatMap((rule) => desireRule(rule, port, table)),
  };
}
