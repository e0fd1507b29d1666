import { resourceTagKey } from '../../../apis/my-ingress.ts';
import type { Tags } from '../../../aws/elbv2/traffic.ts';
import type { ObservedGraph } from '../graph/graph.ts';
import { OWN_SOURCE } from '../routes/routes.ts';

/**
 * Shows attached resources as if they were foreign: each stays as it is, and its priorities are kept clear. For while it is not
 * known what attaches.
 */
export function disownAttached(observed: ObservedGraph): ObservedGraph {
  return {
    ...observed,
    targetGroups: observed.targetGroups.map((one) => ({ ...one, tags: disown(one.tags) })),
    listeners: observed.listeners.map((one) => ({
      ...one,
      rules: one.rules.map((rule) => ({ ...rule, tags: disown(rule.tags) })),
    })),
  };
}

function disown(tags: Tags): Tags {
  const { [resourceTagKey]: id = '' } = tags;
  const [kind, ...rest] = id.split('/');
  // Of an id that is hashed the source is not known: none of the spec's is so long.
  const source = kind === 'rule' ? rest[1] : rest[0];
  return source === OWN_SOURCE || id === '' ? tags : {};
}
