import { expect, it } from 'vitest';
import {
  decideGate,
  type GateFacts,
} from '../../../../../src/controllers/targets/gates/decide-gate.ts';
import type { TargetReport } from '../../../../../src/controllers/targets/gates/target-report.ts';

const MINUTE_MS = 60_000;
const waiting: TargetReport = { health: 'waiting', answeredMs: MINUTE_MS };
const silent: TargetReport = { health: 'waiting' };
const healthy: TargetReport = { health: 'healthy', answeredMs: MINUTE_MS };
const unused: TargetReport = { health: 'unused', answeredMs: MINUTE_MS };

interface Case extends Partial<GateFacts> {
  readonly why: string;
  readonly atMs?: number;
  /** A reason, or when a wait ends. */
  readonly is: string | number | undefined;
}

const cases: Readonly<Record<string, Case>> = {
  'no backend': { why: 'nobody sends it requests', targets: [], is: 'NoBackend' },
  'no backend, and not up': {
    why: 'a job must not wait for a load balancer',
    ...{ targets: [], upSinceMs: undefined, is: 'NoBackend' },
  },
  'no backend, and a Service missing since now': {
    why: 'it may be deleted and applied again',
    ...{ targets: [], unsureSinceMs: 1_000, atMs: 10_999, is: 11_000 },
  },
  'no backend, and a Service missing for ten seconds': {
    why: 'a rollout must not wait for what does not come',
    ...{ targets: [], unsureSinceMs: 1_000, atMs: 11_000, is: 'NoBackend' },
  },
  'healthy in its only group': { why: 'it may serve', targets: [healthy], is: 'Healthy' },
  'healthy in one group of two': {
    why: 'the other one would lose its last pod',
    ...{ targets: [healthy, waiting], is: 11 * MINUTE_MS },
  },
  'healthy, and in a group that no action names': {
    why: 'AWS checks nothing there',
    ...{ targets: [healthy, unused], is: 'Healthy' },
  },
  'in a group that no action names': {
    why: 'else it waits for good',
    targets: [unused],
    is: 'Healthy',
  },
  'not up': { why: 'it is no target', targets: [silent], upSinceMs: undefined, is: undefined },
  'AWS has never answered': {
    why: '10 minutes from when it was up',
    targets: [silent],
    is: 10 * MINUTE_MS,
  },
  'AWS answered a minute later': {
    why: '10 minutes from the answer',
    ...{ targets: [waiting], is: 11 * MINUTE_MS },
  },
  '10 minutes of silence': {
    why: 'an outage of the API must not stop every rollout',
    ...{ targets: [silent], atMs: 10 * MINUTE_MS, is: 'NoAnswer' },
  },
  'silence of one group, answers of another': {
    why: 'AWS says of the other that it is not healthy',
    ...{ targets: [silent, waiting], atMs: 10 * MINUTE_MS, is: 11 * MINUTE_MS },
  },
};

it.each(Object.entries(cases))('%s', (_name, { why, atMs = 0, is, ...facts }) => {
  const decision = decideGate({ upSinceMs: 0, targets: [], ...facts }, atMs);
  expect(decision.kind === 'open' ? decision.reason : decision.untilMs, why).toBe(is);
});
