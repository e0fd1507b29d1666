import type { Targets } from '../controllers/my-ingress/targets.ts';
import { TargetsController } from '../controllers/targets/controller.ts';
import type { Connect } from '../controllers/targets/flusher.ts';
import type { DeclaredBackends, GateOptions } from '../controllers/targets/gates/gate-work.ts';
import { type GatedPod, trimGatedPod } from '../controllers/targets/gates/gated-pod.ts';
import type { NodeCache } from '../controllers/targets/instances/node-watch.ts';
import { type TrimmedNode, trimNode } from '../controllers/targets/instances/trimmed-node.ts';
import {
  type TrimmedEndpointSlice,
  type TrimmedService,
  trimEndpointSlice,
  trimService,
} from '../controllers/targets/transforms.ts';
import { formatLabelSelector } from '../core/objects/kube-object.ts';
import {
  endpointSliceKind,
  nodeKind,
  podKind,
  serviceKind,
} from '../kube/client/built-in-kinds.ts';
import { createPodConditionWriter } from '../kube/write/pods.ts';
import { GATE_LABELS } from '../pods/pod.ts';
import type { SetupContext } from './context.ts';

/** Targets as a MyIngress has them, and when the last call is over after a stop. */
export type RunningTargets = Targets &
  Pick<TargetsController, 'stopped' | 'refreshMetrics' | 'requeueGates'>;

/**
 * Opens the watches at once; what it returns is for the controller's setup to call once the caches are filled.
 * `connect` gives a client of AWS to each payer: `(payer) => aws.traffic(payer).targets`.
 */
export function setUpTargets(
  context: SetupContext,
  backends: DeclaredBackends,
): (connect: Connect) => RunningTargets {
  const services = context.watch<TrimmedService>(serviceKind, { transform: trimService });
  const slices = context.watch<TrimmedEndpointSlice>(endpointSliceKind, {
    transform: trimEndpointSlice,
  });
  const gates = setUpGates(context, backends);
  const { clock, log, metrics } = context.ports;
  // A Role of a namespace cannot grant nodes.
  const isClusterWide = context.settings.namespaces.length === 0;
  const openNodes = (): NodeCache =>
    context.watchLate<TrimmedNode>(nodeKind, { transform: trimNode });
  return (connect) =>
    new TargetsController({
      ...{ connect, services, slices, clock, metrics, gates },
      openNodes: isClusterWide ? openNodes : undefined,
      log: log.child({ controller: 'targets' }),
    });
}

/** Only pods with the label are watched, and none where gates are off or nothing is written. */
function setUpGates(context: SetupContext, backends: DeclaredBackends): GateOptions | undefined {
  if (!context.settings.readinessGates || context.isObserver) return undefined;
  const labelSelector = formatLabelSelector(GATE_LABELS);
  return {
    backends,
    pods: context.watch<GatedPod>(podKind, { labelSelector, transform: trimGatedPod }),
    conditions: createPodConditionWriter(context.client, podKind),
    events: context.getControllerDefaults().events,
  };
}
