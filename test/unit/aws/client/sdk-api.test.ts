import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AwsFault } from '../../../../localstack/embedded/http/aws-fault.ts';
import { checkSignature } from '../../../../localstack/embedded/http/aws-request.ts';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import {
  createSdkApi,
  createSdkClient,
  type SdkApi,
  type SdkApiOptions,
} from '../../../../src/aws/client/sdk-api.ts';
import { wireAws } from '../../../../src/aws/client/wire.ts';
import { systemClock } from '../../../../src/system-clock.ts';
import { type HttpTarget, startTarget } from '../../../fakes/http-target.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { arnOf } from './scripted-aws-api.ts';

const NO_BALANCERS =
  '<DescribeLoadBalancersResponse><DescribeLoadBalancersResult><LoadBalancers/></DescribeLoadBalancersResult></DescribeLoadBalancersResponse>';

it('leaves in the SDK what makes up a request, and the place of its retries', () => {
  const { middlewareStack } = createSdkClient({ region: 'us-east-1', userAgent: 'albridge/0' });
  const names = middlewareStack.identify().map((entry) => entry.split(' ', 1)[0]);
  expect(names).toEqual([
    'serializerMiddleware',
    'contentLengthMiddleware',
    'hostHeaderMiddleware',
    'getUserAgentMiddleware',
    'retryMiddleware',
    'httpSigningMiddleware',
    'deserializerMiddleware',
  ]);
});

describe('a service of AWS is asked at', () => {
  let asked: string[];
  let elb: HttpTarget;
  let other: HttpTarget;

  beforeEach(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'operator');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    asked = [];
    elb = await startNoting('elb');
    other = await startNoting('other');
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await Promise.all([elb.stop(), other.stop()]);
  });

  /** Refuses everything, and notes who asked for what. */
  function startNoting(name: string): Promise<HttpTarget> {
    return startTarget(name, (request, response) => {
      const [, service = ''] =
        /\/us-east-1\/(\w+)\//.exec(request.headers.authorization ?? '') ?? [];
      asked.push(`${name}: ${service}`);
      response.writeHead(400).end();
    });
  }

  async function askBoth(
    endpoints: Pick<SdkApiOptions, 'endpoint' | 'ec2Endpoint'>,
  ): Promise<void> {
    const api = createSdkApi({
      ...{ clock: systemClock, region: 'us-east-1', userAgent: 'albridge/0' },
      ...{ leadership: { isLeader: () => true }, ...endpoints },
    });
    const never = { signal: new AbortController().signal };
    await expect(api.send('DescribeLoadBalancers', {}, never)).rejects.toThrow();
    await expect(api.send('DescribeSubnets', { SubnetIds: ['subnet-a'] }, never)).rejects.toThrow();
    api.close();
  }

  it('its own address', async () => {
    await askBoth({ endpoint: `http://${elb.address}`, ec2Endpoint: `http://${other.address}` });
    expect(asked).toEqual(['elb: elasticloadbalancing', 'other: ec2']);
  });

  it("AWS's own address, where only the other service has one", async () => {
    // What the SDK falls back to stands for AWS here.
    vi.stubEnv('AWS_ENDPOINT_URL_EC2', `http://${other.address}`);
    await askBoth({ endpoint: `http://${elb.address}` });
    expect(asked).toEqual(['elb: elasticloadbalancing', 'other: ec2']);
  });
});

describe('keys that AWS refuses are read again', () => {
  const REFUSAL =
    '<ErrorResponse><Error><Code>InvalidClientTokenId</Code><Message>no</Message></Error></ErrorResponse>';
  const clock = new ManualClock();
  let directory: string;
  let asked: string[];
  let target: HttpTarget;
  let api: SdkApi;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'albridge-keys-'));
    await writeKeys('one');
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(directory, 'credentials'));
    vi.stubEnv('AWS_CONFIG_FILE', join(directory, 'config'));
    vi.stubEnv('AWS_ACCESS_KEY_ID', '');
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true');
    asked = [];
    target = await startTarget('elb', ({ headers }, response) => {
      asked.push(/Credential=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? '');
      response.writeHead(403).end(REFUSAL);
    });
    api = createSdkApi({
      ...{ clock, region: 'us-east-1', userAgent: 'albridge/0' },
      ...{ leadership: { isLeader: () => true }, endpoint: `http://${target.address}` },
    });
  });

  afterEach(async () => {
    api.close();
    vi.unstubAllEnvs();
    await target.stop();
    await rm(directory, { recursive: true });
  });

  function writeKeys(id: string): Promise<void> {
    const lines = ['[default]', `aws_access_key_id=${id}`, 'aws_secret_access_key=secret', ''];
    return writeFile(join(directory, 'credentials'), lines.join('\n'));
  }

  async function ask(): Promise<string | undefined> {
    await expect(api.send('DescribeLoadBalancers', {})).rejects.toThrow();
    return asked.at(-1);
  }

  it('from their file, at most every half minute', async () => {
    expect(await ask()).toBe('one');
    await writeKeys('two');
    expect([await ask(), await ask()]).toEqual(['one', 'one']);
    await clock.advance(30_000);
    // The call that is refused has them read.
    expect([await ask(), await ask()]).toEqual(['one', 'two']);
  });

  it('and kept where nothing is to be read', async () => {
    expect(await ask()).toBe('one');
    await rm(join(directory, 'credentials'));
    await clock.advance(30_000);
    expect([await ask(), await ask(), await ask()]).toEqual(['one', 'one', 'one']);
  });

  it('and the refusal is reported although their source does not answer again', async () => {
    await rm(join(directory, 'credentials'));
    const [first, again] = [join(directory, 'first'), join(directory, 'again')];
    const keys = '{"Version":1,"AccessKeyId":"one","SecretAccessKey":"secret"}';
    const script = `if [ -e ${first} ]; then touch ${again}; sleep 2; fi\ntouch ${first}\necho '${keys}'\n`;
    await writeFile(join(directory, 'keys.sh'), script);
    const process = `credential_process = sh ${join(directory, 'keys.sh')}`;
    await writeFile(join(directory, 'config'), `[default]\n${process}\n`);
    const refused = expect(api.send('DescribeLoadBalancers', {})).rejects.toMatchObject({
      name: 'InvalidClientTokenId',
    });
    await vi.waitFor(() => access(again));
    await clock.advance(10_000);
    await refused;
  });
});

describe('the audit line of a write', () => {
  /** The lines of one deletion, for a process whose leadership is asked for and answered so. */
  async function logDeletion(isLeader: () => boolean): Promise<readonly string[]> {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'operator');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    const target = await startTarget('elb', (_, response) => response.writeHead(400).end());
    const common = { clock: systemClock, leadership: { isLeader } };
    const endpoint = `http://${target.address}`;
    const api = createSdkApi({
      ...{ ...common, region: 'us-east-1', userAgent: 'albridge/0', endpoint },
    });
    const log = new SilentLogger();
    const aws = wireAws({
      ...common,
      api,
      log,
      metrics: new RecordingMetrics(),
      budget: NO_LIMITS,
    });
    await expect(aws.loadBalancers.delete(arnOf('shop'))).rejects.toThrow();
    api.close();
    await target.stop();
    vi.unstubAllEnvs();
    return log.shown.map(({ message }) => message);
  }

  it('is there once it is sent', async () => {
    expect(await logDeletion(() => true)).toEqual(['write to AWS']);
  });

  it('is missing where the lease was lost before it was sent', async () => {
    const answers = [true];
    expect(await logDeletion(() => answers.pop() ?? false)).toEqual([]);
  });
});

describe('a clock that is wrong', () => {
  /** AWS's own, which stands still. */
  const trueMs = Date.UTC(2026, 0, 1);
  const aws = { region: 'us-east-1', now: () => trueMs };
  let target: HttpTarget;

  beforeEach(async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'operator');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.useFakeTimers({ toFake: ['Date'] });
    target = await startTarget('elb', ({ headers }, response) => {
      response.sendDate = false;
      response.setHeader('date', new Date(trueMs).toUTCString());
      try {
        checkSignature(headers, new URLSearchParams(), aws);
        response.end(NO_BALANCERS);
      } catch (fault) {
        const { code, message } = fault as AwsFault;
        response.writeHead(403).end(errorDocument(code, message));
      }
    });
  });

  afterEach(async () => {
    vi.useRealTimers();
    vi.unstubAllEnvs();
    await target.stop();
  });

  it.each([600_000, -3_600_000])(
    'by %i ms costs no call, nor when it is put right',
    async (offMs) => {
      const common = { clock: systemClock, leadership: { isLeader: () => true } };
      const api = createSdkApi({
        ...{ ...common, region: aws.region, userAgent: 'albridge/0' },
        endpoint: `http://${target.address}`,
      });
      const ports = { log: new SilentLogger(), metrics: new RecordingMetrics(), budget: NO_LIMITS };
      const { inventory } = wireAws({ ...common, ...ports, api });
      for (const nowMs of [trueMs + offMs, trueMs]) {
        vi.setSystemTime(nowMs);
        const reading = inventory.refresh(new Set(['shop']), new AbortController().signal);
        await expect(reading).resolves.toBeUndefined();
      }
      api.close();
    },
  );
});

function errorDocument(code: string, message: string): string {
  return `<ErrorResponse><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error></ErrorResponse>`;
}
