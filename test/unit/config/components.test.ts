import { describe, expect, it } from 'vitest';
import { type Environment, parseConfig } from '../../../src/config/config.ts';

function problemsOf(env: Environment): readonly string[] {
  const surroundings = { homeDirectory: undefined, readText: () => '' };
  const parsed = parseConfig({ AWS_REGION: 'eu-central-1', ...env }, surroundings);
  return parsed.kind === 'problems' ? parsed.problems : [];
}

describe('readiness gates that no operator would open', () => {
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
  };
  it.each(Object.entries(refused))('%s: refused', (_name, { env, says }) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(says)]);
  });

  it('are taken where MyIngress is reconciled', () => {
    const env = { ALBRIDGE_READINESS_GATES: 'on' };
    expect(problemsOf(env)).toEqual([]);
    expect(problemsOf({ ...env, ALBRIDGE_KINDS: 'myingress' })).toEqual([]);
  });
});
