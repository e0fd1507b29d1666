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
import { fieldsOf, filledWith, forgedValues, hasFewValues, patchOf } from './forged-values.ts';
import { ForgedWorld, type Strategy } from './forged-world.ts';

/** Objects of the forger in one world: each gets another value, and no value is left out. */
const FORGED = 32;
/** Enough for a field whose values are few. */
const FEW = 3;
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

interface Forgers {
  readonly kinds: readonly ServedKind[];
  readonly strategy: Strategy;
  /** Objects of each kind. */
  readonly count?: number;
}

/** `forge` is called with the number of each of the forger's objects. */
async function playedWorld(
  { kinds, strategy, count = FORGED }: Forgers,
  forge: (world: ForgedWorld, at: number, texts: readonly string[]) => void,
): Promise<ForgedWorld> {
  const world = new ForgedWorld(strategy);
  await world.settle(kinds, count);
  const { texts } = world;
  expect(texts.length, 'texts that are tried').toBeLessThanOrEqual(FORGED);
  await world.play(kinds, () => {
    for (let at = 0; at < count; at++) forge(world, at, texts);
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
      const { broken, written } = await playedWorld({ kinds: [kind], strategy }, () => {});
      expect([...broken]).toEqual([]);
      expect(written).toContain(ACTS[kind.kind]?.[strategy]);
    });

    it.each(fieldsOf(schema).map((field) => [field.path.join('.'), field] as const))(
      '%s',
      async (_path, field) => {
        const count = hasFewValues(field.schema) ? FEW : FORGED;
        const forgers = { kinds: [kind], strategy, count };
        const { broken, forgeries } = await playedWorld(forgers, (world, at, texts) => {
          const values = forgedValues(field.schema, texts);
          expect(values.length, 'values that are tried').toBeLessThanOrEqual(count);
          const value = values[at % values.length];
          const patch = patchOf({ ...field, root: schema }, value, world.live(kind, at));
          world.forgeStatus(kind, at, patch);
        });
        expect(forgeries, 'accepted by the API server').toBeGreaterThan(0);
        expect([...broken]).toEqual([]);
      },
    );

    it('all fields at once', async () => {
      const forgers = { kinds: [kind], strategy };
      const { broken, forgeries } = await playedWorld(forgers, (world, at, texts) => {
        world.forgeStatus(kind, at, filledWith(schema, texts[at % texts.length] ?? '') as Json);
      });
      expect(forgeries, 'accepted by the API server').toBeGreaterThan(0);
      expect([...broken]).toEqual([]);
    });
  },
);

type Fill = (most: number) => unknown;

/** As many as the schema admits, so that one more of ours does not fit. */
const FULL: Readonly<Record<string, Fill>> = {
  conditions: (most) =>
    listForged(most).map((type) => ({
      ...{ type, status: 'True', reason: 'Forged', message: '' },
      lastTransitionTime: '2026-01-01T00:00:00Z',
    })),
  listeners: (most) => Array.from({ length: most }, (_, port) => ({ port, arn: 'forged' })),
  backends: (most) => listForged(most).map((name) => ({ name, targetGroupARN: 'forged' })),
  'applied.tags': listForged,
  'applied.attributes': (most) => Object.fromEntries(listForged(most).map((key) => [key, key])),
  'owned.targetGroups': listForged,
  'owned.listenerSettings': listForged,
  'owned.services': (most) =>
    listForged(most).map((name) => ({ targetGroup: name, backend: name, name, port: 80 })),
};

function listForged(most: number): readonly string[] {
  return Array.from({ length: most }, (_, index) => `forged-${index}`);
}

/** Forges `path` of the first two objects of a kind to be full. */
function forgeFull(world: ForgedWorld, kind: ServedKind, path: string): void {
  const root = statusOf(kind);
  const field = fieldsOf(root).find((one) => one.path.join('.') === path);
  const { maxItems = 0, maxProperties = 0 } = field?.schema ?? {};
  const most = Math.max(maxItems, maxProperties);
  expect(most, `bound of ${path}`).toBeGreaterThan(0);
  for (let at = 0; at < 2; at++) {
    const patch = patchOf(
      { path: path.split('.'), schema: {}, root },
      FULL[path]?.(most),
      world.live(kind, at),
    );
    world.forgeStatus(kind, at, patch);
  }
  expect(world.forgeries, 'accepted by the API server').toBe(2);
}

const FULL_CASES = Object.keys(FULL).flatMap((path) => [
  { path, which: 'that has its balancer', isThere: true },
  { path, which: 'that has none yet', isThere: false },
]);

it.each(FULL_CASES)(
  'a status.$path that was forged to be full keeps no object $which from its spec',
  async ({ path, isThere }) => {
    const world = new ForgedWorld('Delete');
    await world.settle([MY_INGRESSES], isThere ? 2 : 0);
    if (!isThere) await world.refuse(2);
    forgeFull(world, MY_INGRESSES, path);
    const attributes = { 'idle_timeout.timeout_seconds': '120' };
    expect(await world.edit(MY_INGRESSES, { attributes })).toEqual([]);
  },
);

it.each(DEFINED_KINDS.filter((kind) => kind !== MY_INGRESSES))(
  'status.conditions that were forged to be full keep no $kind from its spec',
  async (kind) => {
    const world = new ForgedWorld('Delete');
    await world.settle([kind], 2);
    forgeFull(world, kind, 'conditions');
    const change = kind.kind === 'ConfigMonitor' ? { minIntervalSeconds: 1 } : { image: 'app:3' };
    expect(await world.edit(kind, change)).toEqual([]);
  },
);

it('a forged status never sets the value of an attribute', async () => {
  const attributes = {
    'access_logs.s3.bucket': 'bucket-of-the-forger',
    'access_logs.s3.enabled': 'true',
    'routing.http2.enabled': 'false',
  };
  const forgers = { kinds: [MY_INGRESSES], strategy: 'Delete', count: FEW } as const;
  const { broken, forgeries } = await playedWorld(forgers, (world, at) => {
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

  /** How pods are restarted makes no difference to balancers, which take longest. */
  const KINDS_OF: Readonly<Record<Strategy, readonly ServedKind[]>> = {
    Delete: DEFINED_KINDS,
    Rollout: DEFINED_KINDS.filter((kind) => kind !== MY_INGRESSES),
  };

  it.each(cases)('%s (%s)', async (annotation, strategy) => {
    const forgers = { kinds: KINDS_OF[strategy], strategy };
    const { broken, forgeries } = await playedWorld(forgers, (world, at, texts) => {
      world.forgeAnnotation(at, annotation, texts[at % texts.length] ?? '');
    });
    expect(forgeries, 'accepted by the API server').toBeGreaterThan(FORGED);
    expect([...broken]).toEqual([]);
  });
});
