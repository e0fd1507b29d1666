import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CoreReason, OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { settled, waiting } from '../../../../src/core/reconcile/outcome.ts';
import { of, openBench } from './lifecycle-bench.ts';

const DONE = settled('Active', 'it stands');

describe('recordNow', () => {
  it('stores what was reported so far before the pass goes on, and status once more at its end', async () => {
    const bench = openBench();
    await bench.run(of(async () => DONE));
    await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'a' });
        await pass.recordNow();
        expect(bench.status).toMatchObject({ arn: 'a', observedGeneration: 1 });
        expect(bench.condition('Ready')).toBe('True Active');
        return waiting('Provisioning', 'it comes', 1000);
      }),
    );
    expect(bench.verbs).toEqual(['applyStatus', 'applyStatus', 'applyStatus']);
    expect(bench.status?.arn).toBe('a');
    expect(bench.condition('Ready')).toBe('False Provisioning');
  });

  it('costs no second write where the pass ends in what it waited for meanwhile', async () => {
    const bench = openBench();
    const waits = waiting('Provisioning', 'it comes', 1000);
    await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'a' });
        await pass.recordNow(waits);
        expect(bench.condition('Ready')).toBe('False Provisioning');
        return waits;
      }),
    );
    expect(bench.verbs).toEqual(['applyStatus']);
    expect(bench.events.reasons).toEqual(['Provisioning']);
  });

  it('answers no request: that is for the end of the pass', async () => {
    const bench = openBench();
    const metadata = { annotations: { 'albridge.io/reconcile-requested-at': 'now' } };
    bench.kube.editMeta(bench.object, metadata);
    const answered: (string | undefined)[] = [];
    await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'a' });
        await pass.recordNow(waiting('Provisioning', 'it comes', 1000));
        answered.push(bench.status?.lastHandledReconcileAt);
        return DONE;
      }),
    );
    answered.push(bench.status?.lastHandledReconcileAt);
    expect(answered).toEqual([undefined, 'now']);
  });

  it('leaves an object Stalled until the pass ends: the next step may fail as before', async () => {
    const bench = openBench();
    const denied = { reason: 'AccessDenied', message: 'no', healedBy: 'person' } as const;
    const written: (string | undefined)[] = [];
    const fail = of(async (_object, pass) => {
      pass.report({ arn: 'a' });
      await pass.recordNow(waiting('Provisioning', 'it comes', 1000));
      written.push(bench.condition('Stalled'));
      throw new OperatorError(denied);
    });
    await bench.run(fail);
    await bench.run(fail);
    expect(written).toEqual([undefined, 'True AccessDenied']);
    expect(bench.status?.arn).toBe('a');
    expect(bench.events.reasons).toEqual(['Provisioning', 'AccessDenied']);
  });

  it('leaves a failure whose status was not answered to the end of the pass, which warns of it', async () => {
    const bench = openBench();
    await bench.run(of(async () => DONE));
    const denied = { reason: 'AccessDenied', message: 'no', healedBy: 'person' } as const;
    const lost = { reason: 'ApiServerUnavailable', message: 'reset', isUnanswered: true } as const;
    bench.afterStatus = () => {
      bench.afterStatus = () => {};
      throw new OperatorError({ ...lost, healedBy: 'time' });
    };
    await bench.run(of(() => Promise.reject(new OperatorError(denied))));
    await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'a' });
        await pass.recordNow({ ...waiting('Provisioning', 'it comes', 1000), isReported: true });
        throw new OperatorError(denied);
      }),
    );
    expect(bench.events.recorded.map(({ type, reason }) => `${type} ${reason}`)).toEqual([
      'Normal Active',
      'Warning AccessDenied',
    ]);
  });

  it('writes nothing where that is on record already', async () => {
    const bench = openBench();
    const reconciler = of(async (_object, pass) => {
      pass.report({ arn: 'a', dns: undefined });
      await pass.recordNow();
      return DONE;
    });
    await bench.run(reconciler);
    const before = bench.verbs.length;
    await bench.run(reconciler);
    expect(bench.verbs).toHaveLength(before);
  });

  it('is known to the end of the pass: what was taken back since is removed', async () => {
    const bench = openBench();
    await bench.run(of(async () => DONE));
    await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'a' });
        await pass.recordNow();
        pass.report({ arn: undefined });
        return DONE;
      }),
    );
    expect(bench.status).not.toHaveProperty('arn');
  });

  it('is remembered as the API server has it, where the CRD lacks a field: the next one has to fit', async () => {
    const bench = openBench();
    bench.kube.server.unknownFields.push('dns');
    const fits: boolean[] = [];
    bench.beforeStatus = ({ status }) => {
      fits.push(isDeepStrictEqual(status, bench.status));
    };
    await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'a', dns: 'dropped' });
        await pass.recordNow();
        return DONE;
      }),
    );
    expect(fits).toEqual([true, true]);
    expect(bench.status?.arn).toBe('a');
    expect(bench.condition('Ready')).toBe('True Active');
  });

  it('ends the pass where the object is gone: what is not on record must not be done', async () => {
    const bench = openBench();
    bench.cache.hold();
    bench.kube.editMeta(bench.object, { finalizers: [] });
    bench.kube.delete(bench.object);
    let wentOn = false;
    const verdict = await bench.run(
      of(async (_object, pass) => {
        pass.report({ arn: 'a' });
        await pass.recordNow();
        wentOn = true;
        return DONE;
      }),
    );
    expect(wentOn).toBe(false);
    expect(verdict).toMatchObject({ kind: 'failed', error: { reason: CoreReason.Conflict } });
  });
});
