import { describe, expect, it } from 'vitest';
import {
  countResult,
  describeStatus,
  leaveAfterHookMs,
  NOT_PROBED,
  planPreStop,
} from '../../../surroundings/pods/lifecycle.ts';
import type { Container, Handler, Pod } from '../../../surroundings/pods/pod.ts';

const CONTAINER: Container = {
  ...{ name: 'app', image: 'shop:1' },
  ports: [{ name: 'http', containerPort: 8080 }],
};

describe('the result of a readiness probe', () => {
  const probe = { periodSeconds: 10, timeoutSeconds: 1, successThreshold: 2, failureThreshold: 3 };

  const CASES: Record<string, { results: string; ready: string; why: string }> = {
    'a first success': { results: '+', ready: '-', why: 'two in a row are needed' },
    'two in a row': { results: '++', ready: '-+', why: 'successThreshold is met' },
    'a failure between': { results: '+-+', ready: '---', why: 'the count begins again' },
    'failures of a container that is not ready': {
      results: '----+',
      ready: '-----',
      why: 'as before',
    },
    'two failures of a ready one': {
      results: '++--',
      ready: '-+++',
      why: 'below failureThreshold',
    },
    'three failures of a ready one': { results: '++---', ready: '-+++-', why: 'it is met' },
    'a success between failures': { results: '++--+--', ready: '-++++++', why: 'not in a row' },
    'after three failures': { results: '++---++', ready: '-+++--+', why: 'ready again after two' },
  };
  it.each(Object.entries(CASES))('%s', (_, { results, ready, why }) => {
    let readiness = NOT_PROBED;
    const states = Array.from(results, (result) => {
      readiness = countResult(readiness, result === '+', probe);
      return readiness.isReady ? '+' : '-';
    });
    expect(states.join(''), why).toBe(ready);
  });
});

describe('the preStop hook', () => {
  const ofCommand = (...command: string[]): Handler => ({ exec: { command } });
  const CASES: Record<string, { preStop?: Handler; grace?: number; hook: object }> = {
    'is none where none is set': { hook: { kind: 'none' } },
    'is a sleep': { preStop: { sleep: { seconds: 20 } }, hook: { kind: 'sleep', ms: 20_000 } },
    'is a request to a port by name': {
      preStop: { httpGet: { port: 'http', path: '/drain' } },
      hook: { kind: 'httpGet', port: 8080, path: '/drain' },
    },
    'is a request to a port by number': {
      preStop: { httpGet: { port: 9000 } },
      hook: { kind: 'httpGet', port: 9000, path: '/' },
    },
    'is the command sleep': { preStop: ofCommand('sleep', '5'), hook: { kind: 'sleep', ms: 5000 } },
    'is sleep in a shell': {
      preStop: ofCommand('/bin/sh', '-c', 'sleep 5'),
      hook: { kind: 'sleep', ms: 5000 },
    },
    'is no other command, since the image does not run': {
      preStop: ofCommand('/bin/sh', '-c', 'sleep 5 && nginx -s quit'),
      hook: { kind: 'none' },
    },
    'is left out without a grace period': {
      ...{ preStop: { sleep: { seconds: 20 } }, grace: 0 },
      hook: { kind: 'none' },
    },
  };
  it.each(Object.entries(CASES))('%s', (_, { preStop, grace = 30, hook }) => {
    const container = { ...CONTAINER, ...(preStop && { lifecycle: { preStop } }) };
    expect(planPreStop(container, grace)).toEqual(hook);
  });

  it('counts against the grace period, of which 2 s are left in any case', () => {
    expect(leaveAfterHookMs(30, 0)).toBe(30_000);
    expect(leaveAfterHookMs(30, 20_000)).toBe(10_000);
    expect(leaveAfterHookMs(30, 30_000)).toBe(2000);
    expect(leaveAfterHookMs(0, 0)).toBe(2000);
  });
});

describe('the status of a pod', () => {
  const GATE = 'albridge.io/targets-healthy';
  const metadata = { uid: 'u', name: 'shop-1', namespace: 'web' };
  const spec = { containers: [CONTAINER], readinessGates: [{ conditionType: GATE }] };
  const gated = (status: string): Pod => ({
    ...{ metadata, spec, status: { conditions: [{ type: GATE, status }] } },
  });
  const deleted: Pod = {
    metadata: { ...metadata, deletionTimestamp: 'T0' },
    spec: { containers: [] },
  };
  const running = { name: 'app', image: 'shop:1', startedAt: 'T0', isReady: true };
  const exited = (exitCode: number) => ({
    ...{ ...running, isReady: false, exit: { exitCode, finishedAt: 'T1' } },
  });
  const fresh = { before: undefined, now: 'T1' };

  function conditionsOf({ conditions }: ReturnType<typeof describeStatus>): object {
    return Object.fromEntries(conditions.map(({ type, reason }) => [type, reason ?? 'True']));
  }

  it('is Ready once its containers are ready and its gates are open', () => {
    const unready = describeStatus(gated('True'), [{ ...running, isReady: false }], fresh);
    const reason = 'ContainersNotReady';
    expect(conditionsOf(unready)).toEqual({
      Initialized: 'True',
      ContainersReady: reason,
      Ready: reason,
    });
    for (const pod of [gated('False'), { ...gated('True'), status: {} }]) {
      const closed = conditionsOf(describeStatus(pod, [running], fresh));
      expect(closed).toMatchObject({ ContainersReady: 'True', Ready: 'ReadinessGatesNotReady' });
    }
    const open = conditionsOf(describeStatus(gated('True'), [running], fresh));
    expect(open).toMatchObject({ ContainersReady: 'True', Ready: 'True' });
  });

  it('leaves the conditions of gates out', () => {
    const { conditions } = describeStatus(gated('True'), [running], fresh);
    expect(conditions.map(({ type }) => type)).not.toContain(GATE);
  });

  it('keeps the time of a condition until its status changes', () => {
    const before = describeStatus(gated('False'), [running], fresh);
    const same = describeStatus(gated('False'), [running], { before, now: 'T2' });
    expect(same).toEqual(before);
    const after = describeStatus(gated('True'), [running], { before, now: 'T2' });
    const times = after.conditions.map(({ type, lastTransitionTime: at }) => `${type} ${at}`);
    expect(times).toEqual(['Initialized T1', 'ContainersReady T1', 'Ready T2']);
    expect(after.startTime).toBe('T1');
  });

  it('ends with the last process of a deleted pod, by the exit codes', () => {
    const phaseOf = (pod: Pod, ...codes: (number | undefined)[]): string => {
      const states = codes.map((code) => (code === undefined ? running : exited(code)));
      return describeStatus(pod, states, fresh).phase;
    };
    expect(phaseOf(deleted, 0, undefined)).toBe('Running');
    expect(phaseOf(deleted, 0, 0)).toBe('Succeeded');
    expect(phaseOf(deleted, 0, 137)).toBe('Failed');
    expect(phaseOf(gated('True'), 1)).toBe('Running');
  });

  it('has what became of each container', () => {
    const { containerStatuses } = describeStatus(deleted, [running, exited(137)], fresh);
    const terminated = { exitCode: 137, reason: 'Error', startedAt: 'T0', finishedAt: 'T1' };
    expect(containerStatuses).toMatchObject([
      { ready: true, started: true, state: { running: { startedAt: 'T0' } } },
      { ready: false, started: false, state: { terminated } },
    ]);
  });
});
