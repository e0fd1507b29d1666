import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import { draftOf } from '../controllers/my-ingress/drafts.ts';
import { api, web } from '../controllers/my-ingress/traffic/specs.ts';
import { World } from '../controllers/my-ingress/world.ts';

const PLAN = { 'albridge.io/mode': 'plan' } as const;
const IDLE = { 'idle_timeout.timeout_seconds': '120' } as const;

/** The steps of each block of a plan on the page, as they stand there. */
function readSteps(page: string): readonly string[] {
  const text = readFileSync(resolve(import.meta.dirname, '../../../docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```text\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.split('\n'));
  return lines.filter((line) => /^ *[a-z].*? {2}\(.*\)$/.test(line)).map((line) => line.trim());
}

/** The printed plan of an object that is not applied yet. */
async function planNew(spec: Partial<MyIngressSpec>): Promise<readonly string[]> {
  const world = World.started();
  const draft = draftOf('shop', spec);
  world.kube.create({ ...draft, metadata: { ...draft.metadata, annotations: PLAN } });
  await world.clock.advance(1_000);
  return world.object('shop').status?.plan?.steps ?? [];
}

/** The printed plan of an edit of a balancer alone. */
async function planEdit(): Promise<readonly string[]> {
  const world = await World.having('shop', {
    ...{ subnets: ['subnet-a', 'subnet-c'], tags: { old: 'x' } },
  });
  world.annotate('shop', PLAN);
  world.edit('shop', {
    ...{ subnets: ['subnet-a', 'subnet-b'], tags: { team: 'web' }, attributes: IDLE },
  });
  await world.clock.advance(1_000);
  return world.object('shop').status?.plan?.steps ?? [];
}

it('docs/myingress.md prints steps as a plan does', async () => {
  const rules = [{ name: 'api', paths: ['/api/*'], forward: [{ backend: 'api' }] }];
  const defaultAction = { forward: [{ backend: 'web' }] };
  const created = await planNew({ backends: [web, api], rules, defaultAction });
  const steps = readSteps('myingress.md');
  expect(steps.length).toBeGreaterThan(8);
  const printed = [...created, ...(await planEdit())];
  expect(steps.filter((step) => !printed.includes(step))).toEqual([]);
});

it('docs/command-line.md prints the plan of a new object', async () => {
  expect(readSteps('command-line.md')).toEqual(await planNew({ attributes: IDLE }));
});
