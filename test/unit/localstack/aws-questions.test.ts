import type { EC2Client } from '@aws-sdk/client-ec2';
import {
  type ElasticLoadBalancingV2Client,
  ElasticLoadBalancingV2ServiceException,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { areAnswered, askQuestions } from '../../aws/account/questions.ts';
import type { AccountRun } from '../../aws/account/run.ts';

const RUN = { id: '11221234beef', vpcId: 'vpc-1', subnets: [], securityGroups: [] };

/** AWS as `send` answers for it. */
function ask(send: () => Promise<unknown>, signal = new AbortController().signal) {
  const elb = { send } as unknown as ElasticLoadBalancingV2Client;
  const ec2 = { send } as unknown as EC2Client;
  const run = RUN as unknown as AccountRun;
  return askQuestions({ elb, ec2, impatient: elb }, run, { say: () => undefined, signal });
}

describe('the questions to AWS', () => {
  it('take a refusal by AWS for an answer', async () => {
    const refusal = new ElasticLoadBalancingV2ServiceException({
      ...{ name: 'AccessDenied', message: 'no', $fault: 'client', $metadata: {} },
    });
    const answers = await ask(() => Promise.reject(refusal));
    expect(answers).toMatchObject({ e: 'AccessDenied: no', o: 'AccessDenied: no' });
  });

  it('go on after one that failed, which is noted as no answer of AWS', async () => {
    const answers = await ask(() => Promise.reject(new Error('read ECONNRESET')));
    expect(answers).toMatchObject({
      a: 'not answered, the question failed: Error: read ECONNRESET',
      m: 'not answered, the question failed: Error: read ECONNRESET',
      j: expect.stringContaining('it needs a server'),
    });
    expect(areAnswered(answers)).toBe(false);
    expect(areAnswered({ a: 'accepted', j: String(answers['j']) })).toBe(true);
  });

  it('end within a wait of minutes when they are interrupted', { timeout: 3_000 }, async () => {
    const interruption = new AbortController();
    const asking = ask(async () => {
      setTimeout(() => interruption.abort(), 10);
      return { LoadBalancers: [{ State: { Code: 'provisioning' } }] };
    }, interruption.signal);
    expect(Object.keys(await asking)).toEqual(['j']);
  });
});
