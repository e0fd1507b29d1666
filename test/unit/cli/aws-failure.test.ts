import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import { openAccount } from '../../../src/cli/account/account.ts';
import { explainAwsFailure } from '../../../src/cli/aws-failure.ts';
import { checkIdentity } from '../../../src/cli/doctor/check-account.ts';
import { describeError } from '../../../src/cli/errors.ts';
import { DeadlineExceeded } from '../../../src/core/ports/clock.ts';
import { systemClock } from '../../../src/system-clock.ts';
import { makeCertificate } from '../../fakes/certificate.ts';
import { type HttpTarget, startTarget } from '../../fakes/http-target.ts';

const CERTIFICATE = await makeCertificate(['localhost'], { algorithm: 'ECDSA' });
const secure = createServer({ cert: CERTIFICATE.certificate, key: CERTIFICATE.privateKey });
const { signal } = new AbortController();

const PAGE = '<html>log in</html>';

let page: HttpTarget;
let status = 200;
let body = PAGE;

beforeAll(async () => {
  page = await startTarget('page', (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' }).end(body);
  });
  secure.listen(0);
  await once(secure, 'listening');
});
afterAll(() => {
  secure.close();
  return page.stop();
});
beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'nobody');
});
afterEach(() => void vi.unstubAllEnvs());

interface Said {
  readonly orphans: string;
  readonly doctor: readonly (string | undefined)[];
}

/** What commands print where AWS is at this address. */
async function readFrom(endpoint: string): Promise<Said> {
  vi.stubEnv('AWS_ENDPOINT_URL', endpoint);
  const base = { region: 'eu-central-1', budget: NO_LIMITS, backendSecurityGroups: [] };
  const aws = { ...base, endpoint, ec2Endpoint: endpoint };
  const account = openAccount(aws, { clock: systemClock });
  const reading = account.traffic().securityGroups.find({ ids: ['sg-1'] }, signal);
  const orphans = await reading.then(() => '', describeError);
  account.close();
  const scope = { aws, clusterId: 'blue', clock: systemClock, signal };
  const [check] = (await checkIdentity(scope)).checks;
  return { orphans, doctor: [check?.verdict, check?.message, check?.next] };
}

describe('what answers in place of AWS', () => {
  it.each([
    [200, PAGE],
    [302, PAGE],
    [403, PAGE],
    [404, PAGE],
    [403, '<html>log in<br></html>'],
    [403, 'log in'],
  ])('a web page with %i leads to the address: %s', async (given, shown) => {
    [status, body] = [given, shown];
    const message = `the server answers HTTP ${given}, and not as AWS does`;
    const next = 'check AWS_ENDPOINT_URL, and proxies on the way';
    expect(await readFrom(`http://${page.address}`)).toEqual({
      orphans: `describe security group sg-1: ${message}: ${next}`,
      doctor: ['failed', message, next],
    });
  });

  it('a server without TLS is named without the words of OpenSSL', async () => {
    const { orphans, doctor } = await readFrom(`https://${page.address}`);
    expect(orphans).toMatch(/: the server does not speak TLS there: correct the port of AWS_END/);
    expect(orphans).not.toContain('SSL routines');
    expect(doctor[1]).toBe('the server does not speak TLS there');
  });

  it('a server with a certificate of its own leads to NODE_EXTRA_CA_CERTS', async () => {
    const { port } = secure.address() as AddressInfo;
    const { orphans, doctor } = await readFrom(`https://localhost:${port}`);
    expect(orphans).toMatch(/ is not signed by an authority .*: set NODE_EXTRA_CA_CERTS to/);
    expect(orphans).not.toContain('--use-system-ca');
    expect(doctor[2]).toMatch(/^set NODE_EXTRA_CA_CERTS to/);
  });

  it.each([
    ['/nope', 'the file /nope cannot be read (ENOENT)', 'write it, or correct'],
    ['/', 'a file with credentials is a directory', 'correct its path'],
  ])('a token file that cannot be read leads to its path: %s', async (file, message, next) => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::111122223333:role/x');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', file);
    const { orphans, doctor } = await readFrom(`http://${page.address}`);
    expect(orphans).toContain(`: ${message}: ${next}`);
    expect(doctor[1]).toBe(message);
  });
});

describe('a failure of AWS', () => {
  it('of another TLS version has its code alone', () => {
    const code = 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION';
    const error = Object.assign(new Error('40FD:error:0A00042E:SSL routines'), { code });
    expect(explainAwsFailure(new Error('x', { cause: error }))).toBe(
      `TLS with the server fails (${code}): check AWS_ENDPOINT_URL, and proxies on the way`,
    );
  });

  it('that is silence may be one of the credentials', () => {
    expect(explainAwsFailure(new DeadlineExceeded(10_000))).toMatch(
      /^neither the credentials nor AWS answered in time: run aws sts get-caller-identity/,
    );
  });

  it.each([
    new Error('connect ECONNREFUSED'),
    Object.assign(new Error('no'), { Code: 'AccessDenied', $metadata: { httpStatusCode: 403 } }),
    Object.assign(new Error('Unknown'), { $metadata: { httpStatusCode: 503 } }),
  ])('keeps its own words where they help: %s', (error) => {
    expect(explainAwsFailure(error)).toBeUndefined();
  });
});
