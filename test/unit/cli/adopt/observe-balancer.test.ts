import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../../../localstack/embedded/faults/token-buckets.ts';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { openAccount } from '../../../../src/cli/account/account.ts';
import { observeBalancer } from '../../../../src/cli/adopt/observe-balancer.ts';
import { type HttpTarget, startTarget } from '../../../fakes/http-target.ts';
import { hurryClock } from '../../../fakes/hurried-clock.ts';
import { stubCaller } from '../stub-caller.ts';
import { ARN } from './balancer.ts';

/** More than AWS takes at once. */
const GROUPS = 60;
const { signal } = new AbortController();
const clock = hurryClock(20);

let aws: HttpTarget;
let buckets: TokenBuckets;
/** Others have used up what AWS allows: so many calls are refused for it. */
let usedUp = 0;
let refusals = 0;

beforeEach(async () => {
  buckets = new TokenBuckets({ now: () => clock.monotonicMs() });
  usedUp = 0;
  refusals = 0;
  aws = await startTarget('aws', (request, response) => void answer(request, response));
});
afterEach(() => aws.stop());
stubCaller(() => `http://${aws.address}`);

const THROTTLING =
  '<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error></ErrorResponse>';

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const operation = await readOperation(request);
  const isServed = refusals >= usedUp && buckets.tryTake({ bucket: 'read', name: operation });
  if (!isServed) refusals++;
  response
    .writeHead(isServed ? 200 : 400, { 'content-type': 'text/xml' })
    .end(isServed ? describeAnswer(operation) : THROTTLING);
}

async function readOperation(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) body += String(chunk);
  return new URLSearchParams(body).get('Action') ?? '';
}

function describeAnswer(operation: string): string {
  const member = (text: string): string => `<member>${text}</member>`;
  const groups = Array.from({ length: GROUPS }, (_, index) => {
    const arn = ARN.replace(/loadbalancer.*/, `targetgroup/g${index}/0123456789abcdef`);
    return member(
      `<TargetGroupArn>${arn}</TargetGroupArn><TargetGroupName>g${index}</TargetGroupName>`,
    );
  });
  const results: Readonly<Record<string, string>> = {
    DescribeLoadBalancers: `<LoadBalancers>${member(`<LoadBalancerArn>${ARN}</LoadBalancerArn><LoadBalancerName>shop</LoadBalancerName><Type>application</Type><State><Code>active</Code></State>`)}</LoadBalancers>`,
    DescribeTags: `<TagDescriptions>${member(`<ResourceArn>${ARN}</ResourceArn><Tags/>`)}</TagDescriptions>`,
    DescribeListeners: '<Listeners/>',
    DescribeTargetGroups: `<TargetGroups>${groups.join('')}</TargetGroups>`,
  };
  const result =
    results[operation] ?? '<Attributes><member><Key>k</Key><Value>v</Value></member></Attributes>';
  return `<${operation}Response><${operation}Result>${result}</${operation}Result></${operation}Response>`;
}

function configure() {
  const endpoint = `http://${aws.address}`;
  return { region: 'eu-central-1', endpoint, budget: NO_LIMITS, backendSecurityGroups: [] };
}

async function observe(): Promise<number> {
  const account = openAccount(configure(), { clock });
  try {
    return (await observeBalancer(account, ARN, signal)).targetGroups.length;
  } finally {
    account.close();
  }
}

describe('a balancer with many target groups', () => {
  it('is read within what AWS allows, so that the operator beside it is not throttled', async () => {
    expect(await observe()).toBe(GROUPS);
    expect(refusals).toBe(0);
    expect(buckets.levels().read).toBeGreaterThan(15);
  });

  it('is read although others have used up what AWS allows', async () => {
    usedUp = 5;
    expect(await observe()).toBe(GROUPS);
    expect(refusals).toBeGreaterThanOrEqual(usedUp);
  });
});
