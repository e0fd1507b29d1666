import { expect, it } from 'vitest';
import { contradictions, mask } from '../../aws/account/recording.ts';
import { isRunId, newRunId } from '../../aws/account/run.ts';

it('names a row of the table that AWS contradicts, with what AWS said', () => {
  const refusals = [{ operation: 'SetSubnets', code: 'InvalidSubnet', message: 'no' }];
  const verdicts = [
    { id: 'two-subnets', title: 'one subnet', holds: false, refusals },
    { id: 'page-size', title: 'a page size of 0', holds: true, refusals: [] },
  ] as const;
  expect(contradictions({ verdicts })).toEqual([
    'two-subnets ("fewer than two subnets: ValidationError"): not so in "one subnet" (SetSubnets: InvalidSubnet)',
  ]);
});

it('publishes neither an account nor who asked', () => {
  const said =
    'User: arn:aws:sts::123456789012:assumed-role/Admin/jane@example.com is not authorized on ' +
    'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/t-1122070512ab-1-0-x/0123456789abcdef';
  expect(mask(said)).toBe(
    'User: arn:aws:sts::000000000000:assumed-role/masked is not authorized on ' +
      'arn:aws:elasticloadbalancing:eu-west-1:000000000000:loadbalancer/app/t-1122070512ab-1-0-x/0123456789abcdef',
  );
});

it.each([
  ['the bucket logs_123456789012 is missing', 'the bucket logs_000000000000 is missing'],
  ['bucket123456789012 of 123456789012_x', 'bucket000000000000 of 000000000000_x'],
  ['user/team:joe: no', 'user/masked: no'],
  ['after 1234567890123 ms', 'after 1234567890123 ms'],
])('publishes %s as %s', (said, published) => {
  expect(mask(said)).toBe(published);
});

it('gives a run an id that contains the time when it began', () => {
  const id = newRunId(new Date('2026-11-22T07:05:12Z'), () => 0.67);
  expect(id).toBe('11220705ab85');
  expect(isRunId(id)).toBe(true);
});
