import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import { isRunning } from '../unit/control-plane/process-state.ts';

const FULL = { controllerManager: true, scheduler: true, nodes: 2 } as const;

interface Pod {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

let plane: ControlPlane;

beforeAll(async () => {
  plane = await startControlPlane(FULL);
});

afterAll(() => plane.stop());

async function kubectl(args: readonly string[], input?: object): Promise<string> {
  const options = input === undefined ? {} : { input: JSON.stringify(input) };
  const { code, stdout, stderr } = await plane.kubectl(args, options);
  expect({ code, stderr }, `kubectl ${args.join(' ')}`).toMatchObject({ code: 0 });
  return stdout;
}

async function podsOf(app: string): Promise<readonly Pod[]> {
  const json = await kubectl(['get', 'pods', '-l', `app=${app}`, '-o', 'json']);
  return (JSON.parse(json) as { readonly items: readonly Pod[] }).items;
}

function conditionOf({ status }: Pod, type: string): string | undefined {
  return status.conditions?.find((condition) => condition.type === type)?.status;
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid;
}

async function rollOut(name: string, replicas: number): Promise<readonly Pod[]> {
  await kubectl(['create', 'deployment', name, '--image=nginx', `--replicas=${replicas}`]);
  await kubectl(['rollout', 'status', `deployment/${name}`, '--timeout=120s']);
  return podsOf(name);
}

/** POST to pods/eviction, which obeys PodDisruptionBudgets. */
function evict(name: string): Promise<{ readonly code: number; readonly stderr: string }> {
  const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
  const input = JSON.stringify({ apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name } });
  return plane.kubectl(['create', '--raw', path, '-f', '-'], { input });
}

describe('a control plane with nodes', { concurrent: false }, () => {
  it('has as many as it was asked for, ready and open to pods', async () => {
    expect(plane.pids()).toHaveLength(5);
    const names = await kubectl(['get', 'nodes', '-o', 'jsonpath={.items[*].metadata.name}']);
    expect(names).toBe('node-0 node-1');
    await kubectl(['wait', '--for=condition=Ready', 'node', '--all', '--timeout=120s']);
  });

  it('makes the pods of a Deployment Running and Ready, each with an address', async () => {
    const pods = await rollOut('web', 3);
    expect(pods.map(({ status }) => status.phase)).toEqual(['Running', 'Running', 'Running']);
    expect(pods.map((pod) => conditionOf(pod, 'Ready'))).toEqual(['True', 'True', 'True']);
    expect(new Set(pods.map(({ status }) => status.podIP)).size).toBe(3);
  });

  it('replaces a pod that is deleted', async () => {
    const [first] = await rollOut('deleted', 1);
    await kubectl(['delete', 'pod', first?.metadata.name ?? '', '--timeout=120s']);
    const running = async (): Promise<readonly string[]> => {
      const pods = await podsOf('deleted');
      return pods.filter((pod) => conditionOf(pod, 'Ready') === 'True').map(uidOf);
    };
    await expect.poll(running, { timeout: 120_000 }).toHaveLength(1);
    expect(await running()).not.toContain(first && uidOf(first));
  });

  it('evicts a pod, and not beyond what a PodDisruptionBudget allows', async () => {
    const [first, second] = await rollOut('evicted', 2);
    expect(await evict(first?.metadata.name ?? '')).toMatchObject({ code: 0 });
    await kubectl(['rollout', 'status', 'deployment/evicted', '--timeout=120s']);
    const budget = ['pdb', 'evicted', '--selector=app=evicted', '--min-available=2'];
    await kubectl(['create', ...budget]);
    const isHealthy = '--for=jsonpath={.status.currentHealthy}=2';
    await kubectl(['wait', 'pdb/evicted', isHealthy, '--timeout=120s']);
    const refused = await evict(second?.metadata.name ?? '');
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("violate the pod's disruption budget");
  });

  it('keeps a pod from becoming ready where its annotation says so', async () => {
    const metadata = {
      name: 'stuck',
      labels: { app: 'stuck' },
      annotations: { 'test.albridge.io/never-ready': 'true' },
    };
    const spec = { containers: [{ name: 'app', image: 'nginx' }] };
    await kubectl(['apply', '-f', '-'], { apiVersion: 'v1', kind: 'Pod', metadata, spec });
    await kubectl([
      'wait',
      'pod/stuck',
      '--for=jsonpath={.status.phase}=Running',
      '--timeout=120s',
    ]);
    const [pod] = await podsOf('stuck');
    expect(pod && conditionOf(pod, 'Ready')).toBe('False');
  });

  it('leaves a pod Pending while every node is cordoned', async () => {
    await kubectl(['cordon', 'node-0', 'node-1']);
    const cordoned = '{.spec.taints[*].key}=node.kubernetes.io/unschedulable';
    const nodes = ['node/node-0', 'node/node-1'];
    await kubectl(['wait', ...nodes, `--for=jsonpath=${cordoned}`, '--timeout=120s']);
    await kubectl(['run', 'waiting', '--image=nginx', '--labels=app=waiting']);
    const unscheduled = '{.status.conditions[?(@.type=="PodScheduled")].reason}=Unschedulable';
    await kubectl(['wait', 'pod/waiting', `--for=jsonpath=${unscheduled}`, '--timeout=120s']);
    expect((await podsOf('waiting'))[0]?.status.phase).toBe('Pending');
    await kubectl(['uncordon', 'node-0', 'node-1']);
    await kubectl(['wait', 'pod/waiting', '--for=condition=Ready', '--timeout=120s']);
  });

  it('leaves no process behind when it stops', async () => {
    const pids = plane.pids();
    await plane.stop();
    expect(pids.filter(isRunning)).toEqual([]);
  });
});

describe('a control plane whose nodes could never take a pod', () => {
  it('is refused before anything starts', async () => {
    await expect(startControlPlane({ nodes: 1 })).rejects.toThrow(
      'nodes take pods only with controllerManager and scheduler',
    );
  });
});

describe('a control plane with nodes whose owner is killed', () => {
  it('ends with its owner', async () => {
    const module = new URL('../control-plane/control-plane.ts', import.meta.url).href;
    const script = `
      const { startControlPlane } = await import('${module}');
      const plane = await startControlPlane(${JSON.stringify(FULL)});
      console.log(JSON.stringify({ pids: plane.pids(), directory: plane.directory }));
      setInterval(() => undefined, 1000);
    `;
    const args = ['--input-type=module', '-e', script];
    const owner = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const { pids, directory } = JSON.parse(line.toString()) as {
      readonly pids: readonly number[];
      readonly directory: string;
    };
    expect(pids.filter(isRunning)).toHaveLength(5);
    owner.kill('SIGKILL');
    await expect.poll(() => pids.filter(isRunning), { timeout: 120_000 }).toEqual([]);
    await expect.poll(() => existsSync(directory), { timeout: 120_000 }).toBe(false);
  });
});
