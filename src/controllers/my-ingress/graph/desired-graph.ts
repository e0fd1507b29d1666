import { desireListener } from '../listeners/desired.ts';
import { pickSettings } from '../listeners/settings.ts';
import type { Routes } from '../routes/routes.ts';
import {
  type AttachmentFacts,
  chooseAttachment,
  desireAttachment,
} from '../security-group/attachment.ts';
import { desireSecurityGroup } from '../security-group/desired.ts';
import { pairGroups } from '../target-groups/desired.ts';
import { nameByBackend } from './actions.ts';
import type { DesiredGraph } from './graph.ts';
import type { Place } from './place.ts';

/** The part of spec and configuration that concerns the balancer itself. */
export interface FrontendSpec extends Omit<AttachmentFacts, 'given'> {
  readonly scheme: string;
  readonly ipAddressType: string;
  /** `spec.securityGroups` */
  readonly securityGroups: readonly string[] | undefined;
  readonly isAdopted: boolean;
  /** Ports of listeners of ours that are there: they are admitted until they are gone. */
  readonly servedPorts: readonly number[];
  /** As in `status.owned`: what listeners were given, and lose when it leaves the spec. */
  readonly listenerSettings?: readonly string[];
}

/** Everything that AWS should have for these routes; pure. */
export function desireGraph(routes: Routes, frontend: FrontendSpec, place: Place): DesiredGraph {
  const { securityGroups, servedPorts, scheme, ipAddressType, listenerSettings = [] } = frontend;
  const groups = pairGroups(routes.backends, place);
  const names = nameByBackend(groups.map(({ backend, desired: { name } }) => ({ backend, name })));
  const mode = chooseAttachment({
    ...{ securityGroups, isAdopted: frontend.isAdopted },
    hasListeners: routes.listeners.length > 0,
    hasInbound: routes.inbound !== undefined,
  });
  const ports = [...routes.listeners.map(({ port }) => port), ...servedPorts];
  const { inbound } = routes;
  const { previousGroups } = frontend;
  return {
    securityGroup:
      mode === 'managed'
        ? desireSecurityGroup({ scheme, ipAddressType, ports, inbound, previousGroups }, place)
        : undefined,
    attachment: desireAttachment(mode, { ...frontend, given: securityGroups ?? [] }),
    targetGroups: groups.map(({ desired }) => desired),
    listeners: routes.listeners.map((listener) => {
      const recorded = pickSettings(listenerSettings, listener.port);
      return desireListener(listener, { rules: routes.rules, names, place, recorded });
    }),
  };
}
