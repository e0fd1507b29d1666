import {
  createMyIngress,
  editMyIngress,
  meddleWithBalancer,
  meddleWithTraffic,
  type Regression,
} from '../regression.ts';
import type { Fault, Step } from '../scenario.ts';

const HTTP = { port: 80, protocol: 'HTTP' } as const;
const RULES = ['one', 'two'].map((name) => {
  return { name, paths: [`/${name}`], fixedResponse: { statusCode: 410 } };
});
const CREATE = createMyIngress(5000, 'web/shop', {
  subnets: ['subnet-a', 'subnet-b'],
  listeners: [HTTP, { ...HTTP, port: 81 }],
  rules: RULES,
  tags: { team: 'a' },
});

function freeze(label: string, nth: number): readonly Fault[] {
  return [{ kind: 'freeze', label, nth, forMs: 40_000 }];
}

/** The first that has the tag. */
function untagRule(atMs: number): Step {
  const meddling = { what: 'untag', kind: 'rule', key: 'albridge.io/name' } as const;
  return meddleWithTraffic(atMs, 'web/shop', meddling);
}

/** Worlds in which a process goes on with a pass in whose middle it was stopped for longer than a pass may take. */
export const FROZEN_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'deletes a rule that came back into the spec while the process was stopped at the one before': {
    why: 'false alarm: by design the edit is left to the next pass, but the promise knew the last 30 s alone',
    seed: 2,
    steps: [
      CREATE,
      editMyIngress(60_000, 'web/shop', { rules: null }),
      editMyIngress(62_000, 'web/shop', { rules: RULES }),
    ],
    faults: freeze('aws DeleteRule', 1),
  },
  'deletes a rule of which somebody took a tag while the process was stopped at the one before': {
    why: 'false alarm: it was ours when the pass began, 40 s ago',
    seed: 2,
    steps: [
      CREATE,
      editMyIngress(60_000, 'web/shop', { rules: null }),
      ...[62_000, 62_001, 62_002, 62_003].map(untagRule),
    ],
    faults: freeze('aws DeleteRule', 1),
  },
  'writes to a balancer that was released while the process was stopped at the write before': {
    why: 'false alarm: it was ours when the pass began, 40 s ago',
    seed: 2,
    steps: [
      CREATE,
      editMyIngress(60_000, 'web/shop', { subnets: ['subnet-a', 'subnet-c'], tags: { env: 'b' } }),
      meddleWithBalancer(62_000, 'web/shop', { what: 'release', key: 'albridge.io/namespace' }),
    ],
    faults: freeze('aws AddTags', 1),
  },
  'deletes a balancer that is to be retained since the process was stopped in the deletion': {
    why: 'false alarm: the policy was Delete when the pass began, 40 s ago',
    seed: 2,
    steps: [
      CREATE,
      { atMs: 60_000, myIngress: { do: 'delete', at: 'web/shop' } },
      editMyIngress(62_000, 'web/shop', { deletionPolicy: 'Retain' }),
    ],
    faults: freeze('aws DescribeTags', 2),
  },
};
