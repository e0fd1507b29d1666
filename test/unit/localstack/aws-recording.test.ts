import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  contradictions,
  keepRecording,
  mask,
  type Recording,
} from '../../aws/account/recording.ts';
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

describe('the file of the recording', () => {
  const place = mkdtempSync(join(tmpdir(), 'albridge-recording-'));
  const file = join(place, 'recording.json');
  afterAll(() => rmSync(place, { recursive: true }));
  const RECORDING: Recording = {
    ...{ recordedAt: '2026-11-22T07:05:12Z', region: 'us-east-1', answers: { e: 'accepted' } },
    verdicts: [],
  };

  /** Keeps the recording of a run whose verdicts are in a directory. */
  function keep(to: string, verdicts: Recording['verdicts'] = []) {
    const directory = mkdtempSync(join(place, 'verdicts-'));
    const lines: string[] = [];
    const options = { file: to, directory, say: (line: string) => lines.push(line) };
    const code = keepRecording({ ...RECORDING, verdicts }, options);
    return { code, directory, said: lines.join('\n') };
  }

  it('has the recording before the verdicts are deleted', () => {
    const { code, directory } = keep(file);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(RECORDING);
    expect(existsSync(directory)).toBe(false);
  });

  it('fails where AWS contradicts the table, and names the row', () => {
    const verdict = { id: 'two-subnets', title: 'one subnet', holds: false, refusals: [] } as const;
    const { code, said } = keep(file, [verdict]);
    expect(code).toBe(1);
    expect(said).toContain('localstack/differences.ts is wrong: two-subnets');
  });

  it('leaves the verdicts in their directory, which it names, if it has become unwritable', () => {
    mkdirSync(join(place, 'taken'));
    const { code, directory, said } = keep(join(place, 'taken'));
    expect(code).toBe(1);
    expect(said).toContain(`cannot be written (EISDIR); the verdicts are in ${directory}`);
    expect(existsSync(directory)).toBe(true);
  });
});
