import { listListeners, type TrafficSpec } from './spec-answers.ts';
import type { RoutingState } from './state-answers.ts';

/**
 * A listener or rule of ours that sends clients to an HTTPS port of one of the specs, on which nobody speaks HTTPS;
 * undefined: there is none.
 */
export function describeDeadRedirect(
  { listeners, rulesOf, isOurs }: RoutingState,
  specs: readonly TrafficSpec[],
): string | undefined {
  const declared = listSecure(specs.flatMap((spec) => listListeners(spec)));
  const served = listSecure(listeners);
  const dead = declared.filter((port) => !served.includes(port)).map(String);
  const rules = listeners.flatMap((listener) =>
    rulesOf(listener.arn)
      .filter((rule) => isOurs(rule.priority === 'default' ? listener : rule))
      .map(({ actions: [action] }) => ({ action, port: listener.port })),
  );
  const found = rules.find(({ action }) => {
    return action?.kind === 'redirect' && action.port !== undefined && dead.includes(action.port);
  });
  return found && `port ${found.port} redirects to HTTPS where nobody listens`;
}

function listSecure(
  listeners: readonly { readonly port: number; readonly protocol: string }[],
): readonly number[] {
  return listeners.filter(({ protocol }) => protocol === 'HTTPS').map(({ port }) => port);
}
