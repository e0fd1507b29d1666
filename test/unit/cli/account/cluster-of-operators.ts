import type { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { KubeError } from '../../../../src/kube/client/kube-error.ts';

/** UID of its kube-system. */
export const UID = 'f2c1';

interface Placed {
  readonly namespace: string;
  readonly name?: string;
  readonly env?: readonly object[];
  readonly image?: string;
  readonly creationTimestamp?: string;
  readonly generation?: number;
  readonly status?: object;
}

/** A Deployment with the label, whose ServiceAccount is `albridge`. */
export function deployment({
  env = [],
  name = 'albridge',
  image = 'albridge:0.0.1',
  status = {},
  ...metadata
}: Placed): object {
  const containers = [{ name: 'operator', image, env }];
  return {
    metadata: { ...metadata, name },
    spec: { replicas: 2, template: { spec: { serviceAccountName: 'albridge', containers } } },
    status,
  };
}

export function named(clusterId: string): readonly object[] {
  return [{ name: 'ALBRIDGE_CLUSTER_ID', value: clusterId }];
}

interface ClusterOptions {
  readonly deployments: readonly object[];
  /** Data of every ConfigMap. */
  readonly configMaps?: Readonly<Record<string, string>>;
  /** Namespaces in which the ServiceAccount of a namespace may do an operator's work; `*`: in all of them. */
  readonly rights?: Readonly<Record<string, readonly string[]>>;
  /** What the caller may not do. */
  readonly refused?: 'reviews' | 'deployments' | 'configmaps';
}

export interface FakeCluster {
  readonly client: KubeClient;
  /** The path of each request. */
  readonly asked: readonly string[];
}

/** Deployments and what their ServiceAccounts may do, as an API server answers. */
export function createCluster(options: ClusterOptions): FakeCluster {
  const asked: string[] = [];
  const client = {
    request: async ({ path, body = '{}' }: { readonly path: string; readonly body?: string }) => {
      asked.push(path);
      const [, answer] = ANSWERS.find(([pattern]) => pattern.test(path)) ?? [];
      if (answer === undefined) throw forbid();
      return answer(options, body);
    },
  } as unknown as KubeClient;
  return { client, asked };
}

type Answer = (options: ClusterOptions, body: string) => object;

const ANSWERS: readonly (readonly [RegExp, Answer])[] = [
  [/\/namespaces\/kube-system$/, () => ({ metadata: { uid: UID } })],
  [
    /\/configmaps\//,
    ({ configMaps = {}, refused }) => {
      if (refused === 'configmaps') throw forbid();
      return { data: configMaps };
    },
  ],
  [
    /\/deployments$/,
    ({ deployments, refused }) => {
      if (refused === 'deployments') throw forbid();
      return { metadata: {}, items: deployments };
    },
  ],
  [/\/subjectaccessreviews$/, review],
];

interface Review {
  readonly spec: {
    readonly user: string;
    readonly resourceAttributes: { readonly namespace?: string };
  };
}

function review({ rights = {}, refused }: ClusterOptions, body: string): object {
  if (refused === 'reviews') throw forbid();
  const { spec } = JSON.parse(body) as Review;
  const [, , place = ''] = spec.user.split(':');
  const granted = rights[place] ?? [];
  const { namespace = '*' } = spec.resourceAttributes;
  return { status: { allowed: granted.includes('*') || granted.includes(namespace) } };
}

function forbid(): KubeError {
  return new KubeError({ status: 403, message: 'forbidden', reason: 'Forbidden' });
}
