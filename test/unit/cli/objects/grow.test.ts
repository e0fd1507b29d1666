import { expect, it } from 'vitest';
import { growObject } from '../../../../src/cli/objects/grow.ts';
import { findKind } from '../../../../src/cli/objects/kinds.ts';
import { growPod, growTargets } from '../../../../src/cli/objects/pods.ts';

it('an object says in its first line what is wrong, and does not repeat it below', async () => {
  const state = (type: string, status: 'True' | 'False', reason: string) => {
    return { type, status, reason, message: `about ${reason}`, lastTransitionTime: '' };
  };
  const conditions = [
    state('Ready', 'True', 'Available'),
    state('Degraded', 'True', 'ProgressDeadlineExceeded'),
    state('RoutesAttached', 'False', 'HostTaken'),
  ];
  const object = {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp' },
    metadata: { name: 'web', namespace: 'shop', generation: 1 },
    status: { observedGeneration: 1, conditions },
  };
  const tree = await growObject({ kind: findKind('webapp'), object }, {} as never);
  expect(tree).toMatchObject({ state: 'Degraded True', reason: 'ProgressDeadlineExceeded' });
  expect(tree.children?.map(({ name }) => name)).toEqual(['RoutesAttached']);
});

it('a pod says what its container waits for, before what its condition says', () => {
  const conditions = [
    { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'not ready: [web]' },
  ];
  const waiting = { reason: 'ImagePullBackOff' };
  const containerStatuses = [{ restartCount: 1 }, { restartCount: 2, state: { waiting } }];
  const status = { phase: 'Pending', conditions, containerStatuses };
  expect(growPod({ metadata: { name: 'web-0' }, status })).toEqual({
    ...{ kind: 'pod', name: 'web-0', state: 'Pending, not ready, 3 restarts', health: 'bad' },
    ...{ reason: 'ImagePullBackOff', message: 'not ready: [web]' },
  });
});

it('an endpoint is ready unless its slice says otherwise', () => {
  const labels = { 'kubernetes.io/service-name': 'web' };
  const endpoints = [
    { addresses: ['10.0.0.1'] },
    { addresses: ['10.0.0.2'], conditions: { ready: false, terminating: true } },
    { addresses: ['10.0.0.3'], conditions: { ready: false } },
  ];
  const targets = growTargets([
    { metadata: { labels }, endpoints },
    { metadata: {}, endpoints },
  ]);
  expect([...targets.keys()]).toEqual(['web']);
  expect(targets.get('web')?.map(({ state }) => state)).toEqual([
    'ready',
    'terminating',
    'not ready',
  ]);
});
