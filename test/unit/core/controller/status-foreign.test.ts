import { describe, expect, it } from 'vitest';
import { shouldReconcile } from '../../../../src/core/controller/controller.ts';
import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import { CoreReason } from '../../../../src/core/reconcile/operator-error.ts';
import { ControllerBench } from './controller-bench.ts';

interface Plain extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
  readonly status?: object;
}

const BEFORE: Plain = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'config', namespace: 'web', uid: 'u1', resourceVersion: '7' },
  data: { a: '1' },
};

interface Case {
  readonly why: string;
  readonly object: Plain;
  readonly isWorth: boolean;
}

const withMetadata = (metadata: Partial<KubeObject['metadata']>): Plain => ({
  ...BEFORE,
  metadata: { ...BEFORE.metadata, resourceVersion: '8', ...metadata },
});

const cases: Readonly<Record<string, Case>> = {
  'its data': {
    why: 'there is no generation to tell it',
    object: { ...withMetadata({}), data: { a: '2' } },
    isWorth: true,
  },
  'a label': {
    why: 'others may select by it',
    object: withMetadata({ labels: { a: 'b' } }),
    isWorth: true,
  },
  'an annotation': {
    why: 'users speak to us by them',
    object: withMetadata({ annotations: { a: 'b' } }),
    isWorth: true,
  },
  'its uid': { why: 'another object', object: withMetadata({ uid: 'u2' }), isWorth: true },
  'its status alone': {
    why: 'mostly the work of its own controller',
    object: { ...withMetadata({}), status: { phase: 'x' } },
    isWorth: false,
  },
  nothing: {
    why: 'a write without effect on what is held',
    object: withMetadata({}),
    isWorth: false,
  },
};

describe('an object without a generation is worth a pass when', () => {
  it.each(Object.entries(cases))('%s has changed', (_name, { object, isWorth, why }) => {
    expect(shouldReconcile({ kind: 'updated', object, previous: BEFORE }), why).toBe(isWorth);
  });
});

describe('a controller of objects that are not ours', () => {
  it('never writes their status, and reports a failure in the log alone', async () => {
    const bench = new ControllerBench();
    const object = bench.store('theirs');
    bench.start({ status: 'foreign' });
    await bench.clock.settle();
    bench.reconcile = () => Promise.reject(new Error('oh no'));
    bench.edit(object);
    await bench.clock.settle();
    expect(bench.passesOf(object)).toBe(2);
    expect(bench.kube.writes).toEqual([]);
    expect(bench.events.recorded).toEqual([]);
    expect(bench.kube.get(object)?.status).toBeUndefined();
    await bench.controller.stop(new Error('done'));
  });

  it('tries again after a failure, as every controller does', async () => {
    const bench = new ControllerBench();
    const object = bench.store('theirs');
    bench.reconcile = () => Promise.reject(new Error(CoreReason.InternalError));
    bench.start({ status: 'foreign' });
    await bench.clock.advance(10_000);
    expect(bench.passesOf(object)).toBeGreaterThan(2);
    await bench.controller.stop(new Error('done'));
  });
});
