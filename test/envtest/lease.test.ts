import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import type { Lease } from '../../src/kube/lease/lease.ts';
import { accessCluster, type ClusterAccess } from '../control-plane/cluster-access.ts';
import { type Connection, connect, editIn, eventually, follow } from './reflector-harness.ts';

let cluster: ClusterAccess;
let admin: Connection;
const opened: (() => Promise<void>)[] = [];

beforeAll(() => {
  cluster = accessCluster(inject('controlPlane'));
  admin = connect(cluster);
});

afterAll(async () => {
  for (const close of opened) await close();
  await admin.close();
});

interface Candidate {
  readonly words: readonly string[];
  readonly signal: (name: NodeJS.Signals) => void;
}

function spawnCandidate(
  namespace: string,
  identity: string,
  options: { readonly skewMs?: number; readonly leaseDurationMs?: number } = {},
): Candidate {
  const { skewMs = 0, leaseDurationMs = 15_000 } = options;
  const script = fileURLToPath(new URL('lease-candidate.ts', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    [
      script,
      `--kubeconfig=${cluster.kubeconfigPath}`,
      `--namespace=${namespace}`,
      `--identity=${identity}`,
      `--skewMs=${skewMs}`,
      `--leaseDurationMs=${leaseDurationMs}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const words: string[] = [];
  child.stdout?.on('data', (bytes: Buffer) => words.push(...bytes.toString().trim().split('\n')));
  // Its last words may be read later than its end is seen.
  child.once('close', (code) => words.push(`exit ${code}`));
  opened.push(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return { words, signal: (name) => void child.kill(name) };
}

interface Write {
  readonly writer: string;
  /** By the writer's own clock, before it asked whether it leads. */
  readonly atMs: number;
}

interface Writers {
  /** In the order of the API server. */
  readonly writes: readonly Write[];
  /** Who wrote the guarded object, in the order of the API server; repeats left out. */
  readonly names: readonly string[];
  /** The same, once nothing that was written until now is missing. */
  readonly untilNow: () => Promise<readonly string[]>;
}

async function followWriters(namespace: string): Promise<Writers> {
  const editor = await editIn(admin.client, namespace);
  await editor.create('guarded');
  const { cache, reflector } = follow(admin.client, {
    namespace,
    fieldSelector: 'metadata.name=guarded',
  });
  const names: string[] = [];
  const writes: Write[] = [];
  cache.subscribe(({ object }) => {
    const { data } = object as KubeObject & { readonly data?: Readonly<Record<string, string>> };
    const { writer, at } = data ?? {};
    if (writer === undefined) return;
    writes.push({ writer, atMs: Number(at) });
    if (writer !== names.at(-1)) names.push(writer);
  });
  opened.push(() => reflector.stop());
  await reflector.synced;
  const untilNow = async (): Promise<readonly string[]> => {
    const path = `/api/v1/namespaces/${namespace}/configmaps/guarded`;
    const { metadata } = await admin.client.request<KubeObject>({ method: 'GET', path });
    const signal = AbortSignal.timeout(120_000);
    expect(await cache.hasReached(metadata.resourceVersion ?? '', signal)).toBe(true);
    return names;
  };
  return { names, writes, untilNow };
}

async function leaseIn(namespace: string): Promise<Lease> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/election`;
  return await admin.client.request<Lease>({ method: 'GET', path });
}

/** Waits until the leader has renewed its Lease so often, counted from now. */
async function renewals(namespace: string, count: number): Promise<void> {
  const renewedAt = async (): Promise<string | undefined> => {
    return (await leaseIn(namespace)).spec?.renewTime;
  };
  for (let seen = 0; seen < count; seen++) {
    const before = await renewedAt();
    await eventually(async () => expect(await renewedAt()).not.toBe(before));
  }
}

const dayMs = 24 * 3600_000;

/** Each has a namespace of its own, and mostly waits. */
describe.concurrent('an election between processes', () => {
  it('behaviour 24: a stopped leader is succeeded after the full duration and writes nothing when it continues', async () => {
    const namespace = 'lease-stopped';
    const writers = await followWriters(namespace);
    const leaseDurationMs = 15_000;
    const first = spawnCandidate(namespace, 'first', { skewMs: -dayMs, leaseDurationMs });
    await eventually(() => expect(writers.names).toEqual(['first']));
    const second = spawnCandidate(namespace, 'second', { skewMs: dayMs, leaseDurationMs });
    await eventually(() => expect(second.words).toEqual(['started']));
    // Enough for the second to see some, and for its wrong clock to mislead it if it could.
    await renewals(namespace, 4);
    expect(await writers.untilNow()).toEqual(['first']);

    await renewals(namespace, 1);
    first.signal('SIGSTOP');
    const renewedMs = Date.parse((await leaseIn(namespace)).spec?.renewTime ?? '') + dayMs;
    await eventually(() => expect(writers.names).toEqual(['first', 'second']));
    const acquiredMs = Date.parse((await leaseIn(namespace)).spec?.acquireTime ?? '') - dayMs;
    expect(acquiredMs - renewedMs).toBeGreaterThanOrEqual(leaseDurationMs);

    first.signal('SIGCONT');
    await eventually(() => expect(first.words.at(-1)).toBe('exit 0'));
    expect(first.words).toContain('lost');
    await writers.untilNow();
    const change = writers.writes.findIndex(({ writer }) => writer === 'second');
    const stoppedMs = writers.writes[change - 1]?.atMs ?? 0;
    const late = writers.writes.slice(change).filter(({ writer }) => writer === 'first');
    // One that was on its way to the socket when the process was stopped goes out when it continues: no check of its
    // own comes later than that.
    expect(late.filter(({ atMs }) => atMs > stoppedMs + leaseDurationMs / 2)).toEqual([]);
    expect(late.length).toBeLessThanOrEqual(1);
    const { spec } = await leaseIn(namespace);
    expect(spec).toMatchObject({ holderIdentity: 'second', leaseTransitions: 1 });
  });

  it('behaviour 24: SIGTERM hands over long before the Lease expires, and the two never write at once', async () => {
    const namespace = 'lease-released';
    const writers = await followWriters(namespace);
    // Longer than the test waits for the successor.
    const leaseDurationMs = 90_000;
    const first = spawnCandidate(namespace, 'first', { leaseDurationMs });
    await eventually(() => expect(writers.names).toEqual(['first']));
    const second = spawnCandidate(namespace, 'second', { leaseDurationMs });
    await eventually(() => expect(second.words).toEqual(['started']));
    await renewals(namespace, 2);

    first.signal('SIGTERM');
    // How soon it acts is held by a clock: test/unit/kube/lease/election.test.ts.
    await eventually(() => expect(writers.names).toEqual(['first', 'second']));
    await eventually(() => expect(first.words.at(-1)).toBe('exit 0'));
    expect(first.words).toContain('released');
    expect(first.words).not.toContain('lost');

    second.signal('SIGTERM');
    await eventually(() => expect(second.words.at(-1)).toBe('exit 0'));
    const { spec } = await leaseIn(namespace);
    expect(spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1 });
    expect(spec?.renewTime).toMatch(/\.\d{6}Z$/);
    expect(await writers.untilNow()).toEqual(['first', 'second']);
  });

  it('ends when the Lease is taken away from the leader', async () => {
    const namespace = 'lease-taken';
    const writers = await followWriters(namespace);
    const first = spawnCandidate(namespace, 'first');
    await eventually(() => expect(writers.names).toEqual(['first']));
    const patch = JSON.stringify({ spec: { holderIdentity: 'somebody' } });
    const args = ['patch', 'lease', 'election', '-n', namespace, '--type=merge', '-p', patch];
    expect((await cluster.kubectl(args)).code).toBe(0);
    await eventually(() => expect(first.words.at(-1)).toBe('exit 0'));
    expect(first.words).toContain('lost');
    expect((await leaseIn(namespace)).spec?.holderIdentity).toBe('somebody');
  });
});
