import { expect, it } from 'vitest';
import { type AwsOperation, isWrite, operations } from '../../../src/aws/client/operations.ts';
import { listWrites } from '../../unit/controllers/my-ingress/crash-play.ts';
import { describeCuts } from './crash-cuts.ts';
import { SETTING_STORIES } from './crash-setting-stories.ts';
import { TRAFFIC_STORIES } from './crash-stories.ts';

describeCuts(SETTING_STORIES);

/**
 * Of targets, which are fakes in these worlds. The random worlds die at them, as `listUnreachedOperations` of
 * crash-operations.ts checks; test/unit/controllers/targets/failures.test.ts loses their answers.
 */
const CUT_ELSEWHERE: readonly AwsOperation[] = ['DeregisterTargets', 'RegisterTargets'];

it('the stories send every operation that writes to AWS', async () => {
  const sent = new Set<string>();
  for (const story of Object.values({ ...TRAFFIC_STORIES, ...SETTING_STORIES })) {
    for (const operation of await listWrites(story)) sent.add(operation);
  }
  const writes = (Object.keys(operations) as AwsOperation[]).filter(isWrite);
  const cutHere = writes.filter((operation) => !CUT_ELSEWHERE.includes(operation));
  expect([...sent].toSorted()).toEqual(cutHere.toSorted());
});
