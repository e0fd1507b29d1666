import { amidEdits, isReadyNow, type Life, seen, type Thing } from './life.ts';
import { liveByConfigMaps } from './life-by-config-maps.ts';
import { liveInAws } from './life-in-aws.ts';
import { examples, inNamespace } from './own-kinds.ts';
import { shippedRights } from './shipped-rights.ts';

/** Kinds whose work is not to own other objects. */
const LIVES: Readonly<Record<string, (life: Life) => Promise<void>>> = {
  MyIngress: liveInAws,
  ConfigMonitor: liveByConfigMaps,
};

/**
 * A whole life of an object of the kind. A kind of which this does not use every right adds what is
 * missing: the test that counts the rights names them.
 */
export function live(life: Life): Promise<void> {
  const byKind = LIVES[life.kind.kind] ?? liveWithChildren;
  return byKind(life);
}

/** Others meddle with what the object owns, and its owner edits it. */
async function liveWithChildren(life: Life): Promise<void> {
  const object = await applyExample(life);
  for (const child of await children(life, object)) await takeLabelsOff(life, child);
  if (object.spec?.image !== undefined) await editImage(life, object);
  for (const child of await children(life, object)) await deleteChild(life, child);
  await life.place.api.ask({ method: 'DELETE', path: object.path });
}

async function applyExample(life: Life): Promise<Thing> {
  const { place, kind, namespace } = life;
  const file = (await examples()).find((all) => all.some((one) => one.kind === kind.kind)) ?? [];
  await place.kubectl(['apply', '-f', '-'], inNamespace(file, namespace));
  const name = file.find((one) => one.kind === kind.kind)?.metadata.name ?? '';
  const path = `/apis/${kind.group}/${kind.version}/namespaces/${namespace}/${kind.plural}/${name}`;
  return seen(life, path, isReadyNow);
}

async function takeLabelsOff(life: Life, { path, metadata }: Thing): Promise<void> {
  await life.place.api.ask({ method: 'PATCH', path, body: { metadata: { labels: null } } });
  const labels = Object.entries(metadata.labels ?? {});
  await seen(life, path, (now) =>
    labels.every(([key, value]) => now.metadata.labels?.[key] === value),
  );
}

async function editImage(life: Life, object: Thing): Promise<void> {
  const { path } = object;
  const image = 'nginx:edited';
  await life.place.api.ask({ method: 'PATCH', path, body: { spec: { image } } });
  await amidEdits(life, path, async () => {
    const texts = (await children(life, object)).map((child) => JSON.stringify(child));
    return texts.some((text) => text.includes(`"image":"${image}"`));
  });
}

async function deleteChild(life: Life, { path, metadata: { uid } }: Thing): Promise<void> {
  await life.place.api.ask({ method: 'DELETE', path });
  await seen(life, path, ({ metadata }) => metadata.uid !== uid);
}

/** What the object owns, of every resource that the shipped roles let the operator create. */
async function children({ place, namespace }: Life, owner: Thing): Promise<readonly Thing[]> {
  const lists = (await childResources()).map(async (resource) => {
    const path = `${resource}`.replace('NAMESPACE', namespace);
    type List = { readonly items: readonly Thing[] };
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
