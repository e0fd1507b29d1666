import { POD_DELETE_MATCH } from '../../../src/apis/config-monitor.ts';
import {
  type TrimmedConfigMap,
  trimConfigMap,
} from '../../../src/controllers/config-monitor/transforms.ts';
import { PAUSED_ANNOTATION } from '../../../src/core/objects/annotations.ts';
import { GUARDED } from '../api-model/evictions.ts';
import {
  BUDGETS,
  CONFIG_MAPS,
  DEPLOYMENTS,
  JOBS,
  PODS,
  STATEFUL_SETS,
} from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { type Json, keyOfStored, type StoredObject } from '../api-model/stored-object.ts';
import { type ObjectKey, People, partsOf } from '../people.ts';
import { definedKind } from '../served-definition.ts';
import type { SourceAction } from '../sources/actions.ts';
import { DataHashes } from '../sources/data-hashes.ts';
import { SourcePeople } from '../sources/people.ts';
import { DaemonSetController } from '../world/daemon-set-controller.ts';
import { DisruptionController } from '../world/disruption-controller.ts';
import type { Kubelet } from '../world/kubelet.ts';
import { isActive, isSelected } from '../world/pod-facts.ts';
import { HAS_PODS, ReplicaSetController } from '../world/replica-set-controller.ts';
import type { Cast, Stage } from '../world/stage.ts';
import { StatefulSetController } from '../world/stateful-set-controller.ts';
import type { AppKey, ConfigAction, Content, MonitorPlan } from './actions.ts';
import { checkFinalMonitors, findDeadlineMs } from './final-check.ts';
import { History } from './history.ts';
import { RestartInvariants } from './restart-invariants.ts';

const KIND = definedKind('ConfigMonitor');

/** ConfigMonitor: applications and what they read, who edits it, and the promises about restarts. */
export class ConfigMonitorCast implements Cast<ConfigAction> {
  readonly #stage: Stage;
  readonly #users: People;
  readonly #others: People;
  readonly #kubelet: Kubelet;
  readonly #sets: ReplicaSetController;
  readonly #statefulSets: StatefulSetController;
  readonly #daemonSets: DaemonSetController;
  readonly #budgets: DisruptionController;
  readonly #history: History;
  readonly #hashes: DataHashes;
  readonly #sources: SourcePeople;
  readonly #invariants: RestartInvariants;
  /** Whose pods mount their ConfigMap. */
  readonly #apps = new Set<AppKey>();

  constructor(stage: Stage, { kubelet }: { readonly kubelet: Kubelet }) {
    this.#stage = stage;
    this.#users = new People(stage);
    this.#others = new People(stage, 'somebody');
    this.#kubelet = kubelet;
    this.#sets = new ReplicaSetController(stage);
    this.#statefulSets = new StatefulSetController(stage);
    this.#daemonSets = new DaemonSetController(stage);
    this.#budgets = new DisruptionController(stage);
    this.#history = new History(stage, KIND);
    this.#hashes = new DataHashes(stage.model.table);
    this.#sources = new SourcePeople(stage, KIND);
    const judged = { history: this.#history, hashes: this.#hashes, kind: KIND };
    this.#invariants = new RestartInvariants(stage, judged);
    kubelet.canStart = (pod) =>
      this.#sources.hasAll(pod) && (!this.#needsData(pod) || this.#configOf(pod) !== undefined);
    kubelet.getsReady = (pod) => !this.#reads('bad', pod);
    kubelet.endsSoon = (pod) => this.#reads('frail', pod);
  }

  performStep(step: { readonly config: ConfigAction } | { readonly source: SourceAction }): void {
    if ('source' in step) this.#sources.perform(step.source);
    else this.perform(step.config);
  }

  perform(action: ConfigAction): void {
    const { at } = action;
    switch (action.do) {
      case 'fill':
        this.#apps.add(at);
        return this.#fill(at, action.content);
      case 'label':
        return this.#users.patch(CONFIG_MAPS, configOf(at), {
          metadata: { labels: { of: action.value }, annotations: { note: action.value } },
        });
      case 'remove':
        return this.#users.delete(CONFIG_MAPS, configOf(at));
      case 'annotate':
        return this.#users.annotate(CONFIG_MAPS, configOf(at), {
          [POD_DELETE_MATCH]: action.selector,
        });
      default:
        return this.#around(action);
    }
  }

  /** What is not the ConfigMap itself. */
  #around(action: Exclude<ConfigAction, { do: 'fill' | 'label' | 'remove' | 'annotate' }>): void {
    const { at } = action;
    switch (action.do) {
      case 'deploy':
        return this.#deploy(at, action.replicas);
      case 'deploySet':
        return this.#deploySet(at, action.replicas);
      case 'scale':
        return this.#users.patch(DEPLOYMENTS, at, { spec: { replicas: action.replicas } });
      case 'addPod':
        return this.#addPod(at, action.of);
      case 'pod':
        return this.#happen(at, action);
      case 'budget':
        return this.#budget(at, action);
      default:
        return isByOthers(action) ? this.#byOthers(action) : this.#toMonitor(action);
    }
  }

  onCommit(commit: Commit): void {
    this.#hashes.onCommit(commit);
    this.#history.onCommit(commit);
    this.#sets.onCommit(commit);
    this.#statefulSets.onCommit(commit);
    this.#daemonSets.onCommit(commit);
    this.#budgets.onCommit(commit);
    this.#invariants.onCommit(commit);
  }

  heal(): void {}

  checkFinal(): void {
    const { model, report, isDisturbed, settings } = this.#stage;
    const judged = { history: this.#history, hashes: this.#hashes, kind: KIND };
    const hasSecrets = settings.secrets === true;
    checkFinalMonitors({ ...judged, table: model.table, hasSecrets, report, isDisturbed });
  }

  underWayUntilMs(): number {
    const { table } = this.#stage.model;
    return findDeadlineMs({ table, kind: KIND, history: this.#history });
  }

  #byOthers(action: ByOthers): void {
    const { at } = action;
    switch (action.do) {
      case 'squat':
        return this.#others.create(KIND, generatedOf(at), { spec: specOf(at, { suspend: true }) });
      case 'leave':
        return this.#leave(generatedOf(at));
      case 'forge':
        return this.#forge(at, `${at}-watch-${action.index}`);
      default:
        return this.#guard(at, action.nth);
    }
  }

  #fill(at: AppKey, { text, blob }: Content): void {
    const content = { data: { config: text }, binaryData: blob === undefined ? null : { blob } };
    const isThere = this.#stage.model.table.get(CONFIG_MAPS, configOf(at)) !== undefined;
    if (isThere) return this.#users.patch(CONFIG_MAPS, configOf(at), content);
    const { binaryData, data } = content;
    this.#users.create(CONFIG_MAPS, configOf(at), { data, ...(binaryData && { binaryData }) });
  }

  #deploy(at: AppKey, replicas: number): void {
    this.#users.create(DEPLOYMENTS, at, {
      metadata: { labels: HAS_PODS },
      spec: { replicas, template: { metadata: { labels: labelsOf(at) } } },
    });
  }

  #deploySet(at: AppKey, replicas: number): void {
    const template = { metadata: { labels: labelsOf(at) } };
    const updateStrategy = { type: 'RollingUpdate' };
    this.#users.create(STATEFUL_SETS, at, { spec: { replicas, template, updateStrategy } });
  }

  #addPod(at: AppKey, of: 'nobody' | 'Job'): void {
    const name: ObjectKey = `${at}-of-${of.toLowerCase()}`;
    const spec = { containers: [{ name: 'app', image: 'registry.example/app:1' }] };
    if (of === 'nobody') {
      return this.#users.create(PODS, name, { metadata: { labels: labelsOf(at) }, spec });
    }
    this.#users.create(JOBS, name, { spec: {} });
    const uid = this.#stage.model.table.get(JOBS, name)?.metadata.uid;
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: partsOf(name).name, uid };
    const ownerReferences = [{ ...owner, controller: true }];
    this.#users.create(PODS, name, { metadata: { labels: labelsOf(at), ownerReferences }, spec });
  }

  #forge(at: AppKey, name: ObjectKey): void {
    const { table } = this.#stage.model;
    const config = table.get(CONFIG_MAPS, configOf(at));
    if (config === undefined || table.get(KIND, name) === undefined) return;
    const others = table.list(PODS).filter((pod) => !isOf(at, pod));
    const pods = others.map(({ metadata }) => metadata.uid);
    const time = new Date(this.#stage.clock.now()).toISOString();
    const { hash } = trimConfigMap(config) as TrimmedConfigMap;
    // Fields that two have written alike stay when one of them leaves them out.
    const counts = { total: 999, unready: 999 };
    const owners = [{ name: 'Deployment/none', pods: 1 }];
    const rollout = { hash, startTime: time, progressTime: time, ...counts, pods, owners };
    this.#history.forged.add(configOf(at));
    this.#others.patchStatus(KIND, name, { rollout });
  }

  #guard(at: AppKey, nth: number): void {
    const key = this.#podOf(at, nth);
    if (key !== undefined) this.#others.annotate(PODS, key, GUARDED);
  }

  #podOf(at: AppKey, nth: number): ObjectKey | undefined {
    const pods = this.#stage.model.table.list(PODS).filter((pod) => isOf(at, pod) && isActive(pod));
    const pod = pods[nth];
    return pod && (keyOfStored(pod) as ObjectKey);
  }

  #happen(at: AppKey, { nth, what }: Extract<ConfigAction, { do: 'pod' }>): void {
    const key = this.#podOf(at, nth);
    if (key === undefined) return;
    if (what === 'deleted') return this.#others.delete(PODS, key);
    this.#kubelet.fail(key, { phase: 'Failed' });
  }

  #budget(at: AppKey, { index, minAvailable }: Extract<ConfigAction, { do: 'budget' }>): void {
    const name: ObjectKey = `${at}-budget-${index}`;
    if (minAvailable === null) return this.#others.delete(BUDGETS, name);
    const selector = { matchLabels: labelsOf(at) };
    this.#others.create(BUDGETS, name, { spec: { minAvailable, selector } });
  }

  #toMonitor(
    action: Extract<
      ConfigAction,
      { do: 'monitor' | 'editMonitor' | 'unmonitor' | 'pause' | 'goOn' }
    >,
  ): void {
    const name: ObjectKey = `${action.at}-watch-${action.index}`;
    switch (action.do) {
      case 'monitor':
        return this.#users.create(KIND, name, { spec: specOf(action.at, action.plan) });
      case 'editMonitor': {
        const { isLowerCase: _spelling, ...change } = action.plan;
        return this.#users.patch(KIND, name, { spec: change });
      }
      case 'unmonitor':
        return this.#users.delete(KIND, name);
      case 'pause':
        return this.#users.annotate(KIND, name, { [PAUSED_ANNOTATION]: 'true' });
      case 'goOn':
        return this.#users.annotate(KIND, name, { [PAUSED_ANNOTATION]: null });
      default:
        return action satisfies never;
    }
  }

  #leave(name: ObjectKey): void {
    const found = this.#stage.model.table.get(KIND, name);
    if (found?.metadata.ownerReferences === undefined) this.#others.delete(KIND, name);
  }

  #needsData(pod: StoredObject): boolean {
    return [...this.#apps].some((at) => isOf(at, pod));
  }

  /** It reads its configuration once, when it starts. */
  #reads(beginning: string, pod: StoredObject): boolean {
    const data = (this.#configOf(pod)?.['data'] ?? {}) as { readonly config?: string };
    return data.config?.startsWith(beginning) === true || this.#sources.reads(beginning, pod);
  }

  #configOf({ metadata }: StoredObject): StoredObject | undefined {
    const key = `${metadata.namespace}/${metadata.labels?.['app']}-config`;
    return this.#stage.model.table.get(CONFIG_MAPS, key);
  }
}

type ByOthers = Extract<ConfigAction, { do: 'squat' | 'leave' | 'forge' | 'guard' }>;

function isByOthers(action: ConfigAction): action is ByOthers {
  return ['squat', 'leave', 'forge', 'guard'].includes(action.do);
}

function isOf(at: AppKey, pod: StoredObject): boolean {
  return pod.metadata.namespace === partsOf(at).namespace && isSelected(pod, labelsOf(at));
}

function specOf(at: AppKey, { isLowerCase, ...plan }: MonitorPlan): Json {
  const { name } = partsOf(configOf(at));
  const named = isLowerCase ? { configmap: name } : { configMap: name };
  // Auto is newer than the worlds that leave it out.
  return { ...named, podSelector: labelsOf(at), strategy: 'Evict', ...plan };
}

function configOf(at: AppKey): ObjectKey {
  return `${at}-config`;
}

/** The name of the ConfigMonitor that albridge makes for an annotated ConfigMap. */
function generatedOf(at: AppKey): ObjectKey {
  return `${configOf(at)}-annotated`;
}

function labelsOf(at: AppKey): Readonly<Record<string, string>> {
  return { app: partsOf(at).name };
}
