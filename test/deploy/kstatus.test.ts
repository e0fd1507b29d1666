import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Condition, findLeadingCondition } from '../../src/core/objects/conditions.ts';
import { locateBinaries } from '../control-plane/locate.ts';
import { runCommand } from '../control-plane/run-command.ts';
import { until } from '../surroundings/until.ts';
import { type OwnKind, ownKinds } from './own-kinds.ts';
import { DeployPlace } from './place.ts';
import type { Pod } from './pod-environment.ts';

/**
 * What kstatus, by which Flux, Argo CD and `helm --wait` judge, computes of every version of our objects that
 * a real API server stored: https://github.com/kubernetes-sigs/cli-utils/blob/master/pkg/kstatus/README.md
 */

const NAMESPACE = 'kstatus';

let place: DeployPlace;
let kstatus: string;

beforeAll(async () => {
  place = await DeployPlace.start();
  kstatus = (await locateBinaries(['kstatus'])).kstatus.path;
  await place.apply('deploy');
  const [pod] = await place.pods();
  await place.work(pod as Pod);
  await place.createNamespace(NAMESPACE);
}, 600_000);

afterAll(() => place?.stop());

interface Scene {
  readonly spec: object;
  readonly edit: object;
  /** With it nothing moves until a person acts. */
  readonly stalling: object;
  /** Is there before. */
  readonly given?: object;
}

const container = { name: 'app', image: 'nginx' };

function pod(name: string): object {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { containers: [container] } };
}

const image = { spec: { image: 'nginx:1' }, edit: { image: 'nginx:2' } };

function sceneOf(kind: string): Scene {
  const scenes: Readonly<Record<string, Scene>> = {
    MyApp: {
      ...image,
      spec: { image: 'nginx:1', banner: 'hello' },
      stalling: { image: 'nginx:1', banner: 'hello' },
      given: pod('stalled-pod'),
    },
    ImmortalContainer: {
      ...image,
      stalling: image.spec,
      given: pod('stalled-immortalpod'),
    },
    WebApp: {
      ...image,
      stalling: image.spec,
      given: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'stalled' },
        spec: { ports: [{ port: 80 }] },
      },
    },
    ConfigMonitor: {
      spec: { configMap: 'settings', podSelector: { app: 'none' } },
      edit: { debounceSeconds: 7 },
      // Without the component deploy/components/secrets.
      stalling: { secret: 'password' },
      given: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: {} },
    },
    MyIngress: {
      spec: { subnets: place.aws.network.articleSubnets },
      edit: { tags: { team: 'web' } },
      stalling: { subnets: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'] },
    },
  };
  const scene = scenes[kind];
  if (scene === undefined) throw new Error(`${kind}: no scene; add it`);
  return scene;
}

interface Stored {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

function collectionOf({ group, version, plural }: OwnKind): string {
  return `/apis/${group}/${version}/namespaces/${NAMESPACE}/${plural}`;
}

function leading({ status }: Stored): Condition | undefined {
  return findLeadingCondition(status?.conditions ?? []);
}

/** What our conditions say, in the words of kstatus. */
function describeStatus(object: Stored): string {
  const { metadata, status } = object;
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (status?.observedGeneration !== metadata.generation) return 'InProgress';
  const condition = leading(object);
  if (condition?.type === 'Stalled') return 'Failed';
  return condition?.type === 'Ready' && condition.status === 'True' ? 'Current' : 'InProgress';
}

async function when(kind: OwnKind, name: string, status: string): Promise<void> {
  const path = `${collectionOf(kind)}/${name}`;
  await until(`${path} is ${status}`, async () => {
    return describeStatus(await place.api.ask<Stored>({ method: 'GET', path })) === status;
  });
}

/** One object that becomes Ready, is edited, paused and deleted; one that stalls. */
async function play(kind: OwnKind): Promise<void> {
  const path = collectionOf(kind);
  const { spec, edit, stalling, given } = sceneOf(kind.kind);
  const create = (name: string, given: object): Promise<unknown> =>
    place.api.ask({
      method: 'POST',
      path,
      body: {
        apiVersion: `${kind.group}/${kind.version}`,
        kind: kind.kind,
        metadata: { name },
        spec: given,
      },
    });
  if (given !== undefined) {
    await place.kubectl(['-n', NAMESPACE, 'create', '-f', '-'], JSON.stringify(given));
  }
  await create('stalled', stalling);
  await create('good', spec);
  await when(kind, 'good', 'Current');
  const change = (body: object): Promise<unknown> =>
    place.api.ask({ method: 'PATCH', path: `${path}/good`, body });
  await change({ spec: edit });
  await when(kind, 'good', 'Current');
  await change({ metadata: { annotations: { 'albridge.io/paused': 'true' } } });
  await when(kind, 'good', 'InProgress');
  await change({ metadata: { annotations: { 'albridge.io/paused': 'false' } } });
  await when(kind, 'good', 'Current');
  await when(kind, 'stalled', 'Failed');
  for (const name of ['good', 'stalled']) {
    const args = ['delete', `${kind.plural}.${kind.group}`, name, '--cascade=foreground'];
    await place.kubectl(['-n', NAMESPACE, ...args, '--timeout=60s']);
  }
}

interface WatchEvent {
  readonly type: string;
  readonly object: Stored;
}

/** Every version that was stored since, in the order of the writes. */
async function recordSince(kind: OwnKind, resourceVersion: string): Promise<readonly Stored[]> {
  return until(`the versions of ${kind.plural}`, async () => {
    const query = `watch=1&timeoutSeconds=1&resourceVersion=${resourceVersion}`;
    const text = await place.kubectl(['get', '--raw', `${collectionOf(kind)}?${query}`]);
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as WatchEvent);
    const isWhole = events.filter(({ type }) => type === 'DELETED').length === 2;
    const stored = events.filter(({ type }) => type === 'ADDED' || type === 'MODIFIED');
    return isWhole && stored.map(({ object }) => object);
  });
}

interface Computed {
  readonly status: string;
  readonly message: string;
}

async function computeAll(objects: readonly Stored[]): Promise<readonly Computed[]> {
  const input = JSON.stringify(objects);
  const { code, stdout, stderr } = await runCommand(kstatus, [], { env: {}, input });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as readonly Computed[];
}

describe('kstatus computes what our conditions say', async () => {
  it.each((await ownKinds()).map((kind) => [kind.kind, kind] as const))(
    'of each version of a %s',
    async (_name, kind) => {
      const list = await place.api.ask<Stored>({ method: 'GET', path: collectionOf(kind) });
      await play(kind);
      const objects = await recordSince(kind, list.metadata.resourceVersion);
      const computed = await computeAll(objects);
      const say = (all: readonly string[]): readonly string[] =>
        all.map((status, index) => `${objects[index]?.metadata.resourceVersion} ${status}`);
      expect(say(computed.map(({ status }) => status))).toEqual(say(objects.map(describeStatus)));
      expect(new Set(computed.map(({ status }) => status))).toEqual(
        new Set(['InProgress', 'Current', 'Failed', 'Terminating']),
      );
      // Before the first pass has said anything it is not Current.
      expect(computed[0]?.status).toBe('InProgress');
      const failed = computed.findIndex(({ status }) => status === 'Failed');
      expect(computed[failed]?.message).toBe(leading(objects[failed] as Stored)?.message);
    },
  );

  it('refuses in one line what is no list of objects', async () => {
    const { code, stderr } = await runCommand(kstatus, [], { env: {}, input: '{' });
    expect({ code, lines: stderr.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
  });
});
