import type { MyIngress, MyIngressSpec } from '../../src/apis/my-ingress.ts';
import type { Condition } from '../../src/core/objects/conditions.ts';
import type { KubeApi } from './kube-api.ts';
import { until } from './until.ts';

export interface ToldEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly action: string;
  readonly series?: { readonly count: number };
}

type Patch = Readonly<Record<string, unknown>>;

/** What the API server defaults may be left out. */
export type GivenSpec = Partial<MyIngressSpec>;

/** The MyIngresses of one namespace, as their user handles them. */
export class MyIngresses {
  readonly namespace: string;
  readonly #api: KubeApi;

  constructor(api: KubeApi, namespace: string) {
    this.#api = api;
    this.namespace = namespace;
  }

  create(name: string, spec: GivenSpec, annotations: Patch = {}): Promise<MyIngress> {
    const body = {
      apiVersion: 'demo.rtfm.co.ua/v1',
      kind: 'MyIngress',
      metadata: { name, annotations },
      spec,
    };
    return this.#api.ask({ method: 'POST', path: this.#path(), body });
  }

  get(name: string): Promise<MyIngress> {
    return this.#api.ask({ method: 'GET', path: this.#path(name) });
  }

  async list(): Promise<readonly MyIngress[]> {
    const path = this.#path();
    return (await this.#api.ask<{ items: readonly MyIngress[] }>({ method: 'GET', path })).items;
  }

  patch(name: string, body: Patch): Promise<MyIngress> {
    return this.#api.ask({ method: 'PATCH', path: this.#path(name), body });
  }

  edit(name: string, spec: Patch): Promise<MyIngress> {
    return this.patch(name, { spec });
  }

  annotate(name: string, annotations: Patch): Promise<MyIngress> {
    return this.patch(name, { metadata: { annotations } });
  }

  async startDeleting(name: string): Promise<void> {
    await this.#api.ask({ method: 'DELETE', path: this.#path(name) });
  }

  async exists(name: string): Promise<boolean> {
    const path = this.#path(name);
    const { code } = await this.#api.send({ method: 'GET', path });
    if (code === 200 || code === 404) return code === 200;
    throw new Error(`GET ${path}: ${code}`);
  }

  async isGone(name: string, timeoutMs?: number): Promise<void> {
    const isGone = async (): Promise<boolean> => !(await this.exists(name));
    await until(`${name} is gone`, isGone, timeoutMs);
  }

  /** What the operator told about one object, oldest first. */
  async events(name: string): Promise<readonly ToldEvent[]> {
    const path = `/apis/events.k8s.io/v1/namespaces/${this.namespace}/events`;
    type Stored = ToldEvent & { readonly regarding: { readonly name: string }; eventTime: string };
    const { items } = await this.#api.ask<{ items: readonly Stored[] }>({ method: 'GET', path });
    return items
      .filter((event) => event.regarding.name === name)
      .sort((one, other) => (one.eventTime < other.eventTime ? -1 : 1));
  }

  /** Waits for an event with this reason. */
  event(name: string, reason: string, timeoutMs?: number): Promise<ToldEvent> {
    const look = async (): Promise<ToldEvent | undefined> =>
      (await this.events(name)).find((event) => event.reason === reason);
    return until(`event ${reason} for ${name}`, look, timeoutMs);
  }

  /** Waits until `isIt` holds, and gives the object then; a miss shows its status. */
  async when(
    name: string,
    isIt: (object: MyIngress) => boolean,
    timeoutMs?: number,
  ): Promise<MyIngress> {
    let seen: MyIngress | undefined;
    const look = async (): Promise<MyIngress | false> => {
      seen = await this.get(name);
      return isIt(seen) && seen;
    };
    return until(`${name} ${isIt.toString()}`, look, timeoutMs).catch((error: Error) => {
      throw new Error(`${error.message}; status: ${JSON.stringify(seen?.status, null, 1)}`, {
        cause: error.cause,
      });
    });
  }

  /** Ready for the newest spec. */
  whenReady(name: string, timeoutMs?: number): Promise<MyIngress> {
    return this.when(name, isReady, timeoutMs);
  }

  /** Ready is not True for this reason, and the newest spec was looked at. */
  whenReason(name: string, reason: string, timeoutMs?: number): Promise<MyIngress> {
    const isIt = (object: MyIngress): boolean =>
      readyOf(object)?.reason === reason && isObserved(object);
    return this.when(name, isIt, timeoutMs).catch((error: Error) => {
      throw new Error(`waiting for reason ${reason}: ${error.message}`, { cause: error.cause });
    });
  }

  #path(name?: string): string {
    const all = `/apis/demo.rtfm.co.ua/v1/namespaces/${this.namespace}/myingresses`;
    return name === undefined ? all : `${all}/${name}`;
  }
}

export function conditionOf(object: MyIngress, type: string): Condition | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

export function readyOf(object: MyIngress): Condition | undefined {
  return conditionOf(object, 'Ready');
}

export function isReady(object: MyIngress): boolean {
  return readyOf(object)?.status === 'True' && isObserved(object);
}

export function arnOf(object: MyIngress): string {
  const arn = object.status?.alb?.arn;
  if (arn === undefined) throw new Error(`${object.metadata.name} has no ARN in its status`);
  return arn;
}

function isObserved({ metadata, status }: MyIngress): boolean {
  return status?.observedGeneration === metadata.generation;
}
