import { parseArgs } from 'node:util';
import { firstSentence } from '../../deploy/no-arguments.ts';
import { envLines, seedNetwork } from '../seed.ts';
import { BACKEND_REGION } from './backend.ts';
import { bringUp, readStatus, takeDown } from './service.ts';

/** `npm run localstack -- up|down|status`: LocalStack's open runtime, without Docker. */

const HELP = `LocalStack's open runtime 4.14 with EC2 and ELBv2, without Docker and without a token.

Usage: npm run localstack -- up [--port N] | down | status
  up        installs it once into the user's cache directory, starts it in the background on
            127.0.0.1 (default port 4566), creates a network in it, and prints the settings for it
  down      stops it; its contents are lost
  status    reports whether it is running; exits with 0 only if it is
  --help    this text

Needs Python 3.10 or later. With a token and Docker you can use the licensed LocalStack instead: see
localstack/README.md.
`;

/** Nobody's: LocalStack takes the key id for the account and any secret. */
const CREDENTIALS = { accessKeyId: '000000000000', secretAccessKey: 'localstack' } as const;

/** Of the caller's arguments. */
class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'UsageError';
  }
}

const { env } = process;
process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { port: { type: 'string', default: '4566' }, help: { type: 'boolean' } },
    });
    if (values.help) return print(HELP);
    return await run(positionals, values.port);
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof TypeError;
    const hint = isUsage ? '; run with --help for usage' : '';
    process.stderr.write(`localstack: ${firstSentence(error)}${hint}\n`);
    return isUsage ? 2 : 1;
  }
}

function run(positionals: readonly string[], port: string): Promise<number> {
  const [command, ...more] = positionals;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw new UsageError(`--port takes a number up to 65535, not "${port}"`);
  }
  if (more.length > 0)
    throw new UsageError(`one command at a time, not "${positionals.join(' ')}"`);
  if (command === undefined) throw new UsageError('a command is missing: up, down or status');
  switch (command) {
    case 'up':
      return up(Number(port));
    case 'down':
      return down();
    case 'status':
      return status();
    default:
      throw new UsageError(`there is no command "${command}"`);
  }
}

async function up(port: number): Promise<number> {
  const say = (line: string): void => void print(`${line}\n`);
  const { url, pid, wasUp } = await bringUp(port, { env, say });
  say(`LocalStack's open runtime ${wasUp ? 'is up already' : 'is up'}: ${url}, process ${pid}`);
  const network = await seedNetwork({
    endpoint: url,
    region: BACKEND_REGION,
    credentials: CREDENTIALS,
  });
  return print(`
AWS_ENDPOINT_URL=${url}
AWS_REGION=${BACKEND_REGION}
AWS_ACCESS_KEY_ID=${CREDENTIALS.accessKeyId}
AWS_SECRET_ACCESS_KEY=${CREDENTIALS.secretAccessKey}
${envLines(network)}`);
}

async function down(): Promise<number> {
  return print(`LocalStack's open runtime ${(await takeDown(env)) ? 'has ended' : 'was not up'}\n`);
}

async function status(): Promise<number> {
  const seen = await readStatus(env);
  if (seen.kind === 'down') return print("LocalStack's open runtime is not up\n", 1);
  const how = seen.kind === 'serving' ? 'serves' : 'runs and does not answer';
  const text = `LocalStack's open runtime ${how}: ${seen.url}, process ${seen.pid}\n`;
  return print(text, seen.kind === 'serving' ? 0 : 1);
}

function print(text: string, exitCode = 0): number {
  process.stdout.write(text);
  return exitCode;
}
