import { RESTARTED_AT } from '../../../../src/core/objects/annotations.ts';
import type { Key, KubeObject, OwnerReference } from '../../../../src/core/objects/kube-object.ts';
import { matchesLabels, parseSelector } from '../../../../src/core/objects/label-selector.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import type {
  Eviction,
  LivePods,
  LivePodsQuery,
  PodEvictor,
  PodGuard,
} from '../../../../src/pods/pod-ports.ts';
import type { Workload, WorkloadRef, Workloads } from '../../../../src/pods/workloads.ts';
import type { FakeKube } from '../../../fakes/fake-kube.ts';
import type { ManualClock } from '../../../fakes/manual-clock.ts';
import { Kubelet } from '../kubelet.ts';

interface Deployment {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Its pods are called db-0, db-1 and so on. */
  readonly isStateful: boolean;
  readonly minReadySeconds: number;
  /** Of a kind that others made; its pods are called as those of a Deployment. */
  readonly customKind?: string;
  /** Of a StatefulSet. */
  readonly partition?: number;
  /** Of a StatefulSet. */
  readonly firstOrdinal?: number;
  /** Of a Deployment: it starts new pods first. */
  readonly surges?: boolean;
  /** Of its template. */
  revision: number;
  /** Of its pods. */
  spec?: object;
  replicas: number;
  /** From here on its pods count. */
  isUp: boolean;
  restartedAt?: string;
  isPaused: boolean;
}

type PodObject = KubeObject & { readonly spec?: object };

const NAMESPACE = 'web';
const REVISION = 'controller-revision-hash';

/**
 * What a cluster does around ConfigMonitors: Deployments that keep their number of pods, nodes that
 * run them, budgets. New pods become ready at once, unless `isBroken` says otherwise.
 */
export class Cluster implements LivePods, PodEvictor, Workloads {
  readonly kubelet: Kubelet;
  /** Names of pods in the order in which they were sent away. */
  readonly evicted: string[] = [];
  /** Reads and restarts of workloads, such as `read Deployment/frontend`. */
  readonly asked: string[] = [];
  /** New pods do not become ready while this is true. */
  isBroken = false;
  /** New pods become ready and end so long afterwards, again and again. */
  crashAfterMs: number | undefined;
  /** How often containers of new pods restart before these are ready. */
  restartsAtStart = 0;
  /** No new pods are started while this is true. */
  isFull = false;
  /** Something undoes each restart so long after it, as a tool that resets the template does. */
  resetsAfterMs: number | undefined;
  /** The most that were missing or not ready at a time, of any Deployment. */
  mostUnready = 0;
  /** What the eviction API answers to a pod; undefined lets it go. */
  answer: (pod: KubeObject) => Eviction | Error | undefined = () => undefined;
  /** Called before an eviction takes effect. */
  beforeEviction: () => Promise<void> = () => Promise.resolve();
  readonly #kube: FakeKube;
  readonly #clock: ManualClock;
  readonly #deployments = new Map<string, Deployment>();
  #count = 0;

  constructor(kube: FakeKube, clock: ManualClock) {
    this.#kube = kube;
    this.#clock = clock;
    this.kubelet = new Kubelet(kube, clock);
    kube.server.watch(({ type, object }) => {
      if (object.kind === 'Pod' && type === 'DELETED') queueMicrotask(() => this.settle());
    });
  }

  /** A Deployment, or a StatefulSet, whose pods are all ready. */
  deploy(name: string, replicas: number, labels: Readonly<Record<string, string>>): void {
    this.deployAs({ name, labels, isStateful: false, minReadySeconds: 0 }, replicas);
  }

  deployAs(
    what: Omit<Deployment, 'replicas' | 'isUp' | 'restartedAt' | 'isPaused' | 'revision'>,
    replicas: number,
  ): void {
    const deployment = { ...what, replicas, isUp: false, isPaused: false, revision: 1 };
    this.#deployments.set(what.name, deployment);
    this.settle();
    deployment.isUp = true;
  }

  scale(name: string, replicas: number): void {
    this.#deploymentNamed(name).replicas = replicas;
    for (const pod of this.podsOf(name).slice(replicas)) this.#kube.delete(pod);
    this.settle();
  }

  /** Pods that it starts from now on have this spec. */
  respec(name: string, spec: object): void {
    this.#deploymentNamed(name).spec = spec;
  }

  /** Changes its template, as an upgrade by Helm does. */
  upgrade(name: string): void {
    this.#replacePods(this.#deploymentNamed(name));
  }

  /** Changes its template to one with which no pod starts: those of before stay. */
  breakTemplate(name: string): void {
    this.#deploymentNamed(name).revision++;
  }

  /** As `kubectl rollout undo` does. */
  undo(name: string): void {
    this.#deploymentNamed(name).revision--;
  }

  pause(name: string, isPaused = true): void {
    this.#deploymentNamed(name).isPaused = isPaused;
  }

  /** A pod as it is given. */
  pod(name: string, of: Partial<KubeObject['metadata']> = {}): void {
    const metadata = { name, namespace: NAMESPACE, ...of };
    this.#kube.create({ apiVersion: 'v1', kind: 'Pod', metadata });
    this.#run(`${NAMESPACE}/${name}`);
  }

  /** Pods that were not ready become ready. */
  heal(): void {
    this.isBroken = false;
    for (const pod of this.pods()) this.#run(`${NAMESPACE}/${pod.metadata.name}`);
  }

  pods(): readonly PodObject[] {
    return this.#kube.server.list('Pod') as readonly PodObject[];
  }

  get names(): readonly string[] {
    return this.pods()
      .map(({ metadata }) => metadata.name)
      .toSorted();
  }

  podsOf(deployment: string): readonly PodObject[] {
    return this.pods().filter(({ metadata }) => metadata.name.startsWith(`${deployment}-`));
  }

  /** Gives the pods this controller, or none. */
  setController(pods: readonly PodObject[], controller?: OwnerReference): void {
    for (const pod of pods) {
      this.#kube.edit(pod, (live) => {
        const { ownerReferences: _, ...metadata } = live.metadata;
        const owners = controller && { ownerReferences: [{ ...controller, controller: true }] };
        return { ...live, metadata: { ...metadata, ...owners } };
      });
    }
  }

  async uidsOf(namespace: string, query: LivePodsQuery): Promise<ReadonlySet<string>> {
    const selected = this.pods()
      .filter(({ metadata }) => metadata.namespace === namespace)
      .filter('isSelected' in query ? query.isSelected : createTest(query.labelSelector));
    return new Set(selected.map(({ metadata }) => metadata.uid ?? ''));
  }

  async evict(pod: KubeObject, guard: PodGuard): Promise<Eviction> {
    await this.beforeEviction();
    const answer = this.answer(pod);
    if (answer instanceof Error) throw answer;
    return answer ?? this.delete(pod, guard);
  }

  async delete(pod: KubeObject, guard: PodGuard): Promise<Eviction> {
    const live = this.#kube.get(pod);
    if (live?.metadata.uid !== pod.metadata.uid) return { kind: 'evicted' };
    const isUnchanged = live?.metadata.resourceVersion === pod.metadata.resourceVersion;
    if (guard === 'unchanged' && !isUnchanged) return { kind: 'changed' };
    this.evicted.push(pod.metadata.name);
    this.#kube.delete(live as KubeObject);
    return { kind: 'evicted' };
  }

  async read({ kind, name, namespace }: WorkloadRef): Promise<Workload | undefined> {
    this.asked.push(`read ${kind}/${name}`);
    if (kind === 'DaemonSet') return undefined;
    const found = this.#deployments.get(kind === 'ReplicaSet' ? name.replace(/-[^-]*$/, '') : name);
    if (found === undefined) return undefined;
    const { replicas: desiredPods, restartedAt, isPaused, minReadySeconds } = found;
    const { firstOrdinal = 0 } = found;
    const isOld = kind === 'ReplicaSet' && name !== nameRevision(found);
    const revision =
      kind === 'StatefulSet' ? nameRevision(found) : `${found.revision - Number(isOld)}`;
    return {
      ...{ kind, name, namespace, uid: `uid-of-${name}`, desiredPods, isPaused, minReadySeconds },
      followsTemplate: kind !== 'ReplicaSet',
      surges: found.surges ?? false,
      firstOrdinal,
      rollsFromOrdinal: firstOrdinal + (found.partition ?? 0),
      ...(restartedAt !== undefined && { restartedAt }),
      ...nameController(kind, found),
      revision,
    };
  }

  async restart({ kind, name }: WorkloadRef, at: string): Promise<void> {
    this.asked.push(`restart ${kind}/${name}`);
    const deployment = this.#deploymentNamed(name);
    const { restartedAt, revision } = deployment;
    deployment.restartedAt = at;
    this.#replacePods(deployment);
    if (this.resetsAfterMs === undefined) return;
    this.#clock.setTimer(this.resetsAfterMs, () => {
      Object.assign(deployment, { restartedAt, revision });
      if (deployment.isStateful) this.#roll(deployment, revision);
    });
  }

  /** One pod after the other, as a Deployment does. */
  #replacePods(deployment: Deployment): void {
    const revision = ++deployment.revision;
    if (deployment.isStateful) return this.#roll(deployment, revision);
    for (const [index, pod] of this.podsOf(deployment.name).entries()) {
      this.#clock.setTimer((index + 1) * 1_000, () => {
        const isNewest = deployment.revision >= revision;
        if (isNewest && this.#kube.get(pod) !== undefined) this.#kube.delete(pod);
      });
    }
  }

  /**
   * From the highest ordinal down, and none while any of its pods is not ready
   * (https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#forced-rollback).
   */
  #roll(set: Deployment, revision: number): void {
    if (set.revision !== revision) return;
    const pods = this.podsOf(set.name);
    const older = pods
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
      .slice(set.partition)
      .filter(({ metadata }) => metadata.labels?.[REVISION] !== nameRevision(set));
    const last = older.at(-1);
    if (last !== undefined && pods.every(isReady)) this.#kube.delete(last);
    this.#clock.setTimer(1_000, () => this.#roll(set, revision));
  }

  settle(): void {
    for (const deployment of this.#deployments.values()) this.#fill(deployment);
  }

  #fill(deployment: Deployment): void {
    const { name, replicas } = deployment;
    const there = this.podsOf(name);
    const unready = replicas - there.filter(isReady).length;
    if (deployment.isUp) this.mostUnready = Math.max(this.mostUnready, unready);
    if (this.isFull) return;
    for (let count = there.length; count < replicas; count++) this.#startPod(deployment);
  }

  #startPod(of: Deployment): void {
    const {
      name: deployment,
      labels,
      isStateful,
      customKind,
      partition = 0,
      firstOrdinal = 0,
    } = of;
    const taken = new Set(this.names);
    let ordinal = firstOrdinal;
    while (taken.has(`${deployment}-${ordinal}`)) ordinal++;
    const suffix = String(++this.#count).padStart(3, '0');
    const name = isStateful ? `${deployment}-${ordinal}` : `${deployment}-5d9c-${suffix}`;
    const owner = ownerOf(of, { isStateful, customKind });
    // Below the partition a pod is made of the template from before the restart.
    const isOld = ordinal < firstOrdinal + partition;
    const restartedAt = isOld ? undefined : of.restartedAt;
    const revision = nameRevision(isOld ? { ...of, revision: 1 } : of);
    this.#kube.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        namespace: NAMESPACE,
        labels: { ...labels, ...labelRevision(owner.kind, revision) },
        ownerReferences: [{ ...owner, uid: `uid-of-${owner.name}`, controller: true }],
        ...(restartedAt !== undefined && { annotations: { [RESTARTED_AT]: restartedAt } }),
      },
      ...(of.spec && { spec: of.spec }),
    });
    if (!this.isBroken) this.#clock.setTimer(500, () => this.#run(`${NAMESPACE}/${name}`));
  }

  #run(key: Key, restartCount = this.restartsAtStart): void {
    const pod = this.#kube.server.get('Pod', key);
    if (pod === undefined || this.isBroken) return;
    this.#kube.server.applyStatus(pod, runningStatus('True', restartCount));
    if (this.crashAfterMs === undefined) return;
    this.#clock.setTimer(this.crashAfterMs, () => this.#crash(pod, restartCount + 1));
  }

  /** https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy */
  #crash(pod: KubeObject, restartCount: number): void {
    if (this.#kube.get(pod)?.metadata.uid !== pod.metadata.uid) return;
    this.#kube.server.applyStatus(pod, runningStatus('False', restartCount));
    const backoffMs = Math.min(300_000, 10_000 * 2 ** (restartCount - 1));
    this.#clock.setTimer(backoffMs, () => {
      if (this.#kube.get(pod)?.metadata.uid === pod.metadata.uid) {
        this.#run(`${pod.metadata.namespace}/${pod.metadata.name}`, restartCount);
      }
    });
  }

  #deploymentNamed(name: string): Deployment {
    const found = this.#deployments.get(name);
    if (found === undefined)
      throw new OperatorError({ reason: 'None', message: name, healedBy: 'time' });
    return found;
  }
}

function createTest(text: string): (pod: KubeObject) => boolean {
  const parsed = parseSelector(text);
  if (parsed.kind === 'problem') throw new Error(parsed.problem);
  return ({ metadata: { labels = {} } }) => matchesLabels(parsed.selector, labels);
}

function nameController(
  kind: WorkloadRef['kind'],
  { name }: Pick<Deployment, 'name'>,
): Pick<Workload, 'controllerUid'> {
  return kind === 'ReplicaSet' ? { controllerUid: `uid-of-${name}` } : {};
}

/** Of a Deployment also the name of its newest ReplicaSet. */
function nameRevision({ name, revision }: Pick<Deployment, 'name' | 'revision'>): string {
  return `${name}-5d9c${revision === 1 ? '' : revision}`;
}

function labelRevision(kind: string, revision: string): Readonly<Record<string, string>> {
  if (kind === 'StatefulSet') return { [REVISION]: revision };
  if (kind !== 'ReplicaSet') return {};
  return { 'pod-template-hash': revision.slice(revision.lastIndexOf('-') + 1) };
}

function ownerOf(
  of: Pick<Deployment, 'name' | 'revision'>,
  { isStateful, customKind }: Pick<Deployment, 'isStateful'> & { customKind: string | undefined },
): { readonly apiVersion: string; readonly kind: string; readonly name: string } {
  const { name } = of;
  if (customKind !== undefined) return { apiVersion: 'example.com/v1', kind: customKind, name };
  if (isStateful) return { apiVersion: 'apps/v1', kind: 'StatefulSet', name };
  return { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: nameRevision(of) };
}

function runningStatus(isReady: 'True' | 'False', restartCount: number): Record<string, unknown> {
  const conditions = [{ type: 'Ready', status: isReady }];
  return { phase: 'Running', conditions, containerStatuses: [{ name: 'app', restartCount }] };
}

function isReady(pod: KubeObject): boolean {
  type Status = { readonly conditions?: readonly { readonly status: string }[] };
  return (pod as { readonly status?: Status }).status?.conditions?.[0]?.status === 'True';
}
