import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import type { KubeObject } from '../../src/core/kube-object.ts';
import type { Lease } from '../../src/kube/lease-record.ts';
import { accessCluster, type ClusterAccess } from '../control-plane/cluster-access.ts';
import { type Connection, connect, editIn, eventually, follow } from './reflector-harness.ts';

let cluster: ClusterAccess;
let admin: Connection;
const opened: (() => Promise<void>)[] = [];

beforeAll(() => {
  cluster = accessCluster(inject('controlPlane'));
  admin = connect(cluster);
});

afterEach(async () => {
  for (const close of opened.splice(0)) await close();
});

afterAll(async () => {
  await admin.close();
});

interface Candidate {
  readonly words: readonly string[];
  readonly signal: (name: NodeJS.Signals) => void;
}

function spawnCandidate(namespace: string, identity: string, skewMs = 0): Candidate {
  const script = fileURLToPath(new URL('lease-candidate.ts', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    [
      script,
      `--kubeconfig=${cluster.kubeconfigPath}`,
      `--namespace=${namespace}`,
      `--identity=${identity}`,
      `--skewMs=${skewMs}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const words: string[] = [];
  child.stdout?.on('data', (bytes: Buffer) => words.push(...bytes.toString().trim().split('\n')));
  child.once('exit', (code) => words.push(`exit ${code}`));
  opened.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return { words, signal: (name) => void child.kill(name) };
}

/** Who wrote the guarded object, in the order of the API server; repeats left out. */
async function followWriters(namespace: string): Promise<readonly string[]> {
  const editor = await editIn(admin.client, namespace);
  await editor.create('guarded');
  const { cache, reflector } = follow(admin.client, {
    namespace,
    fieldSelector: 'metadata.name=guarded',
  });
  const writers: string[] = [];
  cache.subscribe(({ object }) => {
    const { data } = object as KubeObject & { readonly data?: { readonly writer?: string } };
    if (data?.writer && data.writer !== writers.at(-1)) writers.push(data.writer);
  });
  opened.push(() => reflector.stop());
  await reflector.synced;
  return writers;
}

async function leaseIn(namespace: string): Promise<Lease> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/election`;
  return await admin.client.request<Lease>({ method: 'GET', path });
}

const dayMs = 24 * 3600_000;

describe('an election between processes', () => {
  it('behaviour 24: a stopped leader is succeeded after the full duration and writes nothing when it goes on', async () => {
    const namespace = 'lease-stopped';
    const writers = await followWriters(namespace);
    const first = spawnCandidate(namespace, 'first', -dayMs);
    await eventually(() => expect(writers).toEqual(['first']));
    const second = spawnCandidate(namespace, 'second', dayMs);
    await eventually(() => expect(second.words).toEqual(['started']));
    // Long enough for the second to see renewals, and for its wrong clock to mislead it if it could.
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(writers).toEqual(['first']);

    first.signal('SIGSTOP');
    const stoppedAt = performance.now();
    await eventually(() => expect(writers).toEqual(['first', 'second']));
    const tookMs = performance.now() - stoppedAt;
    expect(tookMs).toBeGreaterThan(2000);
    expect(tookMs).toBeLessThan(5000);

    first.signal('SIGCONT');
    await eventually(() => expect(first.words.at(-1)).toBe('exit 0'));
    expect(first.words).toContain('lost');
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(writers).toEqual(['first', 'second']);
    const { spec } = await leaseIn(namespace);
    expect(spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
  });

  it('behaviour 24: SIGTERM hands over within 2 s, and the two never write at once', async () => {
    const namespace = 'lease-released';
    const writers = await followWriters(namespace);
    const first = spawnCandidate(namespace, 'first');
    await eventually(() => expect(writers).toEqual(['first']));
    const second = spawnCandidate(namespace, 'second');
    await eventually(() => expect(second.words).toEqual(['started']));
    await new Promise((resolve) => setTimeout(resolve, 1000));

    first.signal('SIGTERM');
    const endedAt = performance.now();
    await eventually(() => expect(writers).toEqual(['first', 'second']));
    expect(performance.now() - endedAt).toBeLessThan(2000);
    await eventually(() => expect(first.words.at(-1)).toBe('exit 0'));
    expect(first.words).toContain('released');
    expect(first.words).not.toContain('lost');

    second.signal('SIGTERM');
    await eventually(() => expect(second.words.at(-1)).toBe('exit 0'));
    const { spec } = await leaseIn(namespace);
    expect(spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(spec?.renewTime).toMatch(/\.\d{6}Z$/);
    expect(writers).toEqual(['first', 'second']);
  });

  it('ends when the Lease is taken away from the leader', async () => {
    const namespace = 'lease-taken';
    const writers = await followWriters(namespace);
    const first = spawnCandidate(namespace, 'first');
    await eventually(() => expect(writers).toEqual(['first']));
    const patch = JSON.stringify({ spec: { holderIdentity: 'somebody' } });
    const args = ['patch', 'lease', 'election', '-n', namespace, '--type=merge', '-p', patch];
    expect((await cluster.kubectl(args)).code).toBe(0);
    await eventually(() => expect(first.words.at(-1)).toBe('exit 0'));
    expect(first.words).toContain('lost');
    expect((await leaseIn(namespace)).spec?.holderIdentity).toBe('somebody');
  });
});
