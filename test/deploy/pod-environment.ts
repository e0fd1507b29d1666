import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';

type Strings = Readonly<Record<string, string>>;

/** As much of a pod as it takes to play it. */
export interface Pod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly deletionTimestamp?: string;
  };
  readonly spec: {
    readonly serviceAccountName: string;
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly volumes?: readonly {
      readonly name: string;
      readonly configMap?: { readonly name: string };
      readonly projected?: unknown;
    }[];
    readonly nodeName?: string;
  };
  readonly status?: { readonly phase?: string };
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly env?: readonly Variable[];
  readonly envFrom?: readonly {
    readonly configMapRef: { readonly name: string; readonly optional?: boolean };
  }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string | number };
}

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: { readonly fieldRef: { readonly fieldPath: string } };
}

/** What a kubelet would set: `envFrom` first, `env` over it. Throws for a source that it does not know. */
export async function environmentOf(
  cluster: ClusterAccess,
  pod: Pod,
  { env = [], envFrom = [] }: Container,
): Promise<Strings> {
  const maps = await Promise.all(
    envFrom.map(({ configMapRef }) => dataOf(cluster, pod.metadata.namespace, configMapRef)),
  );
  const own = env.map((variable) => [variable.name, valueOf(variable, pod)]);
  return Object.assign({}, ...maps, Object.fromEntries(own)) as Strings;
}

async function dataOf(
  cluster: ClusterAccess,
  namespace: string,
  { name, optional = false }: { readonly name: string; readonly optional?: boolean },
): Promise<Strings> {
  const missing = optional ? ['--ignore-not-found'] : [];
  const args = ['-n', namespace, 'get', 'configmap', name, '-o', 'json', ...missing];
  const json = await kubectlOrThrow(cluster, args);
  return json === '' ? {} : (JSON.parse(json) as { readonly data: Strings }).data;
}

function valueOf({ name, value, valueFrom }: Variable, { metadata }: Pod): string {
  if (value !== undefined) return value;
  switch (valueFrom?.fieldRef.fieldPath) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace;
    default:
      throw new Error(`${name} comes from ${JSON.stringify(valueFrom)}, which is not played here`);
  }
}
