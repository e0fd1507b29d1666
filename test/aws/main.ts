import { parseArgs } from 'node:util';
import { firstSentence } from '../../deploy/no-arguments.ts';
import { backendNames, isBackendName } from '../../localstack/backends/backend.ts';
import { runTests } from '../gates/run-tests.ts';
import { isListening } from '../surroundings/listening.ts';
import { type AccountOptions, runInAccount } from './account/account.ts';

/** `npm run test:aws -- --backend NAME|URL`: the suite against one stand-in for AWS. */

const HELP = `Runs the AWS suite against one stand-in, which it starts and stops, or against AWS.

Usage: npm run test:aws -- [--backend NAME] [arguments of vitest]
  --backend NAME   ${backendNames.join(', ')} (default embedded), or the URL of one that is already running,
                   such as the licensed LocalStack of localstack/docker-compose.yml
  --like NAME      with a URL: the stand-in whose differences from AWS are expected (default none)
  --help           this text

With --backend aws the suite runs against AWS itself, with your own credentials; it prints what that costs:
  --yes-this-costs-money   runs it; without this option it only prints what it would do
  --region NAME            default: that of the AWS SDK
  --vpc ID                 VPC with subnets in three zones; default: the default VPC
  --subnets ID,ID,ID       use only these subnets
  --record FILE            file for AWS's answers; default aws-<id of the run>.json
  --clean-up ID            only removes what the run with this id left behind

Tests of what a stand-in cannot do are skipped; localstack/README.md has the table.
`;

const text = { type: 'string' } as const;
const accountOptions = {
  'yes-this-costs-money': { type: 'boolean' },
  region: text,
  vpc: text,
  subnets: text,
  record: text,
  'clean-up': text,
} as const;

/**
 * Host names of AWS, dual-stack ones included, of each public partition; a trailing dot changes nothing.
 * https://docs.aws.amazon.com/general/latest/gr/rande.html
 * https://github.com/boto/botocore/blob/develop/botocore/data/partitions.json
 */
const AWS_HOST =
  /\.(?:amazonaws\.(?:com|com\.cn|eu)|api\.aws|api\.amazonwebservices\.(?:com\.cn|eu))\.?$/;

// Output that fails ends nothing, as where Ctrl-C ends the reader too: what was made costs money until it is removed.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        backend: { type: 'string', default: 'embedded' },
        like: { type: 'string' },
        ...accountOptions,
        help: { type: 'boolean' },
      },
    });
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    if (values.backend === 'aws') {
      if (positionals.length > 0 || values.like !== undefined)
        throw new Error('--backend aws takes neither --like nor arguments of vitest');
      return await runInAccount(accountChoice(values));
    }
    refuseAccountOptions(values);
    const settings = settingsFor(values.backend, values.like);
    await refuseSilence(settings['ALBRIDGE_TEST_AWS_URL']);
    return await run(settings, positionals);
  } catch (error) {
    process.stderr.write(`test:aws: ${firstSentence(error)}; run with --help for usage\n`);
    return 2;
  }
}

type AccountValues = {
  readonly [Name in keyof typeof accountOptions]?: string | boolean | undefined;
};

function accountChoice(values: AccountValues): AccountOptions {
  const textOf = (name: keyof AccountValues): string | undefined => values[name] as undefined;
  return {
    mayCost: values['yes-this-costs-money'] === true,
    region: textOf('region'),
    vpc: textOf('vpc'),
    subnets: textOf('subnets')?.split(','),
    record: textOf('record'),
    cleanUp: textOf('clean-up'),
  };
}

function refuseAccountOptions(values: AccountValues): void {
  const given = Object.keys(accountOptions).find((name) => Object.hasOwn(values, name));
  if (given !== undefined) throw new Error(`--${given} goes with --backend aws`);
}

type Settings = Readonly<Record<string, string>>;

/** Unlike `npm test`, whoever names a backend wants it: without Python this fails. */
function settingsFor(backend: string, like?: string): Settings {
  if (like !== undefined && !isBackendName(like))
    throw new Error(`--like takes ${backendNames.join(', ')}, not "${like}"`);
  if (isBackendName(backend)) {
    if (like !== undefined) throw new Error('--like goes with a URL');
    return { ALBRIDGE_TEST_AWS: backend, ALBRIDGE_TEST_PYTHON: 'required' };
  }
  const url = URL.parse(backend);
  if (url === null || !url.protocol.startsWith('http')) {
    throw new Error(`--backend takes ${backendNames.join(', ')}, aws or a URL, not "${backend}"`);
  }
  // The URL has its host name in lower case.
  if (AWS_HOST.test(url.hostname)) {
    throw new Error('the suite creates and deletes load balancers: never against AWS itself');
  }
  return {
    ALBRIDGE_TEST_AWS: 'url',
    ALBRIDGE_TEST_AWS_URL: backend.replace(/\/$/, ''),
    ...(like === undefined ? {} : { ALBRIDGE_TEST_AWS_LIKE: like }),
  };
}

/** Of a stand-in that somebody else was to start. */
async function refuseSilence(url: string | undefined): Promise<void> {
  if (url === undefined) return;
  const { hostname, port, protocol } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  if (await isListening(Number(port) || (protocol === 'https:' ? 443 : 80), host)) return;
  throw new Error(`nothing answers at ${url}: start the stand-in, or correct the URL`);
}

async function run(settings: Settings, args: readonly string[]): Promise<number> {
  const project = `aws-${settings['ALBRIDGE_TEST_AWS']}`;
  return await runTests(['--project', project, ...args], { ...process.env, ...settings });
}
