import type { ConfigMonitor } from '../../../../src/apis/config-monitor.ts';
import { createAnnotatedConfigMapReconciler } from '../../../../src/controllers/config-monitor/annotated-config-map.ts';
import { createConfigMonitorReconciler } from '../../../../src/controllers/config-monitor/controller.ts';
import { MonitorIndex } from '../../../../src/controllers/config-monitor/monitor-index.ts';
import { PodIndex } from '../../../../src/controllers/config-monitor/pod-index.ts';
import type {
  SecretFault,
  SecretReader,
} from '../../../../src/controllers/config-monitor/scope.ts';
import type { TrimmedSource } from '../../../../src/controllers/config-monitor/sources/watched-source.ts';
import {
  createSecretTransform,
  mayHaveMonitor,
  type TrimmedConfigMap,
  type TrimmedPod,
  trimConfigMap,
  trimPod,
} from '../../../../src/controllers/config-monitor/transforms.ts';
import { Children } from '../../../../src/core/children/children.ts';
import { Controller } from '../../../../src/core/controller/controller.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { coreMetrics } from '../../../../src/core/ports/metrics.ts';
import type { ObjectWriter } from '../../../../src/core/ports/writers.ts';
import { identifyKey } from '../../../../src/setup/secrets/hash-key.ts';
import type { FakeCache } from '../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingEvents } from '../../../fakes/recording-events.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { Cluster } from './cluster.ts';

type Spec = Partial<ConfigMonitor['spec']>;
type Data = Readonly<Record<string, string>>;
type ConfigMap = KubeObject & { readonly data: Data };

const DEFAULTS = {
  strategy: 'Evict',
  maxUnavailable: '25%',
  debounceSeconds: 1,
  minIntervalSeconds: 0,
  progressDeadlineSeconds: 600,
  minReadySeconds: 10,
  unmanagedPods: 'Skip',
  suspend: false,
} as const;

/** One process of the operator: what it has in memory ends with it. */
export interface Life {
  readonly monitors: Controller<ConfigMonitor>;
  readonly configMaps: Controller<TrimmedConfigMap>;
  readonly pods: FakeCache<TrimmedPod>;
  readonly sources: FakeCache<TrimmedConfigMap>;
  readonly objects: FakeCache<ConfigMonitor>;
}

/** The controllers of ConfigMonitors and annotated ConfigMaps over a cluster in memory. */
export class ConfigMonitorBench {
  readonly closedNamespaces = new Set<string>();
  readonly clock = new ManualClock();
  readonly kube = new FakeKube();
  /** The pods that `deploy` left. */
  before: readonly string[] = [];
  readonly cluster: Cluster = new Cluster(this.kube, this.clock);
  readonly events = new RecordingEvents();
  readonly log = new SilentLogger();
  readonly metrics = new RecordingMetrics();
  hashKey = Buffer.alloc(32, 'k');
  /** Why no Secret can be read, if none can. */
  secretFault: SecretFault | undefined;
  /** Called before a write of a ConfigMonitor's status takes effect. */
  beforeStatus: () => Promise<void> = () => Promise.resolve();
  life: Life = this.#begin();

  constructor() {
    this.kube.server.watch(({ type, object }) => {
      if (type === 'ADDED' && object.kind === 'ConfigMonitor') {
        queueMicrotask(() => this.#fillIn(object as ConfigMonitor));
      }
    });
  }

  /** One whose operator runs, and whose ConfigMap holds `one`. */
  static async configured(): Promise<ConfigMonitorBench> {
    const bench = new ConfigMonitorBench();
    await bench.start();
    await bench.configure('one');
    return bench;
  }

  async start(): Promise<void> {
    this.life.monitors.start();
    this.life.configMaps.start();
    await this.clock.settle();
  }

  async stop(): Promise<void> {
    const reason = new Error('done');
    await Promise.all([this.life.monitors.stop(reason), this.life.configMaps.stop(reason)]);
  }

  /** The process ends; another one starts with nothing but what is stored. */
  async restart(): Promise<void> {
    await this.stop();
    this.life = this.#begin();
    await this.start();
  }

  /** The process ends in the middle of what it does: it is never heard of again. */
  async crash(): Promise<void> {
    void this.stop();
    this.life = this.#begin();
    await this.start();
  }

  async monitor(spec: Spec = {}, name = 'monitor', without: readonly string[] = []): Promise<void> {
    const usual = { configMap: 'settings', podSelector: { app: 'frontend' } };
    const fields = Object.entries({ ...usual, ...spec });
    const draft = {
      apiVersion: 'magalix.com/v1',
      kind: 'ConfigMonitor',
      metadata: { name, namespace: 'web' },
      spec: Object.fromEntries(fields.filter(([field]) => !without.includes(field))),
    };
    this.kube.create(draft);
    await this.clock.settle();
  }

  async editMonitor(spec: Spec, name = 'monitor'): Promise<void> {
    this.kube.edit(this.object(name), (live) => ({ ...live, spec: { ...live.spec, ...spec } }));
    await this.clock.settle();
  }

  /** Pods of a Deployment, which `kept` counts from here on. */
  async deploy(replicas = 8): Promise<void> {
    this.cluster.deploy('frontend', replicas, { app: 'frontend' });
    await this.clock.advance(1_000);
    this.before = this.cluster.names;
  }

  /** How many of the pods of before are still there. */
  kept(): number {
    return this.cluster.names.filter((name) => this.before.includes(name)).length;
  }

  /** Creates the ConfigMap, or gives it other data. */
  async configure(text: string, metadata: Partial<KubeObject['metadata']> = {}): Promise<void> {
    const draft = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: 'web', ...metadata },
      data: { 'config.cfg': text },
    };
    const live = this.kube.get<ConfigMap>(draft);
    if (live === undefined) this.kube.create(draft);
    else this.kube.edit(live, (seen) => ({ ...seen, data: draft.data }));
    await this.clock.settle();
  }

  /** Creates a source, or gives it other data. */
  async store(kind: 'ConfigMap' | 'Secret', name: string, data: Data): Promise<void> {
    const metadata = { name, namespace: 'web' };
    const draft = { apiVersion: 'v1', kind, metadata, data };
    const live = this.kube.get<ConfigMap>(draft);
    if (live === undefined) this.kube.create(draft);
    else this.kube.edit(live, (seen) => ({ ...seen, data }));
    await this.clock.settle();
  }

  async annotate(annotations: Readonly<Record<string, string>>): Promise<void> {
    this.kube.edit(this.configMap, (live) => {
      return { ...live, metadata: { ...live.metadata, annotations } };
    });
    await this.clock.settle();
  }

  get configMap(): ConfigMap {
    return this.kube.server.get('ConfigMap', 'web/settings') as unknown as ConfigMap;
  }

  object(name = 'monitor'): ConfigMonitor {
    return this.kube.server.get('ConfigMonitor', `web/${name}`) as unknown as ConfigMonitor;
  }

  status(name = 'monitor'): ConfigMonitor['status'] {
    return this.object(name).status;
  }

  /** `True Watching`, as `kubectl get` would show it. */
  condition(type: string, name = 'monitor'): string | undefined {
    const found = this.status(name).conditions?.find((condition) => condition.type === type);
    return found && `${found.status} ${found.reason}`;
  }

  message(type: string, name = 'monitor'): string | undefined {
    return this.status(name).conditions?.find((condition) => condition.type === type)?.message;
  }

  /** Lets `ms` pass after an edit of the data. */
  async change(text: string, ms = 60_000): Promise<void> {
    await this.configure(text);
    await this.clock.advance(ms);
  }

  passesOf(controller: 'configmonitor' | 'configmap'): number {
    return this.metrics.valueOf(coreMetrics.reconcileTotal, { controller }) ?? 0;
  }

  /** Events of one reason, by their notes; not what others are told of a restart. */
  told(reason: string): readonly string[] {
    return this.events.recorded
      .filter((event) => event.reason === reason)
      .filter(({ action, kind }) => kind === 'ConfigMonitor' || action !== 'Restart')
      .map(({ note }) => note);
  }

  /** Events on objects of one kind, each as its reason and note. */
  toldOn(kind: string): readonly string[] {
    return this.events.recorded
      .filter((event) => event.kind === kind)
      .map(({ reason, note }) => `${reason}: ${note}`);
  }

  messages(): readonly string[] {
    return this.log.lines.filter(({ level }) => level === 'info').map(({ message }) => message);
  }

  secrets(cache: FakeCache<TrimmedSource>): SecretReader {
    const keyId = identifyKey(this.hashKey);
    return {
      keyId,
      get: (key) => cache.get(key),
      findNewest: (key) => cache.findNewest(key),
      findFault: () => this.secretFault,
    };
  }

  #begin(): Life {
    const { clock, kube, cluster } = this;
    const cache = kube.cache<ConfigMonitor>('ConfigMonitor');
    const configMaps = kube.cache<TrimmedConfigMap>('ConfigMap', trimConfigMap);
    const secretCache = kube.cache<TrimmedSource>('Secret', createSecretTransform(this.hashKey));
    const podCache = kube.cache<TrimmedPod>('Pod', trimPod);
    const pods = new PodIndex(podCache, clock);
    const index = new MonitorIndex(cache, pods, clock);
    const writer = kube.childWriter();
    const owner = { group: '', kind: 'ConfigMap' };
    const children = new Children<ConfigMonitor>({ cache, writer, owner, clock });
    const monitors = new Controller<ConfigMonitor>({
      ...this.#defaults('configmonitor'),
      cache,
      writer: { ...kube.writer<ConfigMonitor>(), applyStatus: this.#applyStatus() },
      reconciler: createConfigMonitorReconciler({
        configMaps,
        secrets: this.secrets(secretCache),
        pods,
        livePods: cluster,
        monitors: index,
        evictor: cluster,
        workloads: cluster,
        clock,
        metrics: this.metrics,
        ownPod: 'albridge-1',
      }),
      sources: [index.ofSources(configMaps), index.ofSources(secretCache), index.ofPods(podCache)],
    });
    const annotated = new Controller<TrimmedConfigMap>({
      ...this.#defaults('configmap'),
      cache: configMaps,
      writer: kube.writer<TrimmedConfigMap>(),
      reconciler: createAnnotatedConfigMapReconciler(children, this.closedNamespaces),
      predicate: mayHaveMonitor,
      children: [children],
      status: 'foreign',
    });
    return { monitors, configMaps: annotated, pods: podCache, sources: configMaps, objects: cache };
  }

  /** The defaults of the CRD. */
  #fillIn(object: ConfigMonitor): void {
    this.kube.edit(object, (live) => ({ ...live, spec: { ...DEFAULTS, ...live.spec } }));
    this.kube.server.applyStatus(object, { observedGeneration: -1 });
  }

  #applyStatus(): ObjectWriter<ConfigMonitor>['applyStatus'] {
    const { applyStatus } = this.kube.writer<ConfigMonitor>();
    return async (object, status) => {
      await this.beforeStatus();
      return applyStatus(object, status);
    };
  }

  #defaults(name: string) {
    return {
      name,
      concurrency: 4,
      deadlineMs: 120_000,
      backoff: { firstMs: 100, maxMs: 60_000 },
      clock: this.clock,
      events: this.events,
      log: this.log,
      metrics: this.metrics,
    };
  }
}
