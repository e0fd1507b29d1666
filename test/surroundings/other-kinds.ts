import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { KubeApi } from './kube-api.ts';

/** A kind beside MyIngress, and the least that an object of it says. */
interface OtherKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly plural: string;
  readonly spec: (name: string) => object;
}

const image = 'nginx:1.25';

/** A ConfigMonitor watches the ConfigMap of its own name. */
export const OTHER_KINDS: readonly OtherKind[] = [
  {
    kind: 'WebApp',
    apiVersion: 'apps.example.com/v1',
    plural: 'webapps',
    spec: () => ({ image }),
  },
  {
    kind: 'MyApp',
    apiVersion: 'demo.rtfm.co.ua/v1',
    plural: 'myapps',
    spec: () => ({ image, banner: 'hello' }),
  },
  {
    kind: 'ImmortalContainer',
    apiVersion: 'immortalcontainer.flugel.it/v1alpha1',
    plural: 'immortalcontainers',
    spec: () => ({ image }),
  },
  {
    kind: 'ConfigMonitor',
    apiVersion: 'magalix.com/v1',
    plural: 'configmonitors',
    spec: (name) => ({ configmap: name, podSelector: { app: name } }),
  },
];

type Observed = KubeObject & { readonly status?: { readonly observedGeneration?: number } };

/** The objects of these kinds in one namespace. */
export class OtherObjects {
  readonly #api: KubeApi;
  readonly #namespace: string;

  constructor(api: KubeApi, namespace: string) {
    this.#api = api;
    this.#namespace = namespace;
  }

  /** One of each kind. */
  async create(name: string): Promise<void> {
    await Promise.all(
      OTHER_KINDS.map(({ kind, apiVersion, plural, spec }) => {
        const body = { apiVersion, kind, metadata: { name }, spec: spec(name) };
        return this.#api.ask({ method: 'POST', path: this.#path(apiVersion, plural), body });
      }),
    );
  }

  /** The kinds of those that are reconciled in their newest generation. */
  async listReconciled(): Promise<readonly string[]> {
    const lists = await Promise.all(
      OTHER_KINDS.map(async ({ kind, apiVersion, plural }) => {
        const path = this.#path(apiVersion, plural);
        const { items } = await this.#api.ask<{ items: readonly Observed[] }>({
          method: 'GET',
          path,
        });
        return items.filter(isReconciled).map(() => kind);
      }),
    );
    return lists.flat();
  }

  #path(apiVersion: string, plural: string): string {
    return `/apis/${apiVersion}/namespaces/${this.#namespace}/${plural}`;
  }
}

function isReconciled({ metadata, status }: Observed): boolean {
  return status?.observedGeneration === metadata.generation;
}
