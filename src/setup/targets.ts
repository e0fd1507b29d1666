import type { Targets } from '../controllers/my-ingress/targets.ts';
import { TargetsController } from '../controllers/targets/controller.ts';
import type { Connect } from '../controllers/targets/flusher.ts';
import {
  type TrimmedEndpointSlice,
  type TrimmedService,
  trimEndpointSlice,
  trimService,
} from '../controllers/targets/transforms.ts';
import type { ResourceKind } from '../core/objects/kube-object.ts';
import type { SetupContext } from './context.ts';

const SERVICE: ResourceKind = { group: '', version: 'v1', kind: 'Service', plural: 'services' };
const ENDPOINT_SLICE: ResourceKind = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
};

/** Targets as a MyIngress has them, and when the last call is over after a stop. */
export type RunningTargets = Targets & Pick<TargetsController, 'stopped'>;

/**
 * Opens the watches at once; what it returns is for the controller's setup to call once the caches are filled.
 * `connect` gives a client of AWS to each payer: `(payer) => aws.traffic(payer).targets`.
 */
export function setUpTargets(context: SetupContext): (connect: Connect) => RunningTargets {
  const services = context.watch<TrimmedService>(SERVICE, { transform: trimService });
  const slices = context.watch<TrimmedEndpointSlice>(ENDPOINT_SLICE, {
    transform: trimEndpointSlice,
  });
  const { clock, log, metrics } = context.ports;
  return (connect) =>
    new TargetsController({
      ...{ connect, services, slices, clock, metrics },
      log: log.child({ controller: 'targets' }),
    });
}
