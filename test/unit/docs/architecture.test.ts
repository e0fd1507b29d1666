import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SHOP } from '../controllers/my-ingress/traffic/specs.ts';
import { World } from '../controllers/my-ingress/world.ts';
import { trace } from './trace.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const FOLDER = 'src/controllers/my-ingress';
/** The most files that a create reads through; the bound moves down only. */
const MOST_FILES = 23;
/** They serve every pass or every call, so the page leaves them out. */
const LEFT_OUT = [
  ...['operations', 'aws-errors', 'aws-codes', 'aws-metrics', 'pages', 'quotas'].map(
    (name) => `src/aws/client/${name}.ts`,
  ),
  ...['tags', 'attributes'].map((name) => `src/aws/elbv2/${name}.ts`),
  ...['batch', 'write-ledger'].map((name) => `src/aws/inventory/${name}.ts`),
  ...['token-bucket', 'token-queue'].map((name) => `src/aws/budget/${name}.ts`),
  ...['controller-metrics', 'late-finalizers'].map((name) => `src/core/controller/${name}.ts`),
  ...['operator-error', 'outcome'].map((name) => `src/core/reconcile/${name}.ts`),
  ...['queue/backoff', 'staleness/read-your-writes'].map((name) => `src/core/${name}.ts`),
];
const PAGE = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const [, WAY = '', TRAFFIC = '', REST = ''] =
  /^## The way of a create$([^]*?)^## The way of its traffic$([^]*?)^## The way of an endpoint$([^]*)/m.exec(
    PAGE,
  ) ?? [];

function linkedIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\(\.\.\/(src\/[^)]+)\)/g)].map(([, path]) => path as string);
}

describe('the guided tour of a create', () => {
  it('names the files that run in a real pass: each of MyIngress, and none that does not run', async () => {
    const world = World.started();
    const spec = { tags: { team: 'web' }, attributes: { 'idle_timeout.timeout_seconds': '120' } };
    const ran = await trace(() => world.applied('shop', spec));
    expect(world.condition('shop')).toBe('True Available');
    expect(linkedIn(WAY).filter((path) => !ran.includes(path))).toEqual([]);
    expect(ran.filter((path) => path.startsWith(FOLDER) && !linkedIn(WAY).includes(path))).toEqual(
      [],
    );
  });

  it('and of its traffic names the files that run in addition', async () => {
    const world = World.started();
    const spec = { ...SHOP, tags: { team: 'web' } };
    const ran = await trace(async () => {
      await world.applied('shop', spec);
      await world.edited('shop', { rules: [] }, 1_000);
      world.annotate('shop', { 'albridge.io/reconcile-requested-at': 'now' });
      await world.clock.advance(1_000);
    });
    expect(linkedIn(TRAFFIC).filter((path) => !ran.includes(path))).toEqual([]);
    const named = [...linkedIn(WAY), ...linkedIn(TRAFFIC), ...linkedIn(REST)];
    expect(ran.filter((path) => path.startsWith(FOLDER) && !named.includes(path))).toEqual([]);
  });

  it('visits no file twice, and not many', () => {
    expect(new Set(linkedIn(WAY)).size).toBe(linkedIn(WAY).length);
    expect(linkedIn(WAY).length).toBeLessThanOrEqual(MOST_FILES);
  });

  it('names what runs of core and aws, but for a stated list', async () => {
    const world = World.started();
    const ran = await trace(() => world.applied('shop', { tags: { team: 'web' } }));
    const named = [...linkedIn(PAGE), ...LEFT_OUT];
    const shared = ran.filter((path) => /^src\/(core\/(?!objects|ports)|aws\/)/.test(path));
    expect(shared).toContain('src/core/reconcile/external-resource.ts');
    expect(shared.filter((path) => !named.includes(path))).toEqual([]);
    expect(LEFT_OUT.filter((path) => linkedIn(PAGE).includes(path))).toEqual([]);
  });

  it('names elsewhere what is left of the folder', () => {
    const named = [...linkedIn(WAY), ...linkedIn(TRAFFIC), ...linkedIn(REST)];
    const own = readdirSync(join(ROOT, FOLDER), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${FOLDER}/${file}`);
    expect(own.length).toBeGreaterThan(90);
    expect(own.filter((path) => !named.includes(path))).toEqual([]);
  });
});
