import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { KubeApi } from '../surroundings/kube-api.ts';
import { until } from '../surroundings/until.ts';
import type { RealParts } from './bench-place.ts';
import { type Seen, WatchStream } from './watch-stream.ts';

const PATHS = {
  pods: 'api/v1',
  configmaps: 'api/v1',
  secrets: 'api/v1',
  services: 'api/v1',
  serviceaccounts: 'api/v1',
  deployments: 'apis/apps/v1',
  webapps: 'apis/apps.example.com/v1',
  configmonitors: 'apis/magalix.com/v1',
  immortalcontainers: 'apis/immortalcontainer.flugel.it/v1alpha1',
} as const;

export type Plural = keyof typeof PATHS;

let grounds = 0;

/** A namespace for objects of any kind. */
export class KindGround {
  readonly namespace: string;
  readonly #parts: RealParts;

  private constructor(parts: RealParts, namespace: string) {
    this.#parts = parts;
    this.namespace = namespace;
  }

  static async create(parts: RealParts): Promise<KindGround> {
    const namespace = `kinds-${++grounds}`;
    const body = { metadata: { name: namespace } };
    await parts.api.ask({ method: 'POST', path: '/api/v1/namespaces', body });
    return new KindGround(parts, namespace);
  }

  get api(): KubeApi {
    return this.#parts.api;
  }

  /** Pods are refused before. */
  async untilPodsAreTaken(): Promise<void> {
    const path = this.path('serviceaccounts', 'default');
    await until('the ServiceAccount', async () => {
      return (await this.api.send({ method: 'GET', path })).code === 200;
    });
  }

  post<T extends KubeObject>(plural: Plural, body: object): Promise<T> {
    return this.api.ask<T>({ method: 'POST', path: this.path(plural), body });
  }

  get<T extends KubeObject>(plural: Plural, name: string): Promise<T> {
    return this.api.ask<T>({ method: 'GET', path: this.path(plural, name) });
  }

  async patch(plural: Plural, name: string, body: object): Promise<void> {
    await this.api.ask({ method: 'PATCH', path: this.path(plural, name), body });
  }

  async deleteNow(plural: Plural, name: string): Promise<void> {
    const path = `${this.path(plural, name)}?gracePeriodSeconds=0`;
    await this.api.ask({ method: 'DELETE', path });
  }

  watch<T extends KubeObject>(
    plural: Plural,
    onEvent: (seen: Seen<T>) => void,
  ): Promise<WatchStream<T>> {
    return WatchStream.open<T>(this.#parts.cluster, { path: this.path(plural), onEvent });
  }

  path(plural: Plural, name?: string): string {
    const all = `/${PATHS[plural]}/namespaces/${this.namespace}/${plural}`;
    return name === undefined ? all : `${all}/${name}`;
  }
}
