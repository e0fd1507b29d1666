import { describe, expect, it } from 'vitest';
import { UNKNOWN } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import {
  getRevision,
  hasNewRoutes,
} from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { draftApp } from './app.ts';
import { AttachBench } from './bench.ts';

const APP = draftApp('app');

describe('routes are new', () => {
  it('until status records exactly those that are accepted', async () => {
    const bench = await AttachBench.open();
    expect(hasNewRoutes(bench.joined)).toBe(false);
    bench.attach(APP);
    expect(hasNewRoutes(bench.joined), 'one more').toBe(true);
    bench.record();
    expect(hasNewRoutes(bench.joined)).toBe(false);
    bench.attach(draftApp('app', { hosts: ['new.example.com'] }));
    expect(hasNewRoutes(bench.joined), 'others of the same object').toBe(true);
    bench.record();
    bench.detach(APP);
    expect(hasNewRoutes(bench.joined), 'one less').toBe(true);
  });

  it('not where status records one that has no rule', async () => {
    const bench = await AttachBench.open();
    const entry = { kind: 'WebApp', namespace: 'web', name: 'late', digest: '-', reason: 'X' };
    bench.kube.server.applyStatus(bench.stored, { attached: [entry] });
    expect(hasNewRoutes(bench.joined)).toBe(false);
  });

  it('not while it is not known what attaches', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    bench.record();
    const { stored } = bench;
    expect(hasNewRoutes({ ...stored, spec: { ...stored.spec, attached: UNKNOWN } as never })).toBe(
      false,
    );
  });
});

it('the revision is the generation, and with accepted routes these too', async () => {
  const bench = await AttachBench.open();
  const { generation } = bench.stored.metadata;
  expect(getRevision(bench.joined)).toBe(generation);
  bench.attach(draftApp('guest', { namespace: 'team' }));
  expect(getRevision(bench.joined), 'nothing is accepted').toBe(generation);
  bench.attach(APP);
  const first = getRevision(bench.joined);
  bench.attach(draftApp('app', { hosts: ['new.example.com'] }));
  const second = getRevision(bench.joined);
  expect(new Set([generation, first, second]).size).toBe(3);
  bench.edit({ tags: { team: 'a' } });
  expect(getRevision(bench.joined)).not.toBe(second);
});
