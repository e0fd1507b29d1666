import { describe, expect, it } from 'vitest';
import { type Environment, parseConfig } from '../../../src/config/config.ts';

function problemsOf(env: Environment): readonly string[] {
  const surroundings = { homeDirectory: undefined, readText: () => '' };
  const parsed = parseConfig({ AWS_REGION: 'eu-central-1', ...env }, surroundings);
  return parsed.kind === 'problems' ? parsed.problems : [];
}

describe('what a component turns on and nothing uses', () => {
  const refused: Readonly<Record<string, { env: Environment; says: RegExp; why: string }>> = {
    'gates in mode observe': {
      env: { ALBRIDGE_READINESS_GATES: 'on', ALBRIDGE_MODE: 'observe' },
      says: /^ALBRIDGE_READINESS_GATES is on while ALBRIDGE_MODE is observe, .*: set the mode to reconcile, or/,
      why: 'each new pod would get a gate, which nobody opens',
    },
    'gates without MyIngress': {
      env: { ALBRIDGE_READINESS_GATES: 'on', ALBRIDGE_KINDS: 'webapp' },
      says: /^ALBRIDGE_READINESS_GATES is on, and ALBRIDGE_KINDS lacks myingress, .*: add it, or/,
      why: 'each new pod would get a gate, which nobody opens',
    },
    'Secrets without ConfigMonitor': {
      env: { ALBRIDGE_SECRETS: 'on', ALBRIDGE_KINDS: 'myingress' },
      says: /^ALBRIDGE_SECRETS is on, and ALBRIDGE_KINDS lacks configmonitor, .*: add it, or/,
      why: 'the operator would have rights on all Secrets for nothing',
    },
  };
  it.each(Object.entries(refused))('%s: refused', (_name, { env, says }) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(says)]);
  });

  it('takes gates and Secrets for the kinds that use them', () => {
    const env = { ALBRIDGE_READINESS_GATES: 'on', ALBRIDGE_SECRETS: 'on' };
    expect(problemsOf(env)).toEqual([]);
    expect(problemsOf({ ...env, ALBRIDGE_KINDS: 'myingress,configmonitor' })).toEqual([]);
  });
});
