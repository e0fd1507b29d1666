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
  readonly envFrom?: readonly { readonly configMapRef: ConfigMapRef }[];
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
  readonly valueFrom?: {
    readonly fieldRef?: { readonly fieldPath: string };
    readonly configMapKeyRef?: ConfigMapRef & { readonly key: string };
  };
}

interface ConfigMapRef {
  readonly name: string;
  readonly optional?: boolean;
}

/**
 * What a kubelet would set: `envFrom`, which earlier versions had, then `env` over it. Throws for a
 * source that it does not know.
 */
export async function environmentOf(
  cluster: ClusterAccess,
  pod: Pod,
  { env = [], envFrom = [] }: Container,
): Promise<Strings> {
  const { namespace } = pod.metadata;
  const read = new Map<string, Promise<Strings>>();
  const readMap = (ref: ConfigMapRef): Promise<Strings> => {
    const data = read.get(ref.name) ?? dataOf(cluster, namespace, ref);
    read.set(ref.name, data);
    return data;
  };
  const maps = await Promise.all(envFrom.map(({ configMapRef }) => readMap(configMapRef)));
  const own = env.map(async (variable) => {
    const ref = variable.valueFrom?.configMapKeyRef;
    return [variable.name, ref ? (await readMap(ref))[ref.key] : valueOf(variable, pod)] as const;
  });
  const set = (await Promise.all(own)).filter(([, value]) => value !== undefined);
  return Object.assign({}, ...maps, Object.fromEntries(set)) as Strings;
}

async function dataOf(
  cluster: ClusterAccess,
  namespace: string,
  { name, optional = false }: ConfigMapRef,
): Promise<Strings> {
  const missing = optional ? ['--ignore-not-found'] : [];
  const args = ['-n', namespace, 'get', 'configmap', name, '-o', 'json', ...missing];
  const json = await kubectlOrThrow(cluster, args);
  return json === '' ? {} : (JSON.parse(json) as { readonly data: Strings }).data;
}

function valueOf({ name, value, valueFrom }: Variable, { metadata }: Pod): string {
  // An empty value is not stored.
  if (valueFrom === undefined) return value ?? '';
  switch (valueFrom.fieldRef?.fieldPath) {
    case 'metadata.name':
      return metadata.name;
    case 'metadata.namespace':
      return metadata.namespace;
    default:
      throw new Error(`${name} comes from ${JSON.stringify(valueFrom)}, which is not played here`);
  }
}
