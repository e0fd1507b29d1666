import { describe, expect, it } from 'vitest';
import {
  type GatedPod,
  isSelected,
  trimGatedPod,
} from '../../../../../src/controllers/targets/gates/gated-pod.ts';
import { READINESS_GATE } from '../../../../../src/pods/pod.ts';

const UP = { type: 'ContainersReady', status: 'True' };
const OPEN = { type: READINESS_GATE, status: 'True' };
/** As the kubelet has it until it sees that the gate is open. */
const HELD = { type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady' };
/** As the node controller leaves it where the kubelet has stopped reporting. */
const LOST = { type: 'Ready', status: 'False' };
const metadata = {
  ...{ namespace: 'web', name: 'shop-1', uid: 'u1', resourceVersion: '7', labels: { app: 'shop' } },
  annotations: { big: 'x'.repeat(10_000) },
};

interface Draft {
  readonly gates?: readonly string[];
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly phase?: string;
  readonly deletionTimestamp?: string;
  readonly containers?: readonly object[];
  readonly graceSeconds?: number;
}

const sleeping = (seconds: number): object => ({ lifecycle: { preStop: { sleep: { seconds } } } });

function trimmed({ gates = [READINESS_GATE], conditions = [UP], ...draft }: Draft): unknown {
  const { phase = 'Running', deletionTimestamp, containers = [sleeping(20)] } = draft;
  const { graceSeconds: terminationGracePeriodSeconds } = draft;
  const grace = terminationGracePeriodSeconds !== undefined && { terminationGracePeriodSeconds };
  return trimGatedPod({
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { ...metadata, ...(deletionTimestamp && { deletionTimestamp }) },
    ...{
      spec: {
        ...{ readinessGates: gates.map((conditionType) => ({ conditionType })), containers },
        ...grace,
      },
      status: { phase, podIP: '10.0.0.4', conditions },
    },
  });
}

describe('of a pod is kept', () => {
  it('its labels, its address, and how its gate is', () => {
    expect(trimmed({})).toEqual({
      ...{ apiVersion: 'v1', kind: 'Pod', ips: ['10.0.0.4'], isGateClosed: true, isUp: true },
      metadata: {
        ...{ namespace: 'web', name: 'shop-1', uid: 'u1', resourceVersion: '7' },
        labels: { app: 'shop' },
      },
    });
  });

  it('each of its addresses', () => {
    const podIPs = [{ ip: '10.0.0.4' }, { ip: 'fd00:0::4' }];
    const pod = { ...{ apiVersion: 'v1', kind: 'Pod', metadata }, status: { podIPs } };
    expect(trimGatedPod(pod)).toMatchObject({ ips: ['10.0.0.4', 'fd00::4'] });
  });

  it('nothing of one that has just been created', () => {
    const { name, namespace } = metadata;
    expect(trimGatedPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace } })).toEqual({
      ...{ apiVersion: 'v1', kind: 'Pod', ips: [], isGateClosed: false, isUp: false },
      metadata: { namespace: 'web', name: 'shop-1', uid: '', resourceVersion: '', labels: {} },
    });
  });

  const cases: Readonly<Record<string, Draft & { closed: boolean; up: boolean }>> = {
    'that its gate is open': { conditions: [UP, OPEN], closed: false, up: true },
    'that its gate has just been opened': { conditions: [UP, OPEN, HELD], closed: false, up: true },
    'that its node has stopped reporting': {
      ...{ conditions: [UP, OPEN, LOST], closed: false, up: false },
    },
    'that it waits at its gate': { conditions: [UP, LOST], closed: true, up: true },
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

describe('a pod that is deleted', () => {
  const hook = { lifecycle: { preStop: { exec: { command: ['sleep', '20'] } } } };
  const cases: Readonly<Record<string, Draft & { short: string | undefined }>> = {
    'without a preStop hook ends at once': { containers: [{}], short: 'NoPreStop' },
    'with a sleep as long as its grace period is killed after it': {
      ...{ containers: [sleeping(30)], short: 'GracePeriodTooShort' },
    },
    'with a shorter sleep has time left': { containers: [sleeping(29)], short: undefined },
    'has the grace period of its spec': {
      ...{ containers: [sleeping(30)], graceSeconds: 60, short: undefined },
    },
    'may have the hook in one container of several': {
      ...{ containers: [{}, sleeping(20)], short: undefined },
    },
    'ends at once where only a container without ports has the hook': {
      ...{ containers: [{ ports: [{}] }, sleeping(20)], short: 'NoPreStop' },
    },
    'may have the hook in the container with ports alone': {
      ...{ containers: [{ ports: [{}], ...sleeping(20) }, {}], short: undefined },
    },
    'may have a hook other than sleep': { containers: [hook], short: undefined },
    'is past caring for': { containers: [{}], deletionTimestamp: 'now', short: undefined },
  };
  it.each(Object.entries(cases))('%s', (_name, { short, ...draft }) => {
    expect((trimmed(draft) as GatedPod).shortShutdown).toBe(short);
  });
});

it('a selector selects by all of its labels, and an empty one nothing', () => {
  const pod = { metadata: { name: 'a', labels: { app: 'shop', tier: 'web' } } };
  expect(isSelected(pod, { app: 'shop' })).toBe(true);
  expect(isSelected(pod, { app: 'shop', tier: 'db' })).toBe(false);
  expect(isSelected(pod, {})).toBe(false);
});
