import type { ImmortalContainer } from '../../apis/immortal-container.ts';
import type { Pod } from '../../apis/pod.ts';
import type { ChildrenOfOne } from '../../core/children.ts';
import type { Clock } from '../../core/clock.ts';
import type { KubeObject } from '../../core/kube-object.ts';
import type { Pass } from '../../core/reconciler.ts';
import type { Starts } from './starts.ts';

/** Everything that one pass works with. */
export interface Scope {
  readonly object: ImmortalContainer;
  readonly pass: Pass;
  readonly pods: ChildrenOfOne<Pod>;
  readonly clock: Clock;
  readonly starts: Starts;
  readonly desired: KubeObject;
}
