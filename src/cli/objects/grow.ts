import type { ConfigMonitor } from '../../apis/config-monitor.ts';
import type { ImmortalContainer } from '../../apis/immortal-container.ts';
import type { MyIngress } from '../../apis/my-ingress.ts';
import type { Condition } from '../../core/objects/conditions.ts';
import { endpointSliceKind, podKind } from '../../kube/client/built-in-kinds.ts';
import type { CommandContext } from '../command.ts';
import { joinAttachedRoutes } from './attached-routes.ts';
import { type Health, isAsDesired, summarise } from './health.ts';
import { growMyIngress } from './my-ingress-tree.ts';
import { growPod, growTargets, type ListedPod, type ListedSlice, SERVICE_LABEL } from './pods.ts';
import { type FoundObject, type Listed, listInNamespace, type OurObject } from './read.ts';
import type { TreeNode } from './tree.ts';

const LEADING_TYPES: ReadonlySet<string> = new Set(['Ready', 'Stalled', 'Reconciling']);
const HEALTH_OF = { True: 'good', False: 'bad', Unknown: 'warning' } as const;

/** Reads everything below an object that the caller may read. */
export async function growObject(found: FoundObject, context: CommandContext): Promise<TreeNode> {
  const { kind, object } = found;
  const health = summarise(object);
  const { ready, condition, reason, message } = health;
  const rest = (object.status?.conditions ?? []).filter((one) => isWorthANode(one, health));
  return {
    kind: kind.kind,
    name: `${object.metadata.namespace}/${object.metadata.name}`,
    state: ready === 'True' ? 'Ready' : condition || 'Ready Unknown',
    health: HEALTH_OF[ready],
    ...{ reason, message },
    children: [...rest.map(growCondition), ...(await growBelow(found, context))],
  };
}

/** Not what the first line says. */
function isWorthANode(condition: Condition, first: Health): boolean {
  const { type, reason, message } = condition;
  const isSaid = first.reason === reason && first.message.endsWith(message);
  return !isSaid && !LEADING_TYPES.has(type) && !isAsDesired(condition);
}

function growCondition({ type, status, reason, message }: Condition): TreeNode {
  const health = status === 'Unknown' ? 'warning' : 'bad';
  return { kind: 'condition', name: type, state: status, health, reason, message };
}

async function growBelow(
  { kind, object }: FoundObject,
  context: CommandContext,
): Promise<readonly TreeNode[]> {
  switch (kind.kind) {
    case 'MyIngress': {
      const joined = joinAttachedRoutes(object as MyIngress, context);
      const [ingress, targets] = await Promise.all([joined, readTargets(object, context)]);
      return growMyIngress(ingress, targets);
    }
    case 'ConfigMonitor':
      return growMonitor(object as ConfigMonitor);
    case 'ImmortalContainer':
      return growImmortal(object as ImmortalContainer, context);
    default:
      return growSelected(object, context);
  }
}

export async function readTargets(
  { metadata: { namespace } }: OurObject,
  { cluster, signal }: CommandContext,
): Promise<ReadonlyMap<string, readonly TreeNode[]>> {
  const listed = { kind: endpointSliceKind, namespace, labelSelector: SERVICE_LABEL };
  const slices = await listInNamespace<ListedSlice>(cluster(), listed, signal);
  return growTargets(slices ?? []);
}

function growMonitor({ status }: ConfigMonitor): readonly TreeNode[] {
  if (status === undefined) return [];
  return [growSources(status), growProgress(status), growRestarts(status)];
}

type MonitorStatus = Partial<ConfigMonitor['status']>;

function growSources({ sources = [], source = '-' }: MonitorStatus): TreeNode {
  const names = sources.map(({ kind, name }) => `${kind}/${name}`);
  return { kind: 'sources', name: names.join(' ') || source };
}

function growProgress({ progress = '-', pendingPods = 0 }: MonitorStatus): TreeNode {
  const node = { kind: 'pods', name: progress };
  if (pendingPods > 0) return { ...node, state: `${pendingPods} to restart`, health: 'warning' };
  return { ...node, state: 'none to restart', health: 'good' };
}

function growRestarts({ restarts = 0, lastRestartTime, rollout }: MonitorStatus): TreeNode {
  return {
    ...{ kind: 'restarts', name: `${restarts}` },
    ...(lastRestartTime && { state: `last at ${lastRestartTime}` }),
    ...(rollout && { message: `a restart is in progress since ${rollout.startTime}` }),
  };
}

async function growImmortal(
  { metadata, status }: ImmortalContainer,
  context: CommandContext,
): Promise<readonly TreeNode[]> {
  const { currentPod, startTimes = 0, containerRestarts = 0, lastTermination } = status ?? {};
  const { namespace } = metadata;
  const fieldSelector = `metadata.name=${currentPod ?? ''}`;
  const pods =
    currentPod === undefined ? [] : await growPods({ namespace, fieldSelector }, context);
  const last = lastTermination && `last ended ${lastTermination.reason} at ${lastTermination.time}`;
  const starts = `${startTimes} pods started, ${containerRestarts} restarts of the container in this one`;
  return [...pods, { kind: 'starts', name: starts, ...(last && { message: last }) }];
}

interface Selecting extends OurObject {
  readonly status?: NonNullable<OurObject['status']> & { readonly selector?: string };
}

function growSelected(
  { metadata, status }: Selecting,
  context: CommandContext,
): Promise<readonly TreeNode[]> {
  if (!status?.selector) return Promise.resolve([]);
  const { namespace } = metadata;
  return growPods({ namespace, labelSelector: status.selector }, context);
}

async function growPods(
  chosen: Omit<Listed, 'kind'>,
  { cluster, signal }: CommandContext,
): Promise<readonly TreeNode[]> {
  const listed = { kind: podKind, ...chosen };
  const pods = await listInNamespace<ListedPod>(cluster(), listed, signal);
  return pods?.map(growPod) ?? [{ kind: 'pods', name: '-', message: 'you may not list pods' }];
}
