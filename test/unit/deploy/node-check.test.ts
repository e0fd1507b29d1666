import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { writeNodeCheck } from '../../../deploy/bundle.ts';

function runOn(version: string): { readonly said: string; readonly code: number | undefined } {
  let [said, code]: [string, number | undefined] = ['', undefined];
  const process = {
    ...{ version: `v${version}`, versions: { node: version } },
    stderr: { write: (text: string) => void (said += text) },
    exit: (status: number) => void (code = status),
  };
  runInNewContext(writeNodeCheck('>=22.19'), { process });
  return { said, code };
}

it.each(['20.20.2', '22.18.9', '18.0.0'])(
  'a bundle ends on Node %s with one sentence',
  (version) => {
    const said = `albridge needs Node 22.19 or later, and this is v${version}: install it, or name its node\n`;
    expect(runOn(version)).toEqual({ said, code: 1 });
  },
);

it.each(['22.19.0', '23.0.0', '24.21.0'])('a bundle runs on Node %s', (version) => {
  expect(runOn(version)).toEqual({ said: '', code: undefined });
});

it('a version that the check cannot express fails the build', () => {
  expect(() => writeNodeCheck('^22')).toThrow('engines.node is not >=MAJOR.MINOR: ^22');
});
