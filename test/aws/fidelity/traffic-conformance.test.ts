import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import {
  freshModel,
  inputOf,
  type Step,
  steps,
} from '../../unit/localstack/traffic/random-steps.ts';
import { isMissing } from '../under-test.ts';
import { answerOf } from './answer-of.ts';
import { loadServiceModel, type ServiceModel } from './service-model.ts';

const SEQUENCES = 100;
const SEED = 7;

/** Listeners, rules and target groups of the embedded stand-in against AWS's own description. */
describe.skipIf(isMissing)('what the embedded stand-in says of traffic', () => {
  let model: ServiceModel;
  beforeAll(async () => {
    model = await loadServiceModel('elbv2/2015-12-01');
  });

  it(`is as the model allows in ${SEQUENCES} random sequences`, { timeout: 120_000 }, () => {
    const seen = new Set<string>();
    const play = (sequence: readonly Step[]): void => {
      const { aws, clock } = freshModel();
      for (const step of sequence) {
        expect(faultsOf(aws, step)).toEqual([]);
        clock.advance(1000);
      }
    };
    const faultsOf = (aws: EmbeddedAws, step: Step): readonly string[] => {
      const { operation } = step;
      const answer = answerOf(aws, operation, inputOf(aws, step));
      seen.add(`${operation} ${answer.status < 300 ? 'accepted' : 'refused'}`);
      return model.faultsOf(answer);
    };
    const sequences = fc.array(steps, { minLength: 30, maxLength: 60, size: 'max' });
    fc.assert(fc.property(sequences, play), { numRuns: SEQUENCES, seed: SEED });
    const operations = [...new Set([...seen].map((one) => one.split(' ')[0] ?? ''))];
    expect(operations).toHaveLength(28);
    expect(operations.filter((name) => !seen.has(`${name} accepted`))).toEqual([]);
    // Both of balancers are refused in conformance.test.ts, or never.
    expect(operations.filter((name) => !seen.has(`${name} refused`)).sort()).toEqual([
      'CreateLoadBalancer',
      'DeleteLoadBalancer',
    ]);
  });
});
