import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { POD_BLOCK } from '../../localstack/pod-block.ts';
import type { ClusterAccess } from './cluster-access.ts';
import { type ManagedProcess, type ProcessSpec, startProcess } from './managed-process.ts';

const stages = fileURLToPath(new URL('kwok-stages.yaml', import.meta.url));

/**
 * Starts kwok, which plays the kubelet of every node, and registers `nodes` nodes, `node-0` first.
 * Returns once pods may be scheduled to all of them: they are Ready and the controller-manager has
 * taken the taint off that every new node carries.
 * https://kubernetes.io/docs/reference/labels-annotations-taints/#node-kubernetes-io-not-ready
 */
export async function startKwok(
  spec: Omit<ProcessSpec, 'name' | 'args'>,
  cluster: ClusterAccess,
  options: { readonly nodes: number; readonly readyTimeoutMs: number },
): Promise<ManagedProcess> {
  const kwok = await startProcess({
    ...spec,
    name: 'kwok',
    args: [
      `--kubeconfig=${cluster.kubeconfigPath}`,
      `--config=${stages}`,
      '--manage-all-nodes=true',
      '--node-lease-duration-seconds=40',
      '--node-ip=10.128.0.1',
      `--cidr=${POD_BLOCK}`,
    ],
  });
  try {
    await registerNodes(cluster, options.nodes);
    await untilSchedulable(kwok, cluster, options);
    return kwok;
  } catch (error) {
    const tail = await kwok.logTail();
    await kwok.kill();
    throw new Error(`kwok did not start to work:\n${tail}`, { cause: error });
  }
}

async function registerNodes(cluster: ClusterAccess, count: number): Promise<void> {
  const items = Array.from({ length: count }, (_, index) => nodeNamed(`node-${index}`));
  const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  const { code, stderr } = await cluster.kubectl(['apply', '-f', '-'], { input });
  if (code !== 0) throw new Error(`register nodes: ${stderr.trim()}`);
}

function nodeNamed(name: string): object {
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'node-role.kubernetes.io/worker': '',
  };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
}

async function untilSchedulable(
  kwok: ManagedProcess,
  cluster: ClusterAccess,
  { nodes, readyTimeoutMs }: { readonly nodes: number; readonly readyTimeoutMs: number },
): Promise<void> {
  const deadline = performance.now() + readyTimeoutMs;
  while ((await countSchedulable(cluster)) < nodes) {
    if (kwok.hasExited()) throw new Error('kwok ended');
    if (performance.now() > deadline) throw new Error('its nodes are not ready');
    await sleep(100);
  }
}

interface Node {
  readonly spec: { readonly taints?: readonly object[] };
  readonly status: { readonly conditions?: readonly { type: string; status: string }[] };
}

async function countSchedulable(cluster: ClusterAccess): Promise<number> {
  const { stdout } = await cluster.kubectl(['get', 'nodes', '-o', 'json']);
  const { items } = JSON.parse(stdout || '{"items":[]}') as { readonly items: readonly Node[] };
  const isReady = ({ status }: Node): boolean =>
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  return items.filter((node) => isReady(node) && !node.spec.taints?.length).length;
}
