import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { openAccount } from '../../../../src/cli/account/account.ts';
import { checkIdentity } from '../../../../src/cli/doctor/check-account.ts';
import { describeError } from '../../../../src/cli/errors.ts';
import { systemClock } from '../../../../src/system-clock.ts';
import { type HttpTarget, startTarget } from '../../../fakes/http-target.ts';
import { hurryClock } from '../../../fakes/hurried-clock.ts';
import { stubCaller } from '../stub-caller.ts';

/** An AWS that refuses everything. */
let aws: HttpTarget;
let refusal = { status: 400, code: '', message: '' };

beforeAll(async () => {
  aws = await startTarget('aws', (_, response) => {
    const { status, code, message } = refusal;
    const body = `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Response>`;
    response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
  });
});
afterAll(() => aws.stop());
stubCaller(() => `http://${aws.address}`);

const { signal } = new AbortController();

function configure() {
  const endpoint = `http://${aws.address}`;
  return { region: 'eu-central-1', endpoint, budget: NO_LIMITS, backendSecurityGroups: [] };
}

/** What a command prints that reads the account: `times` reads, the last one's failure. */
async function readAccount(times = 1): Promise<string> {
  const account = openAccount(configure(), { clock: hurryClock(40) });
  let said = '';
  try {
    for (let read = 0; read < times; read++) {
      const reading = account.traffic().securityGroups.find({ ids: ['sg-1'] }, signal);
      await reading.catch((error: unknown) => {
        said = describeError(error);
      });
    }
    return said;
  } finally {
    account.close();
  }
}

describe('a refusal of AWS, for the caller at a terminal', () => {
  const cases: Readonly<Record<string, { refusal: typeof refusal; says: RegExp }>> = {
    'expired credentials': {
      refusal: { status: 403, code: 'ExpiredToken', message: 'The token is expired' },
      says: /The token is expired; log in \(aws sso login\), or choose other credentials \(AWS_PROFILE\), and check AWS_REGION and the clock of this machine$/,
    },
    'a missing right': {
      refusal: {
        status: 403,
        code: 'AccessDenied',
        message: 'not authorized to perform: ec2:DescribeSecurityGroups',
      },
      says: /; allow ec2:DescribeSecurityGroups to your own role or user, or choose other credentials \(AWS_PROFILE\): docs\/iam\.md lists the reads$/,
    },
    'too many calls': {
      refusal: { status: 400, code: 'Throttling', message: 'Rate exceeded' },
      says: /; try again in a minute; if it persists, CloudTrail shows what calls AWS in this account$/,
    },
  };

  it.each(Object.entries(cases))('ends in what the caller can do: %s', async (_, one) => {
    refusal = one.refusal;
    const said = await readAccount();
    expect(said).toMatch(one.says);
    expect(said).not.toMatch(/operator's role|the node|retrying/);
  });

  it('promises no retry after the command has ended', async () => {
    refusal = { status: 400, code: 'Throttling', message: 'Rate exceeded' };
    const said = await readAccount(2);
    expect(said).toMatch(/AWS throttles calls; try again in a minute; if it persists/);
    expect(said).not.toContain('retrying');
  });
});

describe('a refusal of STS, in doctor', () => {
  const cases: Readonly<Record<string, { refusal: typeof refusal; next: RegExp }>> = {
    'expired credentials': {
      refusal: { status: 403, code: 'ExpiredToken', message: 'The token is expired' },
      next: /^log in again/,
    },
    'too many calls': {
      refusal: { status: 400, code: 'Throttling', message: 'Rate exceeded' },
      next: /^try again in a minute/,
    },
    'an internal error': {
      refusal: { status: 503, code: 'ServiceUnavailable', message: 'later' },
      next: /^try again in a minute/,
    },
  };

  it.each(Object.entries(cases))('has the next step of its cause: %s', async (_, one) => {
    refusal = one.refusal;
    const scope = { aws: configure(), clusterId: 'blue', clock: systemClock, signal };
    const { checks, identity } = await checkIdentity(scope);
    expect(identity).toBeUndefined();
    expect(checks).toMatchObject([{ verdict: 'failed', next: expect.stringMatching(one.next) }]);
    expect(checks[0]?.message).toContain(one.refusal.message);
  });
});
