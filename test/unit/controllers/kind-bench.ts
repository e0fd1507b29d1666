import type { KubeObject } from '../../../src/core/objects/kube-object.ts';
import { type Pod, podLabels } from '../../../src/pods/pod.ts';
import { trimChild } from '../../../src/setup/labelled-children.ts';
import type { FakeCache } from '../../fakes/fake-cache.ts';
import { FakeKube } from '../../fakes/fake-kube.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingEvents } from '../../fakes/recording-events.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';

interface Reported extends KubeObject {
  readonly status: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
    }[];
  };
}

/** What the benches of the kinds with pods share: a cluster in memory, and the one object `web/shop` in it. */
export abstract class KindBench<K extends Reported> {
  readonly clock = new ManualClock();
  readonly kube = new FakeKube();
  readonly events = new RecordingEvents();
  readonly log = new SilentLogger();
  /** What a controller takes besides its own. */
  protected readonly common = {
    ...{ concurrency: 4, deadlineMs: 120_000, backoff: { firstMs: 100, maxMs: 60_000 } },
    ...{ clock: this.clock, log: this.log, metrics: new RecordingMetrics() },
  };
  protected abstract readonly kind: string;

  async annotate(annotations: Readonly<Record<string, string>>): Promise<void> {
    this.kube.editMeta(this.object, { annotations });
    await this.clock.settle();
  }

  get object(): K {
    return this.kube.server.get(this.kind, 'web/shop') as K;
  }

  get status(): K['status'] {
    return this.object.status;
  }

  /** The pods that the operator watches. */
  protected watchPods(): FakeCache<Pod> {
    const labels = Object.entries(podLabels);
    return this.kube.cache<Pod>('Pod', (pod) => {
      const { labels: has } = pod.metadata;
      return labels.every(([key, value]) => has?.[key] === value) ? trimChild(pod) : undefined;
    });
  }

  /** `True Running`, as `kubectl get` would show it. */
  condition(type: string): string | undefined {
    const found = this.status.conditions?.find((condition) => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  /** The verbs of what was written since the last call. */
  takeWrites(): readonly string[] {
    return this.kube.writes.splice(0).map(({ verb }) => verb);
  }
}
