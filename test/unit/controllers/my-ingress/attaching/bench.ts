import type { MyIngress, MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import {
  type AttachingObject,
  getSource,
  type SourceRef,
} from '../../../../../src/controllers/my-ingress/attaching/attaching-object.ts';
import {
  Attachments,
  type RouteSource,
} from '../../../../../src/controllers/my-ingress/attaching/attachments.ts';
import { findDecision } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { NamespaceLabels } from '../../../../../src/controllers/my-ingress/attaching/namespace-labels.ts';
import { reportAttached } from '../../../../../src/controllers/my-ingress/attaching/report.ts';
import type { KubeObject } from '../../../../../src/core/objects/kube-object.ts';
import type { Pass } from '../../../../../src/core/reconcile/reconciler.ts';
import type { FakeCache } from '../../../../fakes/fake-cache.ts';
import { FakeKube } from '../../../../fakes/fake-kube.ts';
import { draftOf } from '../drafts.ts';
import { draftApp, PLAIN } from './app.ts';

/** Objects of one kind, as a cache would give them. */
class Apps implements RouteSource {
  readonly #read = Promise.withResolvers<void>();
  readonly #objects = new Map<string, AttachingObject>();
  #onChange: ((ref: SourceRef, object: AttachingObject | undefined) => void) | undefined;
  readonly synced = this.#read.promise;

  follow(onChange: (ref: SourceRef, object: AttachingObject | undefined) => void): () => void {
    this.#onChange = onChange;
    for (const object of this.#objects.values()) onChange(object, object);
    return () => {
      this.#onChange = undefined;
    };
  }

  recall({ name }: SourceRef): AttachingObject['backends'] {
    return draftApp(name).backends;
  }

  /** undefined: the object attaches nothing, or is deleted. */
  put(ref: SourceRef, object: AttachingObject | undefined): void {
    if (object === undefined) this.#objects.delete(getSource(ref));
    else this.#objects.set(getSource(ref), object);
    this.#onChange?.(ref, object);
  }

  async allRead(): Promise<void> {
    this.#read.resolve();
    await settle();
  }
}

export interface BenchOptions {
  readonly namespaces?: readonly string[];
  /** False: no right to read namespaces. */
  readonly readsNamespaces?: boolean;
}

/** `Attachments` between a cache of MyIngresses and objects that attach. */
export class AttachBench {
  readonly kube = new FakeKube();
  readonly apps = new Apps();
  /** Keys of MyIngresses that were queued. */
  readonly queued: string[] = [];
  /** Objects whose state has changed, each with its state. */
  readonly heard: string[] = [];
  attachments: Attachments;
  readonly #cache: FakeCache<MyIngress>;
  readonly #namespaces: FakeCache<KubeObject>;
  readonly #options: BenchOptions;
  readonly #namespacesRead = Promise.withResolvers<void>();
  #stop: (() => void) | undefined;

  constructor(options: BenchOptions = {}) {
    this.#options = options;
    this.#cache = this.kube.cache<MyIngress>('MyIngress');
    this.#namespaces = this.kube.cache<KubeObject>('Namespace');
    this.attachments = this.#create();
    this.#begin();
  }

  /** A process that has read everything, with one MyIngress. */
  static async open(
    spec: Partial<MyIngressSpec> = {},
    options?: BenchOptions,
  ): Promise<AttachBench> {
    const bench = new AttachBench(options);
    bench.ingress(spec);
    await bench.apps.allRead();
    return bench;
  }

  /** A new process, which has read everything before it is to work. */
  async restart(): Promise<void> {
    this.#stop?.();
    this.attachments = this.#create();
    await settle();
    this.#begin();
    await settle();
  }

  stop(): void {
    this.#stop?.();
  }

  ingress(spec: Partial<MyIngressSpec> = {}): void {
    this.kube.create(draftOf('shared', { ...PLAIN, ...spec }));
  }

  edit(spec: Partial<MyIngressSpec>): void {
    this.kube.edit(draftOf('shared'), (live) => ({
      ...live,
      metadata: { ...live.metadata, generation: (live.metadata.generation ?? 0) + 1 },
      spec: { ...live.spec, ...spec },
    }));
  }

  /** Stores what the routes of the objects are now, as a pass that has applied everything does. */
  record(reason?: string): void {
    const { status } = this.stored as Partial<MyIngress>;
    let attached = status?.attached;
    const pass: Pick<Pass, 'report' | 'setCondition'> = {
      report: (reported) => {
        ({ attached } = reported as MyIngress['status']);
      },
      setCondition: () => undefined,
    };
    const references = { listeners: new Map<string, string>() };
    reportAttached(this.joined, pass as Pass, { problems: [], postponed: [], references });
    const entries = (attached ?? []).map((one) =>
      reason === undefined ? one : { ...one, reason },
    );
    const listeners = (this.stored.spec.listeners ?? []).map(({ port }) => ({ port }));
    const alb = { arn: 'arn:alb', state: 'active' };
    this.kube.server.applyStatus(this.stored, { alb, attached: entries, listeners });
  }

  attach(...apps: readonly AttachingObject[]): void {
    for (const app of apps) this.apps.put(app, app);
  }

  detach(ref: SourceRef): void {
    this.apps.put(ref, undefined);
  }

  label(name: string, labels: Readonly<Record<string, string>>): void {
    const metadata = { ...draftOf(name).metadata, labels };
    const { namespace: _none, ...clusterWide } = metadata;
    const draft = { apiVersion: 'v1', kind: 'Namespace', metadata: clusterWide } as KubeObject;
    if (this.kube.get(draft) === undefined) return void this.kube.create(draft);
    this.kube.edit(draft, (live) => ({ ...live, metadata: { ...live.metadata, labels } }));
  }

  async namespacesRead(): Promise<void> {
    this.#namespacesRead.resolve();
    await settle();
  }

  get stored(): MyIngress {
    const found = this.kube.get(draftOf('shared'));
    if (found === undefined) throw new Error('there is no MyIngress');
    return found;
  }

  get joined(): MyIngress {
    return this.attachments.join(this.stored);
  }

  /** Sources with a rule, in the order of evaluation. */
  get served(): readonly string[] {
    return (findDecision(this.joined)?.rules ?? []).map(({ source }) => source);
  }

  /** The state of an object, as `refused NotAllowed`. */
  state(ref: SourceRef): string | undefined {
    const state = this.attachments.read(ref);
    return state && [state.kind, 'reason' in state ? state.reason : []].flat().join(' ');
  }

  #create(): Attachments {
    const { namespaces = [], readsNamespaces = true } = this.#options;
    const open = { cache: this.#namespaces, synced: this.#namespacesRead.promise };
    return new Attachments({
      ...{ cache: this.#cache, sources: [this.apps], namespaces },
      labels: new NamespaceLabels(readsNamespaces ? () => open : undefined),
    });
  }

  #begin(): void {
    const { attachments } = this;
    attachments.follow((ref) => this.heard.push(`${getSource(ref)} ${this.state(ref)}`));
    attachments.start();
    this.#stop = attachments.source((key) => this.queued.push(key));
  }
}

/** Promises that are resolved have had their effect. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 10; round += 1) await Promise.resolve();
}
