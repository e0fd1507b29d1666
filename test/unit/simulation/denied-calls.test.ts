import { expect, it } from 'vitest';
import { ownershipTagKeys, resourceTagKey } from '../../../src/apis/my-ingress.ts';
import {
  type TrafficInvariantParts,
  TrafficInvariants,
} from '../../simulation/traffic/aws-invariants.ts';
import { Claims } from '../../simulation/traffic/claims.ts';
import type { Change } from '../../simulation/traffic/resources.ts';

const HOUR_MS = 3_600_000;
const GROUP = {
  kind: 'targetGroup',
  key: 'arn:group',
  record: { name: 'group' },
  tags: new Map([
    [ownershipTagKeys.cluster, 'cluster'],
    [ownershipTagKeys.namespace, 'web'],
    [ownershipTagKeys.name, 'shop'],
    [ownershipTagKeys.uid, 'uid'],
    [resourceTagKey, 'target-group/spec/web'],
  ]),
};

it.each<[string, { readonly isPaused?: boolean; readonly isByOthers?: boolean }]>([
  ['excuses a paused object whose group others have deleted', { isPaused: true, isByOthers: true }],
  ['reports a paused object whose group the operator has deleted', { isPaused: true }],
  ['reports an active object whose group others have deleted', { isByOthers: true }],
])('a call that is denied an hour later %s', (_, { isPaused = false, isByOthers = false }) => {
  let nowMs = 0;
  const reported: string[] = [];
  const claims = new Claims(
    'cluster',
    () => nowMs,
    () => 5_000,
  );
  claims.note([{ before: GROUP, after: undefined } as unknown as Change], { isByOthers });
  nowMs = HOUR_MS;
  const annotations = isPaused ? { 'albridge.io/paused': 'true' } : {};
  const parts: Partial<TrafficInvariantParts> = {
    claims,
    nowMs: () => nowMs,
    unseenMs: () => 5_000,
    report: () => void reported.push('denied'),
    sweepMs: 300_000,
    object: (key) => (key === 'web/shop' ? ({ metadata: { annotations } } as never) : undefined),
  };
  const input = { TargetGroupArn: GROUP.key };
  new TrafficInvariants(parts as TrafficInvariantParts).judgeDenial({
    operation: 'RegisterTargets',
    input,
  } as never);
  expect(reported).toEqual(isPaused && isByOthers ? [] : ['denied']);
});
