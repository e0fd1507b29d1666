import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDefinition } from '../../unit/crds/custom-resource-definition.ts';
import type { Schema } from '../api-model/schema.ts';
import type { Json, ServedKind } from '../api-model/stored-object.ts';
import { MY_INGRESSES } from '../my-ingress/kind.ts';
import { DEFINED_KINDS } from '../served-definition.ts';
import { fieldsOf, filledWith, forgedValues, patchOf } from './forged-values.ts';
import { ForgedWorld } from './forged-world.ts';

/** Objects of the forger in one world: each gets another value. */
const FORGED = 20;

const SOURCES = globSync(new URL('../../../src/**/*.ts', import.meta.url).pathname);
/** Every annotation that the source names, so that one added later is forged without a change here. */
const ANNOTATIONS = SOURCES.flatMap((file) => [
  ...readFileSync(file, 'utf8').matchAll(/(?:_ANNOTATION|POD_DELETE_MATCH) = '([^']+)'/g),
]).map(([, name]) => name as string);

function statusOf({ plural, group }: ServedKind): Schema {
  const { schema } = readDefinition(`${plural}.${group}`).spec.versions[0];
  return (schema.openAPIV3Schema as Schema).properties?.['status'] ?? {};
}

/** `forge` is called with the number of each of the forger's objects. */
async function playedWorld(
  kinds: readonly ServedKind[],
  forge: (world: ForgedWorld, at: number, texts: readonly string[]) => void,
): Promise<ForgedWorld> {
  const world = new ForgedWorld();
  await world.settle(kinds, FORGED);
  const { texts } = world;
  await world.play(kinds, () => {
    for (let at = 0; at < FORGED; at++) forge(world, at, texts);
  });
  return world;
}

describe.each(DEFINED_KINDS.map((kind) => [kind.kind, kind] as const))(
  'a forged status of %s touches nothing of others and leaves nothing of ours',
  (_name, kind) => {
    const schema = statusOf(kind);

    it('where nothing is forged', async () => {
      expect([...(await playedWorld([kind], () => {})).broken]).toEqual([]);
    });

    it.each(fieldsOf(schema).map((field) => [field.path.join('.'), field] as const))(
      '%s',
      async (_path, field) => {
        const { broken, forgeries } = await playedWorld([kind], (world, at, texts) => {
          const values = forgedValues(field.schema, texts);
          const value = values[at % values.length];
          const patch = patchOf({ ...field, root: schema }, value, world.live(kind, at));
          world.forgeStatus(kind, at, patch);
        });
        expect(forgeries, 'accepted by the API server').toBeGreaterThan(0);
        expect([...broken]).toEqual([]);
      },
    );

    it('all fields at once', async () => {
      const { broken, forgeries } = await playedWorld([kind], (world, at, texts) => {
        world.forgeStatus(kind, at, filledWith(schema, texts[at % texts.length] ?? '') as Json);
      });
      expect(forgeries, 'accepted by the API server').toBeGreaterThan(0);
      expect([...broken]).toEqual([]);
    });
  },
);

it('a forged status never sets the value of an attribute', async () => {
  const attributes = {
    'access_logs.s3.bucket': 'bucket-of-the-forger',
    'access_logs.s3.enabled': 'true',
    'routing.http2.enabled': 'false',
  };
  const { broken, forgeries } = await playedWorld([MY_INGRESSES], (world, at) => {
    world.forgeStatus(MY_INGRESSES, at, { applied: { attributes } });
  });
  expect(forgeries, 'accepted by the API server').toBeGreaterThan(0);
  expect([...broken]).toEqual([]);
});

it('finds the annotations in the source', () => {
  expect(ANNOTATIONS.length).toBeGreaterThanOrEqual(4);
});

describe('a forged annotation touches nothing of others and leaves nothing of ours', () => {
  it.each(ANNOTATIONS)('%s', async (annotation) => {
    const { broken } = await playedWorld(DEFINED_KINDS, (world, at, texts) => {
      world.forgeAnnotation(at, annotation, texts[at % texts.length] ?? '');
    });
    expect([...broken]).toEqual([]);
  });
});
