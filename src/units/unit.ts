import type { Controller } from '../core/controller.ts';
import type { ObjectWithStatus } from '../core/status.ts';
import type { Runtime } from '../runtime.ts';

/**
 * One kind put together: its watches open when it is made, its controller is built once the caches
 * are filled and the cluster's id is known.
 */
export type Unit = (runtime: Runtime) => (clusterId: string) => RunningController;

/** A Controller whatever its kind of object. */
export type RunningController = Pick<
  Controller<ObjectWithStatus>,
  'start' | 'stop' | 'stuckPasses' | 'refreshMetrics'
>;
