import type { HealthCheck, TargetHealth } from '../../aws/elbv2/traffic.ts';
import type { Key } from '../../core/objects/kube-object.ts';
import type { KeySource } from '../../core/queue/key-queue.ts';
import type { RouteBackend } from './routes/routes.ts';

/** A target group that is proved ours, and the Service whose endpoints are its targets. */
export interface ServedGroup {
  readonly backend: string;
  readonly arn: string;
  readonly service: RouteBackend['service'];
  readonly targetType: RouteBackend['targetType'];
  readonly ipAddressType: RouteBackend['ipAddressType'];
  /** Created by this process: nothing is registered yet, so that nothing has to be read. */
  readonly isNew: boolean;
  /** Requests still reach it, though the spec has another one in its place or none: its targets are followed, and not counted. */
  readonly isReplaced?: boolean;
  /** No action names it: what is registered in it may be of a Service that it had before, and the metrics leave it out. */
  readonly isUnused?: boolean;
  /** An action sends it requests, whatever the spec has: gates wait for it. By a snapshot, one that names it, but for a backend at rest. */
  readonly isReached?: boolean;
  /** As AWS has it; undefined: not known. */
  readonly healthCheck?: HealthCheck;
  /** As AWS had it before the pass that publishes it, which may have restored it. */
  readonly observedCheck?: HealthCheck;
}

/** The state of the targets of one group, as far as this process knows. */
export interface TargetsState {
  readonly backend: string;
  /** False: AWS was not asked yet what is registered in the group of an earlier process. */
  readonly isKnown: boolean;
  readonly desired: number;
  /** Of the desired ones. */
  readonly registered: number;
  /** Of the desired ones; undefined: AWS was not asked yet. */
  readonly healthy?: number;
  /** Wall time in ms of AWS's answer. */
  readonly healthAsOfMs?: number;
  /** One of the desired ones that is registered and not healthy, and why. */
  readonly unhealthy?: TargetHealth;
  /** AWS has not answered yet about one of the desired ones. */
  readonly isAwaited?: true;
  /** All desired targets, at least one, were registered at least once since the group was published. */
  readonly isFilled: boolean;
  /** Why there are no targets, or not those that there should be. */
  readonly problem?: TargetsProblem;
  /** Worth saying although nothing is wrong. */
  readonly note?: string;
  /** A group in whose place it comes may serve: it has targets, or is not known to have none. */
  readonly isReplacing?: true;
  /** Not all targets are meant to be healthy, as where a node without a pod fails the health check. */
  readonly isPartial?: true;
  /** Readiness gates are on and the Service has the port: a pod that ends too early would be known. */
  readonly arePodsKnown?: true;
  /** A pod of the Service that ends while AWS may still send it requests; known where readiness gates are on. */
  readonly earlyPod?: {
    readonly pod: string;
    readonly reason: 'NoPreStop' | 'GracePeriodTooShort';
  };
}

/** True where nothing is to be waited for: of a Service without endpoints no group has targets. */
export function areHealthy({ desired, healthy = 0, isPartial }: TargetsState): boolean {
  return isPartial && desired > 0 ? healthy > 0 : healthy >= desired;
}

interface TargetsProblem {
  /** A reason of my-ingress-reasons.ts, or of AWS. */
  readonly reason: string;
  readonly message: string;
  /** Monotonic ms: since when there is a problem without interruption. */
  readonly sinceMs: number;
}

/**
 * The targets controller, as far as a MyIngress is concerned: it is told which groups it may fill, and
 * tells what became of that. All of it is memory: a restart publishes anew.
 */
export interface Targets {
  /** The groups of one object, in place of the ones before. Only what tags have just proved ours. */
  publish(key: Key, groups: readonly ServedGroup[]): void;
  /** The object is gone, or its balancer deleted or released: nothing is written to its groups from here on. */
  withdraw(key: Key): void;
  /** One for each published group that is not replaced, in that order. */
  read(key: Key): readonly TargetsState[];
  /** The same for a pass that writes it into status: `changes` has the key again when the answer is another. */
  readForStatus(key: Key): readonly TargetsState[];
  /**
   * Resolves once each of these groups is filled or has a problem, and those that are unused have no targets but the
   * desired ones, or keep others for longer than a pass waits; rejects when `signal` aborts.
   */
  waitUntilFilled(key: Key, signal: AbortSignal): Promise<void>;
  /** Keys whose answer is another than `readForStatus` gave, each at most once a second. */
  readonly changes: KeySource;
}
