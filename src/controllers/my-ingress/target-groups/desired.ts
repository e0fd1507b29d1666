import type { DesiredTargetGroup } from '../graph/graph.ts';
import { type FixedSettings, nameTargetGroup } from '../graph/names.ts';
import type { Place } from '../graph/place.ts';
import { getTargetGroupId } from '../graph/resource-id.ts';
import { desireTags } from '../graph/tags.ts';
import type { RouteBackend } from '../routes/routes.ts';
import { attributeDefaults } from './attribute-defaults.ts';

/** For targets that are registered without a port, which ours never are. A constant, for it cannot be changed. */
const PORT = 80;

/** All that can be said of it is said, so that a group of ours is ours entirely. */
export function desireTargetGroup(backend: RouteBackend, place: Place): DesiredTargetGroup {
  const id = getTargetGroupId(backend);
  const { protocol, protocolVersion, targetType, ipAddressType } = backend;
  const { healthCheck, attributes } = backend;
  const fixed: FixedSettings = {
    ...{ protocol, protocolVersion, targetType, ipAddressType },
    vpcId: place.vpcId,
  };
  return {
    ...{ id, fixed, healthCheck },
    name: nameTargetGroup(place.identity, backend, fixed),
    port: PORT,
    attributes: { ...attributeDefaults, ...attributes },
    tags: desireTags(id, place.userTags, place.identity),
  };
}

/** A backend and its target group. */
export interface Pair {
  readonly desired: DesiredTargetGroup;
  readonly backend: RouteBackend;
}

export function pairGroups(backends: readonly RouteBackend[], place: Place): readonly Pair[] {
  return backends.map((backend) => ({ desired: desireTargetGroup(backend, place), backend }));
}
