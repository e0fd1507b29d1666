import type { KubeRequest, KubeTransport } from '../../src/kube/client/kube-transport.ts';
import type { Lease, LeaseSpec } from '../../src/kube/lease/lease.ts';
import { type Answer, ScriptedStream, ScriptedTransport } from './scripted-transport.ts';

export type Intercept = (
  request: KubeRequest,
  index: number,
) => Answer | Promise<Answer> | undefined;

/** An API server that holds one Lease, guards writes by resourceVersion and serves watches. */
export class LeaseServer {
  /** Holder and transitions of each accepted write. */
  readonly history: string[] = [];
  lease: Lease | undefined;
  #revision = 10;
  #uid = 0;
  readonly #streams = new Set<ScriptedStream>();

  /** One candidate's way here; `intercept` may answer in place of the server. */
  transport(intercept: Intercept = () => undefined): ScriptedTransport & KubeTransport {
    return new ScriptedTransport((request, index) => {
      return intercept(request, index) ?? this.answer(request);
    });
  }

  /** Does what is asked. */
  answer(request: KubeRequest): Answer {
    if (request.query?.['watch'] === 'true') return { stream: this.#watch() };
    switch (request.method) {
      case 'GET':
        if (request.query?.['limit'] !== undefined) return this.#list();
        return this.lease ? ok(this.lease) : failed(404, 'NotFound');
      case 'POST':
        return this.lease ? failed(409, 'AlreadyExists') : this.#accept(request);
      case 'PUT':
        return this.#update(request);
      default:
        throw new Error(`unexpected ${request.method}`);
    }
  }

  /** What an operator or another program does to the spec behind everybody's back. */
  edit(spec: LeaseSpec): void {
    this.#store({ ...this.#shell(), spec: { ...this.lease?.spec, ...spec } });
  }

  /** A write that leaves the spec as it is. */
  touch(): void {
    this.edit({});
  }

  /** etcd is restored from a backup of an earlier revision: nobody is informed of it. */
  restore(lease: Lease): void {
    this.#revision = Number(lease.metadata.resourceVersion);
    this.lease = lease;
  }

  remove(): void {
    if (this.lease) this.#tell('DELETED', this.lease);
    this.lease = undefined;
  }

  #list(): Answer {
    const metadata = { resourceVersion: `${this.#revision}` };
    return ok({ metadata, items: this.lease ? [this.lease] : [] });
  }

  #update(request: KubeRequest): Answer {
    if (!this.lease) return failed(404, 'NotFound');
    const sent = JSON.parse(request.body ?? '') as Lease;
    if (sent.metadata.resourceVersion !== this.lease.metadata.resourceVersion) {
      return failed(409, 'Conflict');
    }
    return this.#accept(request);
  }

  #accept(request: KubeRequest): Answer {
    const { spec } = JSON.parse(request.body ?? '') as Lease;
    this.history.push(`${spec?.holderIdentity}/${spec?.leaseTransitions}`);
    this.#store({ ...this.#shell(), ...(spec && { spec }) });
    return ok(this.lease);
  }

  #shell(): Lease {
    const { metadata } = this.lease ?? {
      metadata: { name: 'albridge', namespace: 'ops', uid: `uid-${++this.#uid}` },
    };
    const resourceVersion = `${++this.#revision}`;
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...metadata, resourceVersion },
    };
  }

  #store(lease: Lease): void {
    const type = this.lease ? 'MODIFIED' : 'ADDED';
    this.lease = lease;
    this.#tell(type, lease);
  }

  #tell(type: string, object: Lease): void {
    for (const stream of this.#streams) stream.push({ type, object });
  }

  #watch(): ScriptedStream {
    const stream = new ScriptedStream();
    if (this.lease) stream.push({ type: 'ADDED', object: this.lease });
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    stream.push({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion: `${this.#revision}`, annotations } },
    });
    this.#streams.add(stream);
    return stream;
  }
}

function ok(json: unknown): Answer {
  return { status: 200, json };
}

function failed(code: number, reason: string): Answer {
  const details = { name: 'albridge', kind: 'leases' };
  return { status: code, json: { kind: 'Status', code, reason, message: reason, details } };
}
