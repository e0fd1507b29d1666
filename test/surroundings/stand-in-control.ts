import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import type { MappedTarget } from '../../localstack/embedded/data-plane/target-table.ts';
import type { Call } from '../../localstack/embedded/faults/call-log.ts';
import type { FaultRule } from '../../localstack/embedded/faults/fault-script.ts';
import type { Policy } from '../../localstack/embedded/iam/policy-evaluation.ts';
import type {
  LoadBalancerSnapshot,
  WorldSnapshot,
} from '../../localstack/embedded/world-snapshot.ts';
import { until } from './until.ts';

export interface StandInState extends WorldSnapshot {
  /** Operations of the requests that a `hold` keeps waiting. */
  readonly held: readonly string[];
}

/** The stand-in's control routes over HTTP, from whatever process. */
export class StandInControl {
  readonly #base: string;

  constructor(endpoint: string) {
    this.#base = `${endpoint}/_embedded/`;
  }

  state(): Promise<StandInState> {
    return this.#ask('GET', 'state');
  }

  async balancers(): Promise<readonly LoadBalancerSnapshot[]> {
    return (await this.state()).loadBalancers;
  }

  async balancer(arn: string): Promise<LoadBalancerSnapshot | undefined> {
    return (await this.balancers()).find((balancer) => balancer.arn === arn);
  }

  /** Balancers that carry the ownership tags of this object, or had them given. */
  async balancersOf(namespace: string, name?: string): Promise<readonly LoadBalancerSnapshot[]> {
    return (await this.balancers()).filter(
      ({ tags }) =>
        tags['albridge.io/namespace'] === namespace &&
        (name === undefined || tags['albridge.io/name'] === name),
    );
  }

  async calls(operation?: string): Promise<readonly Call[]> {
    const query = operation === undefined ? '' : `?operation=${operation}`;
    return (await this.#ask<{ calls: readonly Call[] }>('GET', `calls${query}`)).calls;
  }

  /** Calls of the operator, that is of anybody whose user agent says albridge. */
  async operatorCalls(operation?: string): Promise<readonly Call[]> {
    const calls = await this.calls(operation);
    return calls.filter((call) => call.userAgent?.includes('albridge/'));
  }

  /** The operator's writes that name this balancer. */
  async writesOn(arn: string): Promise<readonly Call[]> {
    const calls = await this.operatorCalls();
    return calls.filter(
      ({ operation, input }) =>
        !operation.startsWith('Describe') && JSON.stringify(input).includes(arn),
    );
  }

  async clearCalls(): Promise<void> {
    await this.#ask('DELETE', 'calls');
  }

  async addFault(rule: FaultRule): Promise<void> {
    await this.#ask('POST', 'faults', rule);
  }

  async clearFaults(): Promise<void> {
    await this.#ask('DELETE', 'faults');
  }

  /** Waits until a request of this operation is held. */
  async whenHeld(operation: string): Promise<void> {
    const isHeld = async (): Promise<boolean> => (await this.state()).held.includes(operation);
    await until(`${operation} is held`, isHeld);
  }

  async release(operation?: string): Promise<void> {
    await this.#ask('POST', 'release', operation === undefined ? {} : { operation });
  }

  async changeSettings(patch: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#ask('PATCH', 'settings', patch);
  }

  /** Where the listeners of load balancers can be reached. */
  listeners(): Promise<readonly ListenerAddress[]> {
    return this.#ask('GET', 'listeners');
  }

  /** What is behind targets from now on, as a whole. */
  async setTargets(targets: readonly MappedTarget[]): Promise<void> {
    await this.#ask('PUT', 'targets', targets);
  }

  /** An instance that runs in this subnet. */
  async putInstance(id: string, subnetId: string): Promise<void> {
    await this.#ask('PUT', `instances/${id}`, { subnetId });
  }

  /** From now on this access key may do what the policy allows. */
  async setPolicy(accessKeyId: string, policy: Policy): Promise<void> {
    await this.#ask('PUT', `policies/${accessKeyId}`, policy);
  }

  async pinState(name: string, state: { readonly code: string; reason?: string }): Promise<void> {
    await this.#ask('PUT', `load-balancers/${name}/state`, state);
  }

  async unpinState(name: string): Promise<void> {
    await this.#ask('DELETE', `load-balancers/${name}/state`);
  }

  async reset(): Promise<void> {
    await this.#ask('POST', 'reset', { keepNetwork: true });
  }

  async #ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(this.#base + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const value = (await answer.json()) as T;
    if (!answer.ok) throw new Error(`${method} ${path}: ${JSON.stringify(value)}`);
    return value;
  }
}
