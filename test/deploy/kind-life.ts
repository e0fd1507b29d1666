import type { MyIngress } from '../../src/apis/my-ingress.ts';
import { isReady, readyOf } from '../surroundings/my-ingresses.ts';
import { until } from '../surroundings/until.ts';
import { examples, inNamespace, type Manifest, type OwnKind } from './own-kinds.ts';
import type { DeployPlace } from './place.ts';
import { shippedRights } from './shipped-rights.ts';

/** One object of a kind, and everything that happens to it that an operator needs a right for. */
export interface Life {
  readonly place: DeployPlace;
  readonly kind: OwnKind;
  /** Exists and is empty. */
  readonly namespace: string;
  /** Ends the life where it is; it then throws or returns. */
  readonly over: AbortSignal;
}

/** Kinds that stand for something outside of the cluster. */
const LIVES: Readonly<Record<string, (life: Life) => Promise<void>>> = {
  MyIngress: liveInAws,
};

/**
 * From the first of the kind's examples to the deletion of the object. A kind of which this does not
 * use every right adds what is missing here: the test that counts the rights names them.
 */
export function live(life: Life): Promise<void> {
  const byKind = LIVES[life.kind.kind] ?? liveWithChildren;
  return byKind(life);
}

async function liveInAws({ place, namespace, over }: Life): Promise<void> {
  const objects = place.myIngresses(namespace);
  await objects.create('web', { subnets: place.aws.network.articleSubnets });
  // The same event twice is one event with a count, which takes a patch.
  for (const paused of ['false', 'true', 'false', 'true', 'false']) {
    await objects.annotate('web', { 'albridge.io/paused': paused });
    const isAsWanted = (object: MyIngress): boolean =>
      paused === 'false' ? isReady(object) : readyOf(object)?.reason === 'Paused';
    await objects.when('web', (object) => over.aborted || isAsWanted(object), 60_000);
    over.throwIfAborted();
  }
  // The place of our finalizer moves under the pass that takes it off, so it reads the object anew.
  const ours = 'albridge.io/load-balancer';
  await objects.patch('web', { metadata: { finalizers: ['example.com/other', ours] } });
  await place.standIn.addFault({ operation: 'DeleteLoadBalancer', effect: { kind: 'hold' } });
  await objects.startDeleting('web');
  await place.standIn.whenHeld('DeleteLoadBalancer');
  await objects.patch('web', { metadata: { finalizers: [ours] } });
  await place.standIn.release();
  await until('web is gone', async () => over.aborted || !(await objects.exists('web')));
}

interface Child extends Manifest {
  readonly metadata: Manifest['metadata'] & {
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly uid: string }[];
    readonly deletionTimestamp?: string;
  };
  readonly path: string;
}

interface CustomObject extends Child {
  readonly spec: { readonly image?: string };
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}

/** Others meddle with what the object owns, and its owner edits it. */
async function liveWithChildren(life: Life): Promise<void> {
  const object = await applyExample(life);
  for (const child of await children(life, object)) await takeLabelsOff(life, child);
  if (object.spec.image !== undefined) await editImage(life, object);
  for (const child of await children(life, object)) await deleteChild(life, child);
  await life.place.api.ask({ method: 'DELETE', path: object.path });
}

async function applyExample(life: Life): Promise<CustomObject> {
  const { place, kind, namespace } = life;
  const file = (await examples()).find((all) => all.some((one) => one.kind === kind.kind)) ?? [];
  await place.kubectl(['apply', '-f', '-'], inNamespace(file, namespace));
  const name = file.find((one) => one.kind === kind.kind)?.metadata.name ?? '';
  const path = `/apis/${kind.group}/${kind.version}/namespaces/${namespace}/${kind.plural}/${name}`;
  return seen(life, `${kind.kind} ${name} is Ready`, path, (one) => {
    const conditions = (one as CustomObject).status?.conditions ?? [];
    return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  }) as Promise<CustomObject>;
}

async function takeLabelsOff(
  life: Life,
  { path, metadata: { labels = {} } }: Child,
): Promise<void> {
  await life.place.api.ask({ method: 'PATCH', path, body: { metadata: { labels: null } } });
  await seen(life, 'its labels', path, ({ metadata }) =>
    Object.entries(labels).every(([key, value]) => metadata.labels?.[key] === value),
  );
}

/** Under the passes that follow the object itself moves on all the time, so they read it anew. */
async function editImage(life: Life, { path }: CustomObject): Promise<void> {
  const { api } = life.place;
  const image = 'nginx:edited';
  await api.ask({ method: 'PATCH', path, body: { spec: { image } } });
  let count = 0;
  await unlessOver(life, 'every child has the image', async () => {
    for (let times = 1; times <= 20; times++) {
      const annotations = { 'example.com/count': `${count++}` };
      await api.ask({ method: 'PATCH', path, body: { metadata: { annotations } } });
    }
    const object = await api.ask<CustomObject>({ method: 'GET', path });
    const texts = (await children(life, object)).map((child) => JSON.stringify(child));
    return texts.some((text) => text.includes(`"image":"${image}"`));
  });
}

async function deleteChild(life: Life, { path, metadata: { uid } }: Child): Promise<void> {
  await life.place.api.ask({ method: 'DELETE', path });
  await seen(life, `${path} is there again`, path, ({ metadata }) => metadata.uid !== uid);
}

/** Waits until the object at a path is as it should be. */
async function seen(
  life: Life,
  what: string,
  path: string,
  isIt: (one: Child) => boolean,
): Promise<Child> {
  const one = await unlessOver(life, what, async () => {
    const { code, body } = await life.place.api.send({ method: 'GET', path });
    return code === 200 && isIt(body as Child) && (body as Child);
  });
  return { ...one, path };
}

/** Throws where the life is over before `look` gives something. */
async function unlessOver<T>(
  { over }: Life,
  what: string,
  look: () => Promise<T | undefined | false>,
): Promise<T> {
  const found = await until(what, async () => (over.aborted ? 'over' : look()));
  over.throwIfAborted();
  return found as T;
}

/** What the object owns, of every resource that the shipped roles let the operator create. */
async function children({ place, namespace }: Life, owner: Child): Promise<readonly Child[]> {
  const lists = (await childResources()).map(async (resource) => {
    const path = `${resource}`.replace('NAMESPACE', namespace);
    type List = { readonly items: readonly Child[] };
    const { items } = await place.api.ask<List>({ method: 'GET', path });
    return items.map((item) => ({ ...item, path: `${path}/${item.metadata.name}` }));
  });
  return (await Promise.all(lists)).flat().filter(({ metadata }) => {
    const isOwned = metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid);
    return isOwned && metadata.deletionTimestamp === undefined;
  });
}

/** Paths of collections; everything that is created so far is v1 in its group. */
async function childResources(): Promise<readonly string[]> {
  const created = Object.values(await shippedRights()).filter(
    ({ verb, resource }) => verb === 'create' && !/^(events|leases)$|\//.test(resource),
  );
  return created.map(({ group, resource }) => {
    const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
    return `${root}/namespaces/NAMESPACE/${resource}`;
  });
}
