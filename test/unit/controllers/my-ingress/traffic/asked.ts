import { routingRule } from '../../../../../localstack/embedded/data-plane/routing-rules.ts';
import { formatLocation } from '../../../../../src/routing/answer.ts';
import { decide } from '../../../../../src/routing/decide.ts';
import type { Request } from '../../../../../src/routing/rule.ts';
import { request } from '../../../routing/request.ts';
import type { World } from '../world.ts';

/** What the world's only balancer does with a request: `200 body`, `301 to ...` or `forward name:weight`. */
export function ask(world: World, what: Partial<Request> = {}): string {
  const asked = request(what);
  const { listeners, rules, targetGroups } = world.aws.world.traffic;
  const listener = listeners.all().find(({ port }) => port === asked.port);
  if (listener === undefined) return 'closed';
  const { action } = decide(rules.byKey(listener.arn).map(routingRule), asked).rule;
  switch (action.type) {
    case 'redirect':
      return `${action.redirect.statusCode} to ${formatLocation(action.redirect, asked)}`;
    case 'fixed-response':
      return `${action.response.statusCode} ${action.response.body ?? ''}`.trim();
    default:
      return `forward ${action.targetGroups
        .map(({ arn, weight }) => `${targetGroups.byArn(arn)?.name.split('-')[1]}:${weight}`)
        .join(' ')}`;
  }
}
