import { describe, expect, it } from 'vitest';
import {
  isSelected,
  READINESS_GATE,
  trimGatedPod,
} from '../../../../../src/controllers/targets/gates/gated-pod.ts';

const UP = { type: 'ContainersReady', status: 'True' };
const OPEN = { type: READINESS_GATE, status: 'True' };
const metadata = {
  ...{ namespace: 'web', name: 'shop-1', uid: 'u1', resourceVersion: '7', labels: { app: 'shop' } },
  annotations: { big: 'x'.repeat(10_000) },
};

interface Draft {
  readonly gates?: readonly string[];
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly phase?: string;
  readonly deletionTimestamp?: string;
}

function trimmed({ gates = [READINESS_GATE], conditions = [UP], ...draft }: Draft): unknown {
  const { phase = 'Running', deletionTimestamp } = draft;
  return trimGatedPod({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { ...metadata, ...(deletionTimestamp && { deletionTimestamp }) },
    ...{
      spec: { readinessGates: gates.map((conditionType) => ({ conditionType })), containers: [{}] },
      status: { phase, podIP: '10.0.0.4', conditions },
    },
  });
}

describe('of a pod is kept', () => {
  it('its labels, its address, and how its gate is', () => {
    expect(trimmed({})).toEqual({
      ...{ apiVersion: 'v1', kind: 'Pod', ip: '10.0.0.4', isGateClosed: true, isUp: true },
      metadata: {
        ...{ namespace: 'web', name: 'shop-1', uid: 'u1', resourceVersion: '7' },
        labels: { app: 'shop' },
      },
    });
  });

  it('nothing of one that has just been created', () => {
    const { name, namespace } = metadata;
    expect(trimGatedPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } })).toEqual({
      ...{ apiVersion: 'v1', kind: 'Pod', ip: '', isGateClosed: false, isUp: false },
      metadata: { namespace: 'web', name: 'shop-1', uid: '', resourceVersion: '', labels: {} },
    });
  });

  const cases: Readonly<Record<string, Draft & { closed: boolean; up: boolean }>> = {
    'that its gate is open': { conditions: [UP, OPEN], closed: false, up: true },
    'that a container is not ready': { conditions: [], closed: true, up: false },
    'that another gate is closed': { gates: ['other', READINESS_GATE], closed: true, up: false },
    'that it has no gate': { gates: [], closed: false, up: false },
    'that it has ended': { phase: 'Succeeded', closed: false, up: false },
    'that it is being deleted': { deletionTimestamp: 'now', closed: false, up: false },
  };
  it.each(Object.entries(cases))('%s', (_name, { closed, up, ...draft }) => {
    expect(trimmed(draft)).toMatchObject({ isGateClosed: closed, isUp: up });
  });
});

it('a selector selects by all of its labels, and an empty one nothing', () => {
  const pod = { metadata: { name: 'a', labels: { app: 'shop', tier: 'web' } } };
  expect(isSelected(pod, { app: 'shop' })).toBe(true);
  expect(isSelected(pod, { app: 'shop', tier: 'db' })).toBe(false);
  expect(isSelected(pod, {})).toBe(false);
});
