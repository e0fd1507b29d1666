import type { Controller } from '../core/controller.ts';
import type { ObjectWithStatus } from '../core/status.ts';
import type { Runtime } from '../runtime.ts';

/**
 * One kind put together. Its watches open when it is wired; its controller is built once they have
 * filled their caches and the cluster's id is known, whatever becomes of the other units.
 */
export interface Unit {
  /** The name of its controller, in logs and metrics. */
  readonly name: string;
  wire(runtime: Runtime): (clusterId: string) => RunningController;
}

/** A Controller whatever its kind of object. */
export type RunningController = Pick<
  Controller<ObjectWithStatus>,
  'start' | 'stop' | 'stuckPasses' | 'refreshMetrics' | 'requeueFailed'
>;
