import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../control-plane/run-command.ts';

const MAIN = resolve(import.meta.dirname, '../../aws/main.ts');

/** Not those of the developer's home directory either. */
const NO_CREDENTIALS = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_CONFIG_FILE: '/dev/null',
  AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
};

interface Case {
  readonly args: readonly string[];
  /** On standard error. */
  readonly said?: RegExp;
  /** On standard output. */
  readonly says?: RegExp;
  readonly why: string;
}

const refused: Readonly<Record<string, Case>> = {
  'an unknown backend': {
    args: ['--backend', 'minio'],
    said: /takes embedded, localstack, moto, aws or a URL, not "minio"/,
    why: 'a typing error must not run against something else',
  },
  'AWS without a word about the money': {
    args: ['--backend', 'aws'],
    says: /costs about \d\.\d\d USD[\s\S]*elasticloadbalancing:CreateLoadBalancer[\s\S]*Nothing was done/,
    why: 'it says what it would do and what that costs, and does nothing',
  },
  'AWS without a region': {
    args: ['--backend', 'aws', '--yes-this-costs-money'],
    said: /no region .*give --region, or set AWS_REGION/,
    why: 'nothing says which account and region would pay',
  },
  'AWS without credentials': {
    args: ['--backend', 'aws', '--yes-this-costs-money', '--region', 'eu-west-1'],
    said: /AWS cannot be read: Could not load credentials .* aws sts get-caller-identity/,
    why: 'it begins only what it can end',
  },
  'a recording in place of a directory': {
    args: ['--backend', 'aws', '--yes-this-costs-money', '--region', 'eu-west-1', '--record', '.'],
    said: /--record names \., which cannot be written \(EISDIR\)/,
    why: 'what a run finds has been paid for',
  },
  'to clean up after a run that never was': {
    args: ['--backend', 'aws', '--clean-up', 'everything'],
    said: /"everything" is no id of a run/,
    why: 'it deletes by this id',
  },
  'money for a stand-in': {
    args: ['--backend', 'moto', '--yes-this-costs-money'],
    said: /--yes-this-costs-money goes with --backend aws/,
    why: 'moto costs nothing',
  },
  'AWS itself by its address': {
    args: ['--backend', 'https://elasticloadbalancing.us-east-1.amazonaws.com'],
    said: /never against AWS itself/,
    why: 'the suite deletes load balancers',
  },
  'AWS itself by a dual-stack address': {
    args: ['--backend', 'https://elasticloadbalancing.us-east-1.api.aws'],
    said: /never against AWS itself/,
    why: 'AWS has two names for it',
  },
  'AWS in China by a dual-stack address': {
    args: ['--backend', 'https://ec2.cn-north-1.api.amazonwebservices.com.cn'],
    said: /never against AWS itself/,
    why: 'the partition has names of its own',
  },
  'AWS itself by a name with a trailing dot': {
    args: ['--backend', 'https://elasticloadbalancing.us-east-1.amazonaws.com.'],
    said: /never against AWS itself/,
    why: 'DNS takes it for the same name',
  },
  'AWS itself by a name in upper case': {
    args: ['--backend', 'https://ELASTICLOADBALANCING.US-EAST-1.API.AWS'],
    said: /never against AWS itself/,
    why: 'DNS takes it for the same name',
  },
  '--like without a URL': {
    args: ['--backend', 'moto', '--like', 'embedded'],
    said: /--like goes with a URL/,
    why: 'moto is like moto',
  },
  'an option that it does not have': { args: ['--bakcend'], said: /--help/, why: 'a typing error' },
};

describe('npm run test:aws', () => {
  it.each(Object.entries(refused))(
    'refuses %s',
    async (_, { args, said = /^$/, says = /^$/, why }) => {
      const { code, stderr, stdout } = await runCommand(process.execPath, [MAIN, ...args], {
        env: NO_CREDENTIALS,
      });
      expect(stderr, why).toMatch(said);
      expect(stdout, why).toMatch(says);
      expect(code).toBe(2);
    },
  );
});
