import { setTimeout as sleep } from 'node:timers/promises';
import type { Namespace, Stored } from './place.ts';

const GROUP = 'test.albridge.io';

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `fleets.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind: 'Fleet', plural: 'fleets', singular: 'fleet' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

/**
 * A kind that albridge does not know, with a controller that keeps a number of pods, as that of an Argo
 * Rollout does. Nothing but the owner references of the pods says who owns them.
 */
export class FleetController {
  readonly #namespace: Namespace;
  readonly #labels: Readonly<Record<string, string>>;
  #desired: number;
  #isStopped = false;
  #count = 0;
  #running: Promise<void> = Promise.resolve();

  constructor(namespace: Namespace, labels: Readonly<Record<string, string>>, pods: number) {
    this.#namespace = namespace;
    this.#labels = labels;
    this.#desired = pods;
  }

  /** Creates the CRD, once for the cluster, and the object. */
  async start(name: string): Promise<Stored> {
    await this.#namespace.apply(DEFINITION);
    await this.#namespace.kubectl([
      ...['wait', '--for=condition=Established', '--timeout=120s', `crd/fleets.${GROUP}`],
    ]);
    const of = { apiVersion: `${GROUP}/v1`, kind: 'Fleet', metadata: { name } };
    await this.#namespace.apply(of);
    const fleet = await this.#namespace.get('fleets', name);
    this.#running = this.#run(fleet);
    return fleet;
  }

  /** It looks at its pods no more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  scale(pods: number): void {
    this.#desired = pods;
  }

  async #run(fleet: Stored): Promise<void> {
    while (!this.#isStopped) {
      const pods = await this.#namespace.list('pods');
      const there = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      for (let n = there.length; n < this.#desired; n++) await this.#startPod(fleet);
      for (const { metadata } of there.slice(this.#desired)) {
        await this.#namespace.kubectl(['delete', 'pod', metadata.name, '--wait=false']);
      }
      await sleep(100);
    }
  }

  async #startPod({ apiVersion, kind, metadata: { name, uid } }: Stored): Promise<void> {
    await this.#namespace.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${++this.#count}`,
        labels: this.#labels,
        ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
      },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    });
  }
}
