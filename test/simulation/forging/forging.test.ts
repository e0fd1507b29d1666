import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { POD_DELETE_MATCH } from '../../../src/apis/config-monitor.ts';
import {
  DESIRED_HASH_ANNOTATION,
  PAUSED_ANNOTATION,
  RECONCILE_REQUESTED_ANNOTATION,
  RESTARTED_AT,
} from '../../../src/core/objects/annotations.ts';
import { readDefinition } from '../../unit/crds/custom-resource-definition.ts';
import type { Schema } from '../api-model/schema.ts';
import type { Json, ServedKind } from '../api-model/stored-object.ts';
import { MY_INGRESSES } from '../my-ingress/kind.ts';
import { DEFINED_KINDS } from '../served-definition.ts';
import { fieldsOf, filledWith, forgedValues, patchOf } from './forged-values.ts';
import { ForgedWorld, type Strategy } from './forged-world.ts';

/** Objects of the forger in one world: each gets another value. */
const FORGED = 20;
const STRATEGIES: readonly Strategy[] = ['Delete', 'Rollout'];

const SOURCES = globSync(new URL('../../../src/**/*.ts', import.meta.url).pathname).map((file) =>
  readFileSync(file, 'utf8'),
);
/** Constants by which the source looks into annotations. */
const READ = new Set(
  SOURCES.flatMap((text) => [
    ...text.matchAll(/annotations\??\.?\[([A-Z_]+)\]|\b([A-Z_]+_ANNOTATION)\b/g),
  ]).map(([, looked, named]) => looked ?? named),
);
/** Every annotation that the source reads, so that one added later is forged without a change here. */
const ANNOTATIONS = SOURCES.flatMap((text) => [
  ...text.matchAll(/^(?:export )?const ([A-Z_]+) = '([^']+)';$/gm),
]).flatMap(([, constant, name]) => (READ.has(constant) ? [name as string] : []));

function statusOf({ plural, group }: ServedKind): Schema {
  const { schema } = readDefinition(`${plural}.${group}`).spec.versions[0];
  return (schema.openAPIV3Schema as Schema).properties?.['status'] ?? {};
}

/** `forge` is called with the number of each of the forger's objects. */
async function playedWorld(
  kinds: readonly ServedKind[],
  strategy: Strategy,
  forge: (world: ForgedWorld, at: number, texts: readonly string[]) => void,
): Promise<ForgedWorld> {
  const world = new ForgedWorld(strategy);
  await world.settle(kinds, FORGED);
  const { texts } = world;
  await world.play(kinds, () => {
    for (let at = 0; at < FORGED; at++) forge(world, at, texts);
  });
  return world;
}

/** What the operator writes in the forger's own namespace where all is well. */
const ACTS: Readonly<Record<string, Partial<Record<Strategy, string>>>> = {
  ConfigMonitor: { Delete: 'Pod', Rollout: 'Deployment' },
  ImmortalContainer: { Delete: 'Pod' },
  MyApp: { Delete: 'Pod' },
  MyIngress: { Delete: 'MyIngress' },
  WebApp: { Delete: 'Deployment' },
};

const CASES = DEFINED_KINDS.flatMap(
  (kind): readonly (readonly [string, ServedKind, Strategy])[] => {
    if (kind.kind !== 'ConfigMonitor') return [[kind.kind, kind, 'Delete']];
    return STRATEGIES.map((strategy) => [`${kind.kind} (${strategy})`, kind, strategy]);
  },
);

describe.each(CASES)(
  'a forged status of %s touches nothing of others and leaves nothing of ours',
  (_name, kind, strategy) => {
    const schema = statusOf(kind);

    it('where nothing is forged', async () => {
      const { broken, written } = await playedWorld([kind], strategy, () => {});
      expect([...broken]).toEqual([]);
      expect(written).toContain(ACTS[kind.kind]?.[strategy]);
    });

    it.each(fieldsOf(schema).map((field) => [field.path.join('.'), field] as const))(
      '%s',
      async (_path, field) => {
        const { broken, forgeries } = await playedWorld([kind], strategy, (world, at, texts) => {
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
      const { broken, forgeries } = await playedWorld([kind], strategy, (world, at, texts) => {
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
  const { broken, forgeries } = await playedWorld([MY_INGRESSES], 'Delete', (world, at) => {
    world.forgeStatus(MY_INGRESSES, at, { applied: { attributes } });
  });
  expect(forgeries, 'accepted by the API server').toBeGreaterThan(0);
  expect([...broken]).toEqual([]);
});

it('finds the annotations in the source', () => {
  expect(ANNOTATIONS).toEqual(
    expect.arrayContaining([
      POD_DELETE_MATCH,
      RESTARTED_AT,
      PAUSED_ANNOTATION,
      RECONCILE_REQUESTED_ANNOTATION,
      DESIRED_HASH_ANNOTATION,
    ]),
  );
});

describe('a forged annotation touches nothing of others and leaves nothing of ours', () => {
  const cases = ANNOTATIONS.flatMap((name) =>
    STRATEGIES.map((strategy) => [name, strategy] as const),
  );

  it.each(cases)('%s (%s)', async (annotation, strategy) => {
    const { broken, forgeries } = await playedWorld(DEFINED_KINDS, strategy, (world, at, texts) => {
      world.forgeAnnotation(at, annotation, texts[at % texts.length] ?? '');
    });
    expect(forgeries, 'accepted by the API server').toBeGreaterThan(FORGED);
    expect([...broken]).toEqual([]);
  });
});
