import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readCallerIdentity, simulatePolicy } from '../../../../src/aws/identity/identity.ts';
import { systemClock } from '../../../../src/system-clock.ts';
import { startConnectProxy } from '../../../fakes/connect-proxy.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

interface Asked {
  readonly parameters: URLSearchParams;
  readonly authorization: string;
}

const asked: Asked[] = [];
interface Answer {
  readonly status: number;
  readonly body: string;
}

let answer: Answer;
/** Come before it, one each. */
const firstAnswers: Answer[] = [];
let server: Server;

beforeAll(async () => {
  server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
    request.on('end', () => {
      const { authorization = '' } = request.headers;
      asked.push({ parameters: new URLSearchParams(text), authorization });
      const { status, body } = firstAnswers.shift() ?? answer;
      response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(() => void server.close());
beforeEach(() => {
  asked.length = 0;
  firstAnswers.length = 0;
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'nobody');
  vi.stubEnv('AWS_ENDPOINT_URL', address());
});
afterEach(() => void vi.unstubAllEnvs());

function address(): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** `endpoint` is that of Elastic Load Balancing, where nobody listens. */
function options(region = 'eu-central-1') {
  const { signal } = new AbortController();
  const endpoint = 'http://127.0.0.1:1';
  return { region, endpoint, userAgent: 'test', clock: systemClock, signal };
}

describe('the identity of the caller', () => {
  it('is asked of STS in the region, and comes with the time of the answer', async () => {
    const result = '<Arn>arn:aws:iam::1:user/me</Arn><UserId>U</UserId><Account>1</Account>';
    const body = `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>${result}</GetCallerIdentityResult></GetCallerIdentityResponse>`;
    answer = { status: 200, body };
    const identity = await readCallerIdentity(options());
    expect(identity).toMatchObject({ arn: 'arn:aws:iam::1:user/me', account: '1' });
    expect(Date.parse(identity.date ?? '')).not.toBeNaN();
    expect(Object.fromEntries(asked[0]?.parameters ?? [])).toEqual({
      Action: 'GetCallerIdentity',
      Version: '2011-06-15',
    });
    expect(asked[0]?.authorization).toContain('/eu-central-1/sts/aws4_request');
  });

  it.each([
    ['', 'sts.eu-central-1.amazonaws.com'],
    ['AWS_USE_DUALSTACK_ENDPOINT', 'sts.eu-central-1.api.aws'],
    ['AWS_USE_FIPS_ENDPOINT', 'sts-fips.eu-central-1.amazonaws.com'],
  ])('is asked for by way of the proxy, with %j at %s', async (setting, host) => {
    const proxy = await startConnectProxy();
    try {
      vi.stubEnv('AWS_ENDPOINT_URL', undefined);
      if (setting !== '') vi.stubEnv(setting, 'true');
      const through = { url: `http://127.0.0.1:${proxy.port}`, except: '' };
      await expect(readCallerIdentity({ ...options(), proxy: through })).rejects.toThrow();
      expect(proxy.asked.map(({ line }) => line)).toEqual([`CONNECT ${host}:443`]);
    } finally {
      await proxy.stop();
    }
  });

  it('waits ten seconds for credentials', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    const directory = mkdtempSync(join(tmpdir(), 'albridge-identity-'));
    const file = join(directory, 'config');
    writeFileSync(file, '[default]\ncredential_process = sleep 2\n');
    vi.stubEnv('AWS_CONFIG_FILE', file);
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(directory, 'none'));
    const clock = new ManualClock();
    try {
      const failed = expect(readCallerIdentity({ ...options(), clock })).rejects.toThrow(
        'the credentials of AWS do not come within 10 s: run aws sts get-caller-identity to see what the profile or its credential_process waits for',
      );
      await clock.advance(10_000);
      await failed;
      expect(asked).toEqual([]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('is refused in the words of AWS', async () => {
    const body = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>InvalidClientTokenId</Code><Message>The security token included in the request is invalid.</Message></Error></ErrorResponse>`;
    answer = { status: 403, body };
    await expect(readCallerIdentity(options())).rejects.toThrow(/security token/);
  });
});

describe('an address', () => {
  const identity =
    '<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult><Arn>a</Arn></GetCallerIdentityResult></GetCallerIdentityResponse>';
  const ask = {
    STS: () => readCallerIdentity(options()),
    IAM: () => simulatePolicy('arn:x', { actions: [], resources: [], context: {} }, options()),
  };

  it.each(['STS', 'IAM'] as const)('of %s comes before that of all services', async (service) => {
    vi.stubEnv('AWS_ENDPOINT_URL', 'http://127.0.0.1:1');
    vi.stubEnv(`AWS_ENDPOINT_URL_${service}`, address());
    answer = { status: 200, body: identity };
    await ask[service]().catch(() => undefined);
    expect(asked).toHaveLength(1);
  });

  it.each(['STS', 'IAM'] as const)('of another service is not that of %s', async (service) => {
    vi.stubEnv('AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2', 'http://127.0.0.1:1');
    answer = { status: 200, body: identity };
    await ask[service]().catch(() => undefined);
    expect(asked).toHaveLength(1);
  });
});

describe("IAM's simulator", () => {
  const question = {
    actions: ['elasticloadbalancing:CreateRule', 'elasticloadbalancing:DeleteRule'],
    resources: ['arn:aws:elasticloadbalancing:eu-central-1:1:listener/app/x/y/z'],
    context: { 'aws:RequestTag/albridge.io/cluster': 'c1' },
  };

  const [create = '', remove = ''] = question.actions;

  function member(action: string, decision: string): string {
    return `<member><EvalActionName>${action}</EvalActionName><EvalDecision>${decision}</EvalDecision></member>`;
  }

  function page(results: string, marker = ''): Answer {
    const next = marker === '' ? '' : `<Marker>${marker}</Marker>`;
    const body = `<SimulatePrincipalPolicyResponse xmlns="https://iam.amazonaws.com/doc/2010-05-08/"><SimulatePrincipalPolicyResult><IsTruncated>${marker !== ''}</IsTruncated>${next}<EvaluationResults>${results}</EvaluationResults></SimulatePrincipalPolicyResult></SimulatePrincipalPolicyResponse>`;
    return { status: 200, body };
  }

  it('names the actions that it does not allow', async () => {
    answer = page(`${member(create, 'allowed')}${member(remove, 'implicitDeny')}`);
    expect(await simulatePolicy('arn:aws:iam::1:role/x', question, options())).toEqual([remove]);
    expect(Object.fromEntries(asked[0]?.parameters ?? [])).toEqual({
      Action: 'SimulatePrincipalPolicy',
      Version: '2010-05-08',
      PolicySourceArn: 'arn:aws:iam::1:role/x',
      'ActionNames.member.1': create,
      'ActionNames.member.2': remove,
      'ResourceArns.member.1': question.resources[0],
      'ContextEntries.member.1.ContextKeyName': 'aws:RequestTag/albridge.io/cluster',
      'ContextEntries.member.1.ContextKeyType': 'string',
      'ContextEntries.member.1.ContextKeyValues.member.1': 'c1',
    });
  });

  it('is asked until it has answered for every action', async () => {
    firstAnswers.push(page(member(create, 'allowed'), 'more'));
    answer = page(member(remove, 'implicitDeny'));
    expect(await simulatePolicy('arn:aws:iam::1:role/x', question, options())).toEqual([remove]);
    expect(asked.map(({ parameters }) => parameters.get('Marker'))).toEqual([null, 'more']);
  });

  it.each([
    ['eu-central-1', 'us-east-1'],
    ['cn-north-1', 'cn-north-1'],
    ['us-gov-east-1', 'us-gov-west-1'],
  ])('is asked from %s with a signature for %s', async (region, signedFor) => {
    answer = { status: 500, body: '' };
    await expect(simulatePolicy('arn:x', question, options(region))).rejects.toThrow();
    expect(asked[0]?.authorization).toContain(`/${signedFor}/iam/aws4_request`);
  });
});
