import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../control-plane/run-command.ts';

const MAIN = resolve(import.meta.dirname, '../../aws/main.ts');

interface Case {
  readonly args: readonly string[];
  readonly said: RegExp;
  readonly why: string;
}

const refused: Readonly<Record<string, Case>> = {
  'a backend that nobody knows': {
    args: ['--backend', 'minio'],
    said: /takes embedded, localstack, moto or a URL, not "minio"/,
    why: 'a typing error must not run against something else',
  },
  'AWS itself': {
    args: ['--backend', 'https://elasticloadbalancing.us-east-1.amazonaws.com'],
    said: /never against AWS itself/,
    why: 'the suite deletes load balancers',
  },
  'somebody to be like without a URL': {
    args: ['--backend', 'moto', '--like', 'embedded'],
    said: /--like goes with a URL/,
    why: 'moto is like moto',
  },
  'an option that it does not have': { args: ['--bakcend'], said: /--help/, why: 'a typing error' },
};

describe('npm run test:aws', () => {
  it.each(Object.entries(refused))('refuses %s', async (_, { args, said, why }) => {
    const { code, stderr } = await runCommand(process.execPath, [MAIN, ...args], { env: {} });
    expect(stderr, why).toMatch(said);
    expect(code).toBe(2);
  });
});
