import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { askRules } from '../../../crds/cel-rules.ts';
import { readMyIngressDefinition } from '../../../crds/custom-resource-definition.ts';
import { draftOf } from '../drafts.ts';
import { CERTIFICATES, SMALL_LISTS, TRUST_STORE } from '../graph/random-traffic.ts';
import { admitAfter, form } from '../random-form.ts';
import { MINUTE_MS, World } from '../world.ts';
import { describeAws } from './describe-aws.ts';

/** More of them find more: `numRuns: 400` takes some minutes. */
const RUNS = { numRuns: 30, seed: 11 };
/** Attributes of listeners and target groups are read every six hours. */
const SLOWEST_LANE_MS = 390 * MINUTE_MS;
/** Groups that are replaced retire within it, also with the longest deregistration delay. */
const SETTLED_MS = 20 * MINUTE_MS;

type Form = Partial<MyIngressSpec>;

const schema = readMyIngressDefinition().spec.versions[0].schema.openAPIV3Schema;

function listRefusals(after: Form, before?: Form): readonly string[] {
  const old = before && draftOf('shop', before);
  const answers = askRules(schema, draftOf('shop', after), old);
  return answers.filter(({ holds }) => !holds).map(({ id }) => id);
}

async function create(spec: Form): Promise<World> {
  const world = new World(SMALL_LISTS);
  world.aws.control.setCertificates(CERTIFICATES);
  world.aws.control.setTrustStores([TRUST_STORE]);
  world.start();
  await world.applied('shop', spec);
  await world.clock.advance(SETTLED_MS);
  return world;
}

/** The whole spec, fields that left it too. */
function replace(world: World, spec: Form): void {
  world.kube.edit(draftOf('shop'), (live) => ({ ...live, spec: draftOf('shop', spec).spec }));
}

async function expectNoMoreWrites(world: World): Promise<void> {
  expect(world.condition('shop')).toBe('True Available');
  const audits = (): Promise<void> => world.clock.advance(SLOWEST_LANE_MS);
  expect(await world.writesDuring(audits)).toEqual([]);
  const restart = async (): Promise<void> => {
    await world.restart();
    await audits();
  };
  expect(await world.writesDuring(restart)).toEqual([]);
}

describe('an object of any form', () => {
  it('is admitted, and so is its edit to another form', () => {
    const property = fc.property(form, form, (first, second) => {
      expect(listRefusals(first)).toEqual([]);
      expect(listRefusals(admitAfter(first, second), first)).toEqual([]);
    });
    fc.assert(property, { numRuns: 200, seed: RUNS.seed });
  });

  it('is created once: audits and the next process write nothing', async () => {
    const property = fc.asyncProperty(form, async (spec) => {
      await expectNoMoreWrites(await create(spec));
    });
    await fc.assert(property, RUNS);
  });

  it('is after an edit what a create makes of it, and then nothing is written', async () => {
    const property = fc.asyncProperty(form, form, async (first, drawn) => {
      const second = admitAfter(first, drawn);
      const world = await create(first);
      replace(world, second);
      await world.clock.advance(SETTLED_MS);
      expect(describeAws(world)).toEqual(describeAws(await create(second)));
      await expectNoMoreWrites(world);
    });
    await fc.assert(property, RUNS);
  });
});
