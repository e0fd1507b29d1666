import { describe, expect, it } from 'vitest';
import { generate } from '../../simulation/generate.ts';
import { PLAIN } from '../../simulation/plain-settings.ts';
import { buildScenario } from '../../simulation/regression.ts';
import { REGRESSIONS } from '../../simulation/regressions.ts';
import { parseScenario } from '../../simulation/scenario-file.ts';

function parse(parts: object): unknown {
  return parseScenario(
    JSON.stringify({ seed: 1, settings: PLAIN, steps: [], faults: [], ...parts }),
  );
}

const CRASH = {
  kind: 'crash',
  label: 'aws AddTags',
  phase: 'before',
  nth: 1,
  restartMs: 500,
};
const span = { fromMs: 0, forMs: 1000 };

describe('a scenario in a file', () => {
  it.each<[string, object, string]>([
    ['an action that names no object', { myIngress: { do: 'create', spec: {} } }, '.myIngress.at'],
    ['a name without namespace', { myApp: { do: 'delete', at: 'shop' } }, '.myApp.at'],
    ['an action without its spec', { myIngress: { do: 'create', at: 'web/a' } }, '.myIngress.spec'],
    ['an unknown action', { webApp: { do: 'explode', at: 'web/a' } }, '.webApp.do'],
    ['an action of another kind', { node: { do: 'create', at: 'web/a' } }, '.node.do'],
    ['what every object has', { node: { do: 'toString' } }, '.node.do'],
    ['no action at all', { node: null }, '.node.do'],
    ['a text for a number', { service: { do: 'scale', at: 'web/a', pods: '2' } }, '.service.pods'],
    ['nothing where null counts', { attach: { do: 'label', namespace: 'a' } }, '.attach.team'],
    ['two actions', { node: { do: 'drain', node: 1 }, source: {} }, ''],
  ])('is refused if a step has %s', (_, action, path) => {
    expect(() => parse({ steps: [{ atMs: 1, ...action }] })).toThrow(`steps[0]${path} is not as a`);
  });

  it('is refused if a step has no time', () => {
    const step = { node: { do: 'drain', node: 1 } };
    expect(() => parse({ steps: [{ atMs: 1, ...step }, step] })).toThrow('steps[1].atMs is not as');
  });

  it.each<[string, object, string]>([
    ['of an unknown kind', { kind: 'flood' }, '.kind'],
    ['of a kind that only an action has', { kind: 'traffic limit' }, '.kind'],
    ['that kills at no operation', { ...CRASH, label: undefined }, '.label'],
    ['that kills at no number', { ...CRASH, nth: '1' }, '.nth'],
    ['that kills in an unknown phase', { ...CRASH, phase: 'later' }, '.phase'],
    ['that has no end', { kind: 'apiDown', fromMs: 0 }, '.forMs'],
    [
      'of an unknown effect',
      { kind: 'aws', effect: 'busy', operation: '*', times: 1, ...span },
      '.effect',
    ],
  ])('is refused if it has a fault %s', (_, fault, path) => {
    expect(() => parse({ faults: [CRASH, fault] })).toThrow(`faults[1]${path} is not as a`);
  });

  it('is taken if the generator drew it', () => {
    for (let seed = 0; seed < 256; seed++) {
      const scenario = generate(seed);
      expect(parseScenario(JSON.stringify(scenario))).toEqual(scenario);
    }
  });

  it.each(Object.entries(REGRESSIONS))('is taken if it once failed: %s', (_, regression) => {
    expect(() => parseScenario(JSON.stringify(buildScenario(regression)))).not.toThrow();
  });
});
