import { enableCompileCache, flushCompileCache } from 'node:module';
import { parseArgs } from 'node:util';
import { firstSentence } from '../../deploy/no-arguments.ts';
import type { EmbeddedAwsServerOptions } from './http/server.ts';

// Stripping the types of all files takes longer than the start itself; from the second start on it
// comes from the cache. Hence the dynamic import below.
enableCompileCache();

const HELP = `albridge's embedded stand-in for AWS: ELBv2 load balancers and their EC2 network.

Usage: node localstack/embedded/main.ts [options]
  --port <n>             port on 127.0.0.1 (default 4566; 0 takes any free one)
  --region <name>        the one region it serves (default us-east-1)
  --provisioning-ms <n>  time until a load balancer is active (default 2000)
  --budget <aws|off>     AWS's request token buckets (default aws)
  --quota <n>            load balancers per account (default 50)
  --help                 this text

Stops on SIGTERM and SIGINT. Control routes: localstack/embedded/README.md.
`;

const { values } = readArguments();
if (values.help) process.stdout.write(HELP);
else await run(values);

type Flags = Readonly<
  Partial<Record<'port' | 'region' | 'provisioning-ms' | 'budget' | 'quota', string>>
>;

function readArguments(): { readonly values: Flags & { readonly help?: boolean } } {
  const text = { type: 'string' } as const;
  const options = {
    port: text,
    region: text,
    'provisioning-ms': text,
    budget: text,
    quota: text,
    help: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ options });
  } catch (error) {
    refuse(firstSentence(error));
  }
}

async function run(flags: Flags): Promise<void> {
  const options = serverOptions(flags);
  const { startEmbeddedAws } = await import('./http/server.ts');
  const server = await startEmbeddedAws(options).catch((error: Error) =>
    error instanceof RangeError ? refuse(error.message) : fail(error.message),
  );
  const stop = (): void => {
    void server.stop();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  process.stdout.write(`embedded aws: ready on ${server.url} in ${server.region}\n`);
  flushCompileCache();
}

function serverOptions(flags: Flags): EmbeddedAwsServerOptions {
  const numbers = {
    provisioningMs: numberOf(flags, 'provisioning-ms'),
    quota: numberOf(flags, 'quota'),
  };
  return {
    port: numberOf(flags, 'port', 65_535) ?? 4566,
    ...(flags.region === undefined ? {} : { region: flags.region }),
    settings: {
      ...(numbers.provisioningMs === undefined ? {} : { provisioningMs: numbers.provisioningMs }),
      ...(numbers.quota === undefined ? {} : { quota: numbers.quota }),
      ...(flags.budget === undefined ? {} : { budget: flags.budget as 'aws' | 'off' }),
    },
  };
}

function numberOf(flags: Flags, flag: keyof Flags, max = 999_999_999): number | undefined {
  const text = flags[flag];
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text) && Number(text) <= max) return Number(text);
  refuse(`--${flag} must be a number from 0 to ${max}, not "${text}"`);
}

/** Of an argument. */
function refuse(sentence: string): never {
  fail(`${sentence}; run with --help for usage`, 2);
}

function fail(sentence: string, exitCode = 1): never {
  process.stderr.write(`embedded aws: ${sentence}\n`);
  process.exit(exitCode);
}
