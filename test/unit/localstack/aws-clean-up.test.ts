import {
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { findLeftovers, removeRun } from '../../aws/account/clean-up.ts';
import { namePrefix, RUN_TAG } from '../../aws/account/run.ts';
import { serveAwsForTests } from './http/served-aws.ts';

const RUN = '11221234beef';
const OTHER_RUN = '11221234cafe';
/** As those of a run are. */
const NAME = `${namePrefix(RUN)}1-x`;
const served = serveAwsForTests();

async function createBalancer(name: string, runId?: string): Promise<void> {
  const input = { Name: name, Subnets: [...served.network.subnets], ...tagsOf(runId) };
  await served.elb.send(new CreateLoadBalancerCommand(input));
}

async function createGroup(name: string, runId?: string): Promise<void> {
  const settings = { Protocol: 'HTTP', Port: 80, VpcId: served.network.vpcId } as const;
  await served.elb.send(
    new CreateTargetGroupCommand({ Name: name, ...settings, ...tagsOf(runId) }),
  );
}

function tagsOf(runId: string | undefined): { Tags?: { Key: string; Value: string }[] } {
  return runId === undefined ? {} : { Tags: [{ Key: RUN_TAG, Value: runId }] };
}

/** The names of what is there. */
function listNames(): readonly string[] {
  const { loadBalancers, targetGroups } = served.server.control.snapshot();
  return [...loadBalancers, ...targetGroups].map((one) => (one as { readonly name: string }).name);
}

async function remove(): Promise<{ readonly code: number; readonly said: string }> {
  const lines: string[] = [];
  const options = { pauseMs: 1, say: (line: string) => void lines.push(line) };
  const code = await removeRun(served, RUN, options);
  return { code, said: lines.join('\n') };
}

function breakReads(times: number): void {
  const effect = { kind: 'dropBeforeApply' } as const;
  served.server.control.addFault({ operation: 'DescribeLoadBalancers', times, effect });
}

describe('the removal of a run', () => {
  it('removes what has the tag of the run, whatever its name', async () => {
    await createBalancer('accepted-against-the-table', RUN);
    await createGroup('a-group', RUN);
    await createBalancer(NAME, RUN);
    expect(await remove()).toMatchObject({
      code: 0,
      said: expect.stringContaining(`nothing of run ${RUN} is left`),
    });
    expect(listNames()).toEqual([]);
  });

  it('leaves alone what is not provably of the run', async () => {
    await createBalancer('stranger');
    await createBalancer('of-another-run', OTHER_RUN);
    await createBalancer('of-no-run', 'web');
    await createBalancer(NAME);
    await createGroup(`${namePrefix(RUN)}2-x`);
    const before = listNames();
    expect(await remove()).toMatchObject({ code: 0 });
    expect(listNames()).toEqual(before);
    expect(await findLeftovers(served)).toMatchObject([{ runId: OTHER_RUN }]);
  });

  it('finds what is of the run where more is there than one read of tags takes, or something of it is gone', async () => {
    for (let index = 0; index < 25; index++) await createBalancer(`stranger-${index}`);
    await createBalancer('last', RUN);
    const gone = {
      kind: 'error',
      code: 'LoadBalancerNotFound',
      status: 400,
      message: 'x',
    } as const;
    served.server.control.addFault({ operation: 'DescribeTags', effect: gone });
    expect(await remove()).toMatchObject({ code: 0 });
    expect(listNames()).toHaveLength(25);
    expect(listNames()).not.toContain('last');
  });

  it('does not end at a read that the network breaks', async () => {
    await createBalancer(NAME, RUN);
    breakReads(3);
    expect(await remove()).toMatchObject({ code: 0 });
    expect(listNames()).toEqual([]);
  });

  it('names the command that repeats it where AWS stays out of reach', async () => {
    await createBalancer(NAME, RUN);
    breakReads(100);
    const { code, said } = await remove();
    expect(code).toBe(1);
    expect(said).toContain(`what run ${RUN} made may still be there`);
    expect(said).toContain(
      `npm run test:aws -- --backend aws --region us-east-1 --clean-up ${RUN}`,
    );
    expect(said).not.toContain('nothing of run');
  });

  it('tries again what AWS refuses to delete', async () => {
    await createBalancer(NAME, RUN);
    const effect = { kind: 'error', code: 'AccessDenied', status: 403, message: 'no' } as const;
    served.server.control.addFault({ operation: 'DeleteLoadBalancer', times: 1, effect });
    expect(await remove()).toMatchObject({
      code: 0,
      said: expect.stringContaining('stays for now'),
    });
  });
});
