import { describe, expect, it } from 'vitest';
import type { ServedGroup } from '../../../../../src/controllers/targets/group.ts';
import { draftService, HTTP_PORT } from '../endpoints.ts';
import { addressOf, filled, SHOP, servedBy, TargetsBench } from '../targets-bench.ts';
import { draftNode, instanceOf } from './nodes.ts';

const SYNCED = { nodesSynced: Promise.resolve() };
const INSTANCES: Partial<ServedGroup> = { targetType: 'instance' };

function withNodePort(nodePort: number): ReturnType<typeof draftService> {
  const ports = [{ ...HTTP_PORT, nodePort }];
  return draftService('shop', { type: 'NodePort', ports, selector: { app: 'shop' } });
}

function namesOf(...indexes: readonly number[]): readonly string[] {
  return indexes.map((index) => `${instanceOf(index)}:30080`);
}

/** A group that was filled with these nodes some time ago, in use. */
async function filledWith(
  ...nodes: readonly number[]
): Promise<{ readonly bench: TargetsBench; readonly arn: string }> {
  const bench = new TargetsBench(SYNCED);
  const arn = bench.group('web', { TargetType: 'instance' });
  bench.kube.create(withNodePort(30_080));
  for (const node of nodes) bench.putNode(node);
  bench.publish(arn, { ...INSTANCES, isNew: true });
  await bench.clock.settle();
  bench.check('web', 'healthy');
  await bench.clock.advance(60_000);
  bench.sent();
  return { bench, arn };
}

describe('a group of instances', () => {
  it('is filled with the nodes of the cluster', async () => {
    const { bench, arn } = await filledWith(1, 2);
    expect(bench.registered(arn)).toEqual(namesOf(1, 2));
    expect(bench.state).toMatchObject({ desired: 2, registered: 2, healthy: 2, isFilled: true });
  });

  it('gets a node that comes, and gives up the one that goes', async () => {
    const { bench, arn } = await filledWith(1);
    bench.putNode(2);
    bench.kube.delete(draftNode(1));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(2));
    expect(bench.sent()).toEqual(['RegisterTargets 1', 'DeregisterTargets 1']);
  });

  it('keeps a node that is about to be removed until another one is registered', async () => {
    const { bench, arn } = await filledWith(1);
    bench.refuse('RegisterTargets', 'InternalFailure', { times: 1 });
    bench.putNode(2);
    bench.putNode(1, { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] });
    await bench.clock.settle();
    expect(bench.registered(arn)).toEqual(namesOf(1));
    await bench.clock.advance(60_000);
    expect(bench.registered(arn)).toEqual(namesOf(2));
  });

  it('keeps all nodes while no kubelet is heard', async () => {
    const { bench, arn } = await filledWith(1, 2);
    for (const node of [1, 2]) bench.putNode(node, { ready: 'Unknown' });
    await bench.clock.advance(120_000);
    expect(bench.registered(arn)).toEqual(namesOf(1, 2));
  });

  it('follows another node port, the new one first', async () => {
    const { bench, arn } = await filledWith(1);
    bench.kube.edit(withNodePort(0), (live) => ({ ...live, spec: withNodePort(30_081).spec }));
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual([`${instanceOf(1)}:30081`]);
    expect(bench.sent()).toEqual(['RegisterTargets 1', 'DeregisterTargets 1']);
  });

  it('leaves a node out that AWS refuses, and registers the others', async () => {
    const { bench, arn } = await filledWith(1);
    bench.putLostNode(draftNode(7));
    bench.putNode(2);
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(1, 2));
    expect(bench.state.problem?.reason).toBe('InvalidTarget');
  });

  it('costs nothing when a node is written and stays what it is', async () => {
    const { bench } = await filledWith(1);
    bench.putNode(1, { labels: { 'a-label': 'of others' } });
    await bench.clock.advance(5_000);
    expect(bench.sent()).toEqual([]);
  });

  it('keeps its targets when an API server that lost its nodes has none', async () => {
    const { bench, arn } = await filledWith(1, 2);
    for (const node of [1, 2]) bench.kube.delete(draftNode(node));
    await bench.clock.advance(120_000);
    expect(bench.registered(arn)).toEqual(namesOf(1, 2));
  });

  it('is waited for by its successor of the same Service while that may have pods, and not without', async () => {
    const { bench, arn } = await filledWith(1);
    const read = (): unknown => bench.targets.readForStatus(SHOP);
    bench.targets.publish(SHOP, [
      servedBy(bench.group('pods'), { isNew: true }),
      servedBy(arn, { ...INSTANCES, isReplaced: true }),
    ]);
    await bench.clock.advance(5_000);
    expect(read()).toMatchObject([{ desired: 0, isReplacing: true }]);
    bench.woken.splice(0);
    bench.runPods({});
    await bench.clock.advance(1_000);
    expect(bench.registered(arn)).toEqual(namesOf(1));
    expect(bench.woken).toHaveLength(1);
    expect(read()).not.toMatchObject([{ isReplacing: true }]);
    bench.runPods({ [addressOf(0)]: 'unready' });
    await bench.clock.advance(1_000);
    expect(read()).toMatchObject([{ desired: 0, isReplacing: true }]);
  });
});

describe('the watch on nodes', () => {
  it('is opened for the first group of instances, and once', async () => {
    const bench = new TargetsBench(SYNCED);
    bench.publish(bench.group('pods'));
    await bench.clock.settle();
    expect(bench.nodeWatches).toBe(0);
    const more = { ...INSTANCES, isNew: true };
    const [one, two] = ['a', 'b'].map((name) => bench.group(name, { TargetType: 'instance' }));
    bench.targets.publish(SHOP, [servedBy(one ?? '', more), servedBy(two ?? '', more)]);
    await bench.clock.settle();
    expect(bench.nodeWatches).toBe(1);
  });

  it('is not opened for pods', async () => {
    const { bench } = await filled();
    expect(bench.nodeWatches).toBe(0);
  });

  it('takes nothing out before all nodes are read, and says so if that takes long', async () => {
    const synced = Promise.withResolvers<void>();
    const bench = new TargetsBench({ nodesSynced: synced.promise });
    const arn = bench.group('web', { TargetType: 'instance' });
    bench.kube.create(withNodePort(30_080));
    for (const node of [1, 2]) bench.putNode(node);
    const Targets = [1, 2].map((node) => ({ Id: instanceOf(node), Port: 30_080 }));
    bench.outOfBand('RegisterTargets', { TargetGroupArn: arn, Targets });
    bench.kube.delete(draftNode(2));
    bench.publish(arn, INSTANCES);
    await bench.clock.advance(4_000);
    expect(bench.state.problem).toBeUndefined();
    await bench.clock.advance(60_000);
    expect(bench.state.problem?.reason).toBe('NodesUnknown');
    expect(bench.registered(arn)).toEqual(namesOf(1, 2));
    synced.resolve();
    await bench.clock.advance(60_000);
    expect(bench.registered(arn)).toEqual(namesOf(1));
    expect(bench.state.problem).toBeUndefined();
  });

  it('is none where single namespaces are served: targets stay as they are, with the reason', async () => {
    const bench = new TargetsBench();
    const arn = bench.group('web', { TargetType: 'instance' });
    bench.kube.create(withNodePort(30_080));
    bench.putNode(1);
    const Targets = [{ Id: instanceOf(1), Port: 30_080 }];
    bench.outOfBand('RegisterTargets', { TargetGroupArn: arn, Targets });
    bench.publish(arn, INSTANCES);
    await bench.clock.advance(60_000);
    expect(bench.registered(arn)).toEqual(namesOf(1));
    expect(bench.state.problem?.reason).toBe('BackendUnsupported');
  });
});
