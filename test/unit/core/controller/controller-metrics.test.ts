import { describe, expect, it } from 'vitest';
import { ConditionMetrics } from '../../../../src/core/controller/controller-metrics.ts';
import type { Condition } from '../../../../src/core/objects/conditions.ts';
import { formatTime } from '../../../../src/core/objects/kube-object.ts';
import { coreMetrics } from '../../../../src/core/ports/metrics.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { type Probe, probe } from './probe.ts';

const NOW_MS = 1_800_000_000_000;
const READY = { type: 'Ready', status: 'True', reason: 'Available' } as const;
const STALLED = { type: 'Stalled', status: 'True', reason: 'SubnetNotFound' } as const;

type Shown = Pick<Condition, 'type' | 'status' | 'reason'>;
type Draft = Shown & { readonly ageSeconds?: number };

function objectWith(...drafts: readonly Draft[]): Probe {
  const conditions = drafts.map(({ ageSeconds = 0, ...draft }) => {
    const lastTransitionTime = formatTime(NOW_MS - ageSeconds * 1000);
    return { ...draft, message: 'said', lastTransitionTime };
  });
  return { ...probe(), status: { conditions } };
}

function setup(): {
  readonly shown: ConditionMetrics;
  readonly count: (of: Shown) => number | undefined;
  readonly seconds: (of: Shown) => number | undefined;
} {
  const metrics = new RecordingMetrics();
  const labels = { controller: 'probe' };
  return {
    shown: new ConditionMetrics(metrics, 'probe'),
    count: (of) => metrics.valueOf(coreMetrics.conditions, { ...labels, ...of }),
    seconds: (of) => metrics.valueOf(coreMetrics.conditionSeconds, { ...labels, ...of }),
  };
}

describe('the metrics of conditions', () => {
  it('count objects by type, status and reason, with the age of the oldest', () => {
    const { shown, count, seconds } = setup();
    const notReady = { type: 'Ready', status: 'False', reason: 'SubnetNotFound' } as const;
    shown.refresh(
      [
        objectWith({ ...READY, ageSeconds: 60 }),
        objectWith({ ...READY, ageSeconds: 7200 }),
        objectWith({ ...READY, ageSeconds: 90 }),
        objectWith({ ...notReady, ageSeconds: 30 }, { ...STALLED, ageSeconds: 20 }),
      ],
      NOW_MS,
    );
    expect([count(READY), count(notReady), count(STALLED)]).toEqual([3, 1, 1]);
    expect([seconds(READY), seconds(notReady), seconds(STALLED)]).toEqual([7200, 30, 20]);
  });

  it('end with the last object that has the condition', () => {
    const { shown, count, seconds } = setup();
    shown.refresh([objectWith(READY), objectWith(STALLED)], NOW_MS);
    shown.refresh([objectWith(READY)], NOW_MS);
    expect(count(READY)).toBe(1);
    expect(count(STALLED)).toBeUndefined();
    expect(seconds(STALLED)).toBeUndefined();
  });

  it('show an object that no pass has reported on, since its creation', () => {
    const { shown, count, seconds } = setup();
    const creationTimestamp = formatTime(NOW_MS - 300_000);
    shown.refresh([probe('one', { creationTimestamp })], NOW_MS);
    const unknown = { type: 'Ready', status: 'Unknown', reason: 'NotReconciled' } as const;
    expect(count(unknown)).toBe(1);
    expect(seconds(unknown)).toBe(300);
  });

  it('give a time that cannot be read, or lies ahead, no age', () => {
    const { shown, seconds } = setup();
    const forged = objectWith(READY);
    const conditions = [{ ...READY, message: '', lastTransitionTime: 'yesterday' }];
    shown.refresh([{ ...forged, status: { conditions } }], NOW_MS);
    expect(seconds(READY)).toBe(0);
    shown.refresh([objectWith({ ...READY, ageSeconds: -60 })], NOW_MS);
    expect(seconds(READY)).toBe(0);
  });

  it('stay bounded where a tenant invents reasons and types, and keep the frequent ones', () => {
    const { shown, count } = setup();
    const forged = Array.from({ length: 1000 }, (_, i) =>
      objectWith(
        { type: 'Ready', status: 'False', reason: `Invented${i}` },
        { type: `Type${i}`, status: 'True', reason: 'Whatever' },
      ),
    );
    const real = [objectWith(READY), objectWith(READY)];
    shown.refresh([...forged, ...real], NOW_MS);
    expect(count(READY)).toBe(2);
    const kept = forged.filter((_, i) =>
      count({ type: 'Ready', status: 'False', reason: `Invented${i}` }),
    );
    const types = forged.filter((_, i) =>
      count({ type: `Type${i}`, status: 'True', reason: 'Whatever' }),
    );
    expect(kept.length + types.length).toBe(199);
    const other = { type: 'Ready', status: 'False', reason: 'other' } as const;
    expect(count(other)).toBe(1000 - kept.length);
    expect(count({ type: 'other', status: 'True', reason: 'other' })).toBe(1000 - types.length);
  });
});
