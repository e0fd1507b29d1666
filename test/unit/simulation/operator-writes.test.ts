import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, PODS } from '../../simulation/api-model/kinds.ts';
import type { Commit } from '../../simulation/api-model/object-table.ts';
import { OperatorWrites } from '../../simulation/world/operator-writes.ts';

const OPERATOR = 'replica-0_1';

function podThat(isReady: boolean): Commit['object'] {
  const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
  return { metadata: {}, spec: {}, status: { conditions } } as unknown as Commit['object'];
}

/** A pod that becomes ready at `readyMs`, and a write of the operator at 5000. */
function countWrites(kind: string, readyMs: number): number {
  const writes = new OperatorWrites();
  const flip = { kind: PODS, by: 'kubelet', before: podThat(false), object: podThat(true) };
  writes.onCommit(flip as Commit, readyMs);
  const written = { kind: { ...CONFIG_MAPS, kind }, by: OPERATOR, object: podThat(true) };
  writes.onCommit(written as Commit, 5000);
  return writes.count;
}

describe('a write of the operator', () => {
  it.each([
    ['of a ConfigMonitor', 'ConfigMonitor', 3999],
    ['of another kind', 'WebApp', 4500],
  ])('%s counts', (_, kind, readyMs) => {
    expect(countWrites(kind, readyMs)).toBe(1);
  });

  it('of a ConfigMonitor does not count where a pod has just become ready', () => {
    expect(countWrites('ConfigMonitor', 4000)).toBe(0);
  });
});
