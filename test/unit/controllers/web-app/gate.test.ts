import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../../../src/controllers/web-app/deployment.ts';
import { desireGate } from '../../../../src/controllers/web-app/gate.ts';

const OURS = { conditionType: 'albridge.io/targets-healthy' };
const THEIRS = { conditionType: 'example.com/theirs' };
const LABELS = { 'albridge.io/readiness-gate': 'true' };
const SLEEP = { lifecycle: { preStop: { sleep: { seconds: 20 } } } };
const GRACE = { terminationGracePeriodSeconds: 60 };
const NOTHING = { labels: {}, pod: {}, container: {} };
const WHOLE = { labels: LABELS, pod: { readinessGates: [OURS], ...GRACE }, container: SLEEP };

/** As the API server defaults it. */
const PLAIN: PodSpec = { terminationGracePeriodSeconds: 30, containers: [{ name: 'app' }] };
const GATED: PodSpec = {
  readinessGates: [OURS],
  ...GRACE,
  containers: [{ name: 'app', ...SLEEP }],
};

function withHook(preStop: object, more: PodSpec = {}): PodSpec {
  return {
    ...PLAIN,
    ...more,
    containers: [{ name: 'proxy' }, { name: 'app', lifecycle: { preStop } }],
  };
}

describe('the pods of a WebApp', () => {
  it.each<readonly [string, PodSpec]>([
    ['that has no Deployment yet', {}],
    ['that served without a load balancer before', PLAIN],
    ['that have the gate', GATED],
    ['whose gate was taken off by hand', { ...GATED, readinessGates: [] }],
    ['whose hook was taken off by hand', { ...GATED, containers: [{ name: 'app' }] }],
    ['whose grace period was taken off by hand', { ...GATED, terminationGracePeriodSeconds: 30 }],
  ])(
    '%s wait behind a load balancer for healthy targets, and end after their requests',
    (_, observed) => {
      expect(desireGate(observed, true)).toEqual(WHOLE);
    },
  );

  it('lose the gate and what came with it when no load balancer sends requests', () => {
    expect(desireGate(GATED, false)).toEqual(NOTHING);
    expect(desireGate(PLAIN, false)).toEqual(NOTHING);
  });

  it('stay as they are while that is not known', () => {
    expect(desireGate(GATED, undefined)).toEqual(WHOLE);
    expect(desireGate(PLAIN, undefined)).toEqual(NOTHING);
    expect(desireGate({}, undefined)).toEqual(NOTHING);
  });
});

interface Choice {
  readonly why: string;
  readonly observed: PodSpec;
  readonly pod: object;
  readonly container: object;
}

const gates = { readinessGates: [OURS] };
const choices: Readonly<Record<string, Choice>> = {
  'a hook that runs a command': {
    why: 'a hook has one way; it gets the time for it',
    observed: withHook({ exec: { command: ['drain'] } }),
    pod: { ...gates, ...GRACE },
    container: {},
  },
  'another sleep': {
    why: 'nobody knows better how long it takes to drain a node',
    observed: withHook({ sleep: { seconds: 25 } }),
    pod: { ...gates, ...GRACE },
    container: {},
  },
  'a longer grace period': {
    why: 'the longest request is theirs to know',
    observed: { ...PLAIN, terminationGracePeriodSeconds: 300 },
    pod: gates,
    container: SLEEP,
  },
  'a grace period that is shorter than the sleep': {
    why: 'the API server refuses both together',
    observed: { ...PLAIN, terminationGracePeriodSeconds: 10 },
    pod: gates,
    container: {},
  },
  'a grace period that is as long as the sleep': {
    why: 'nothing is left for requests that are still running',
    observed: { ...PLAIN, terminationGracePeriodSeconds: 20 },
    pod: gates,
    container: {},
  },
  'a gate of theirs': {
    why: 'the list is one value, with one owner',
    observed: { ...PLAIN, readinessGates: [THEIRS] },
    pod: GRACE,
    container: SLEEP,
  },
};

describe('what others have set in the Deployment stays', () => {
  it.each(Object.entries(choices))('%s', (_, { observed, pod, container, why }) => {
    expect(desireGate(observed, true), why).toEqual({ labels: LABELS, pod, container });
  });

  it('and pods that wait for our gate in their list keep its label', () => {
    const observed = { ...PLAIN, readinessGates: [THEIRS, OURS] };
    expect(desireGate(observed, false)).toEqual({ labels: LABELS, pod: GRACE, container: SLEEP });
  });

  it('and a sleep that needs the longer grace period keeps it when the gate goes', () => {
    const needed = withHook({ sleep: { seconds: 45 } }, GRACE);
    expect(desireGate(needed, false)).toEqual({ ...NOTHING, pod: GRACE });
    const short = withHook({ sleep: { seconds: 25 } }, GRACE);
    expect(desireGate(short, false)).toEqual(NOTHING);
    const theirs = withHook({ sleep: { seconds: 45 } }, { terminationGracePeriodSeconds: 90 });
    expect(desireGate(theirs, false)).toEqual(NOTHING);
  });
});
