import type {
  DeclaredBackend,
  GateOptions,
} from '../../../../../src/controllers/targets/gates/gate-work.ts';
import {
  type GatedPod,
  trimGatedPod,
} from '../../../../../src/controllers/targets/gates/gated-pod.ts';
import { omitUndefined } from '../../../../../src/core/objects/fields.ts';
import { getKey, type KubeObject } from '../../../../../src/core/objects/kube-object.ts';
import { READINESS_GATE } from '../../../../../src/pods/pod.ts';
import type { PodConditionDraft } from '../../../../../src/pods/pod-ports.ts';
import type { FakeCache } from '../../../../fakes/fake-cache.ts';
import type { FakeKube } from '../../../../fakes/fake-kube.ts';
import { RecordingEvents } from '../../../../fakes/recording-events.ts';
import { SHOP } from '../targets-bench.ts';

type Conditions = readonly {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}[];

/** The fake API server writes status for the operator alone, so what the kubelet sets stands beside it. */
interface PlayedPod extends KubeObject {
  readonly spec: {
    readonly hostNetwork?: boolean;
    readonly readinessGates: readonly { readonly conditionType: string }[];
    readonly containers: readonly object[];
  };
  readonly played: {
    readonly podIP: string;
    readonly podIPs?: readonly { readonly ip: string }[];
    readonly phase: string;
    readonly conditions: Conditions;
  };
}

export interface PodDraft {
  readonly name?: string;
  /** Beside the first address. */
  readonly ipv6?: string;
  /** On the network of its node. */
  readonly hostNetwork?: boolean;
  readonly app?: string;
  readonly gates?: readonly string[];
  readonly conditions?: Conditions;
  readonly phase?: string;
  readonly preStopSeconds?: number;
}

export const UP: Conditions = [{ type: 'ContainersReady', status: 'True' }];

/** Pods with the gate, their kubelet, and the backends of MyIngresses. */
export class PlayedPods {
  readonly events = new RecordingEvents();
  /** What was written, as `name reason`. */
  readonly written: string[] = [];
  /** The next writes fail with these. */
  readonly failures: Error[] = [];
  /** Resolves once all backends are declared. */
  known: Promise<unknown> = Promise.resolve();
  /** False: the objects are being deleted. */
  isActive = true;
  cache!: FakeCache<GatedPod>;
  #kube!: FakeKube;
  #backends: readonly DeclaredBackend[] = [backendOf('shop')];
  #onChange: (namespace: string) => void = () => {};

  /** For the bench; called again by a process that starts anew. */
  readonly attach = (kube: FakeKube): GateOptions => {
    this.#kube = kube;
    this.cache = kube.cache<GatedPod>('Pod', (pod) => trimGatedPod(asPod(pod as PlayedPod)));
    return {
      events: this.events,
      pods: this.cache,
      conditions: { apply: (pod, condition) => this.#apply(pod, condition) },
      backends: {
        list: (namespace) => (namespace === 'web' ? this.#backends : []),
        isActive: () => this.isActive,
        follow: (onChange) => {
          this.#onChange = onChange;
          return () => {};
        },
        known: () => this.known,
      },
    };
  };

  declare(...backends: readonly DeclaredBackend[]): void {
    this.#backends = backends;
    this.#onChange('web');
  }

  /** A pod of this address, named as its endpoint names it; its containers are ready unless said otherwise. */
  run(podIP: string, draft: PodDraft = {}): PlayedPod {
    const { name = `pod-${podIP}`, hostNetwork, ipv6 } = draft;
    const podIPs = ipv6 !== undefined && { podIPs: [{ ip: podIP }, { ip: ipv6 }] };
    const { app = 'shop', gates = [READINESS_GATE], conditions = UP, phase = 'Running' } = draft;
    const { preStopSeconds: seconds } = draft;
    const container = seconds !== undefined && { lifecycle: { preStop: { sleep: { seconds } } } };
    const pod: PlayedPod = {
      ...{ apiVersion: 'v1', kind: 'Pod' },
      metadata: { namespace: 'web', name, labels: { app } },
      spec: {
        ...omitUndefined({ hostNetwork }),
        readinessGates: gates.map((conditionType) => ({ conditionType })),
        containers: [{ ...container }],
      },
      played: { podIP, ...podIPs, phase, conditions },
    };
    return this.#kube.create(pod);
  }

  setConditions(podIP: string, conditions: Conditions): void {
    const { metadata } = { metadata: { namespace: 'web', name: `pod-${podIP}` } };
    this.#kube.edit({ apiVersion: 'v1', kind: 'Pod', metadata } as PlayedPod, (live) => ({
      ...live,
      played: { ...live.played, conditions },
    }));
  }

  async #apply(pod: KubeObject, condition: PodConditionDraft): Promise<string | undefined> {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
    const live = this.#kube.get(pod as PlayedPod);
    if (live === undefined || live.metadata.uid !== pod.metadata.uid) return undefined;
    this.written.push(`${getKey(pod)} ${condition.reason}`);
    const conditions = [...live.played.conditions, condition];
    const after = this.#kube.edit(live, (now) => ({
      ...now,
      played: { ...now.played, conditions },
    }));
    return after.metadata.resourceVersion;
  }
}

export function backendOf(name: string, more: Partial<DeclaredBackend> = {}): DeclaredBackend {
  return {
    ...{ owner: SHOP, backend: name, targetType: 'ip' },
    service: { name, port: 'http' },
    ...more,
  };
}

/** As the API server gives it. */
function asPod({ played, ...pod }: PlayedPod): KubeObject & { readonly status: object } {
  return { ...pod, status: played };
}
