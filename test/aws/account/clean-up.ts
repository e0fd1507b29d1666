import { setTimeout as sleep } from 'node:timers/promises';
import {
  DeleteSecurityGroupCommand,
  DescribeSecurityGroupsCommand,
  type EC2Client,
} from '@aws-sdk/client-ec2';
import {
  DeleteLoadBalancerCommand,
  DeleteTargetGroupCommand,
  DescribeTagsCommand,
  type ElasticLoadBalancingV2Client,
  ModifyLoadBalancerAttributesCommand,
  paginateDescribeLoadBalancers,
  paginateDescribeTargetGroups,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { isRunId, RUN_TAG } from './run.ts';

export interface Clients {
  readonly elb: ElasticLoadBalancingV2Client;
  readonly ec2: EC2Client;
}

/** Something that a run made. */
export interface Leftover {
  readonly kind: 'load balancer' | 'target group' | 'security group';
  readonly id: string;
  readonly runId: string;
}

/** Network interfaces hold security groups for minutes after their balancer is gone. */
const LONGEST_MS = 900_000;

/** Everything that runs made and that is still there; of one run where one is named. */
export async function findLeftovers(clients: Clients, runId = ''): Promise<readonly Leftover[]> {
  const all = [
    ...(await taggedOf(clients, await balancers(clients), 'load balancer')),
    ...(await taggedOf(clients, await targetGroups(clients), 'target group')),
    ...(await securityGroups(clients)),
  ];
  return all.filter((leftover) => runId === '' || leftover.runId === runId);
}

/**
 * Deletes all that the run made. A create that was under way when the run broke off may show late, so
 * it ends only when nothing was found twice. Answers with what could not be deleted.
 */
export async function cleanUp(
  clients: Clients,
  runId: string,
  { pauseMs, say }: { readonly pauseMs: number; readonly say: (line: string) => void },
): Promise<readonly Leftover[]> {
  const endMs = performance.now() + LONGEST_MS;
  let empty = 0;
  for (;;) {
    const left = await findLeftovers(clients, runId);
    empty = left.length === 0 ? empty + 1 : 0;
    if (empty === 2 || performance.now() > endMs) return left;
    if (left.length > 0) say(`removing ${left.map(({ kind, id }) => `${kind} ${id}`).join(', ')}`);
    for (const leftover of left) await remove(clients, leftover, say);
    await sleep(pauseMs);
  }
}

/** What cannot be deleted yet is tried again by the next round. */
async function remove(
  clients: Clients,
  leftover: Leftover,
  say: (line: string) => void,
): Promise<void> {
  try {
    await removeOnce(clients, leftover);
  } catch (error) {
    say(`${leftover.kind} ${leftover.id} stays for now: ${(error as Error).message}`);
  }
}

async function removeOnce({ elb, ec2 }: Clients, { kind, id }: Leftover): Promise<void> {
  switch (kind) {
    case 'load balancer': {
      const Attributes = [{ Key: 'deletion_protection.enabled', Value: 'false' }];
      const unprotect = { LoadBalancerArn: id, Attributes };
      await elb.send(new ModifyLoadBalancerAttributesCommand(unprotect));
      await elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: id }));
      return;
    }
    case 'target group':
      await elb.send(new DeleteTargetGroupCommand({ TargetGroupArn: id }));
      return;
    case 'security group':
      await ec2.send(new DeleteSecurityGroupCommand({ GroupId: id }));
      return;
    default:
      kind satisfies never;
  }
}

interface Named {
  readonly arn: string;
  readonly name: string;
}

async function balancers({ elb }: Clients): Promise<readonly Named[]> {
  const found: Named[] = [];
  for await (const page of paginateDescribeLoadBalancers({ client: elb, pageSize: 400 }, {})) {
    for (const { LoadBalancerArn: arn = '', LoadBalancerName: name = '' } of page.LoadBalancers ??
      []) {
      found.push({ arn, name });
    }
  }
  return found;
}

/** None where a stand-in plays AWS that has no target groups. */
async function targetGroups({ elb }: Clients): Promise<readonly Named[]> {
  const found: Named[] = [];
  try {
    for await (const page of paginateDescribeTargetGroups({ client: elb, pageSize: 400 }, {})) {
      for (const { TargetGroupArn: arn = '', TargetGroupName: name = '' } of page.TargetGroups ??
        []) {
        found.push({ arn, name });
      }
    }
  } catch (error) {
    if ((error as Error).name !== 'InvalidAction') throw error;
  }
  return found;
}

/** By tag; whose name is none of a run is not asked for its tags. */
async function taggedOf(
  { elb }: Clients,
  named: readonly Named[],
  kind: Leftover['kind'],
): Promise<readonly Leftover[]> {
  const found: Leftover[] = [];
  for (const { arn, name } of named) {
    const runId = runOf(name);
    if (runId === undefined) continue;
    const tags = await tagsOf(elb, arn);
    if (tags?.get(RUN_TAG) === runId) found.push({ kind, id: arn, runId });
  }
  return found;
}

/** Undefined: gone meanwhile. */
async function tagsOf(
  elb: ElasticLoadBalancingV2Client,
  arn: string,
): Promise<ReadonlyMap<string, string> | undefined> {
  try {
    const answer = await elb.send(new DescribeTagsCommand({ ResourceArns: [arn] }));
    const tags = answer.TagDescriptions?.[0]?.Tags ?? [];
    return new Map(tags.map(({ Key = '', Value = '' }) => [Key, Value]));
  } catch (error) {
    if (/NotFound/.test((error as Error).name)) return undefined;
    throw error;
  }
}

async function securityGroups({ ec2 }: Clients): Promise<readonly Leftover[]> {
  const tagged = { Filters: [{ Name: 'tag-key', Values: [RUN_TAG] }] };
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand(tagged));
  return SecurityGroups.flatMap(({ GroupId, Tags }) => {
    const runId = Tags?.find(({ Key }) => Key === RUN_TAG)?.Value;
    if (GroupId === undefined || runId === undefined || !isRunId(runId)) return [];
    return [{ kind: 'security group' as const, id: GroupId, runId }];
  });
}

/** `t-<run>-<number>-x` */
function runOf(name: string): string | undefined {
  const runId = /^t-([0-9a-f]{12})-/.exec(name)?.[1];
  return runId !== undefined && isRunId(runId) ? runId : undefined;
}
