import { describe, expect, it } from 'vitest';
import type { ImmortalContainer } from '../../../../src/apis/immortal-container.ts';
import { Starts } from '../../../../src/controllers/immortal-container/status.ts';
import type { Pod } from '../../../../src/pods/pod.ts';

const KEY = 'web/cache';
const OBJECT = {
  metadata: { name: 'cache', namespace: 'web', uid: 'uid-of-cache' },
  status: { startTimes: 2, currentPodUID: 'uid-2', lastStartTime: '2026-01-01T00:02:46Z' },
} as unknown as ImmortalContainer;

function podOf(uid: string, creationTimestamp: string): Pod {
  const metadata = { name: 'cache-immortalpod', uid, creationTimestamp };
  return { apiVersion: 'v1', kind: 'Pod', metadata };
}

describe('the count of starts', () => {
  it.each([
    ['is the one on record', podOf('uid-2', '2026-01-01T00:02:46Z'), 2],
    ['is older than that, shown by a watch that lags', podOf('uid-1', '2026-01-01T00:00:13Z'), 2],
    ['came after it', podOf('uid-3', '2026-01-01T00:02:50Z'), 3],
    ['came in the same second', podOf('uid-3', '2026-01-01T00:02:46Z'), 3],
  ])('takes note of a pod that %s', (_name, pod, startTimes) => {
    const { currentPodUID, ...record } = new Starts().count(KEY, OBJECT, pod);
    expect(record.startTimes).toBe(startTimes);
    expect(currentPodUID).toBe(startTimes === 2 ? 'uid-2' : 'uid-3');
  });
});
