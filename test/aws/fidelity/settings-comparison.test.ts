import { describe, expect, it } from 'vitest';
import { isMissing } from '../under-test.ts';
import { compareSequences, knownAmong, useContest } from './comparing.ts';
import { judgedSettings, judgeSettings } from './settings-judge.ts';
import { SettingsSide } from './settings-side.ts';
import {
  closingSettings,
  openingSettings,
  settingsExamples,
  settingsSteps,
} from './settings-steps.ts';

const SEQUENCES = 50;

/** As comparison.test.ts, for conditions of rules, and attributes of balancers and target groups. */
describe.skipIf(isMissing)('the embedded stand-in and this backend, with settings', () => {
  const contest = useContest();

  it(`answer ${SEQUENCES} random sequences alike, but for the table`, {
    timeout: 600_000,
  }, async () => {
    const { accepted, refused, seen } = await compareSequences(contest(), {
      ...{ steps: settingsSteps, opening: openingSettings, closing: closingSettings },
      ...{ examples: settingsExamples, count: SEQUENCES, seed: 20261127 },
      playerOf: ({ adapter: { api }, network: { vpcId, subnets } }, number) => {
        const prefix = `s${process.pid}x${number}`;
        return new SettingsSide({ api, vpcId, subnets: subnets.slice(0, 2), prefix });
      },
      createJudge: () => judgeSettings,
    });
    expect(accepted).toBeGreaterThan(SEQUENCES * 5);
    expect(refused).toBeGreaterThan(settingsExamples.length);
    expect(seen).toEqual(knownAmong(judgedSettings));
  });
});
