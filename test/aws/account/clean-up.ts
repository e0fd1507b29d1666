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
  type TagDescription,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import pRetry from 'p-retry';
import { MOST_ARNS } from '../../../src/aws/elbv2/load-balancer-reader.ts';
import { explainAwsFailure } from '../../../src/cli/aws-failure.ts';
import { cut } from '../../../src/core/objects/collections.ts';
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

export interface CleanUpOptions {
  readonly pauseMs: number;
  readonly say: (line: string) => void;
}

/** Network interfaces hold security groups for minutes after their balancer is gone. */
const LONGEST_MS = 900_000;
/** With pauses of 5, 10, 20 and 40 s in AWS; each read is itself repeated by the SDK. */
const MOST_READS = 5;

/** Removes all that the run made, and says what is left of it. The exit code. */
export async function removeRun(
  clients: Clients,
  runId: string,
  options: CleanUpOptions,
): Promise<number> {
  const { say } = options;
  const left = await cleanUp(clients, runId, options).catch((error: Error) => error);
  if (left instanceof Error) {
    say(`AWS cannot be read: ${explainAwsFailure(left) ?? left.message}`);
    say(`what run ${runId} made may still be there`);
  } else if (left.length === 0) {
    say(`nothing of run ${runId} is left`);
    return 0;
  } else {
    for (const { kind, id } of left)
      say(`still there, with the tag ${RUN_TAG}=${runId}: ${kind} ${id}`);
  }
  const region = await clients.elb.config.region();
  say('a balancer costs money until it is removed:');
  say(`  npm run test:aws -- --backend aws --region ${region} --clean-up ${runId}`);
  return 1;
}

/** Everything that runs made and that is still there; of one run where one is named. */
export async function findLeftovers(
  clients: Clients,
  runId = '',
  strangers: Strangers = new Set(),
): Promise<readonly Leftover[]> {
  const tagged = (kind: Leftover['kind'], arns: readonly string[]): Promise<readonly Leftover[]> =>
    findTagged(clients, { kind, arns: arns.filter((arn) => !strangers.has(arn)), strangers });
  const all = [
    ...(await tagged('load balancer', await balancers(clients))),
    ...(await tagged('target group', await targetGroups(clients))),
    ...(await securityGroups(clients)),
  ];
  return all.filter((leftover) => runId === '' || leftover.runId === runId);
}

/** ARNs of what has no tag of a run, which need not be read again and again. */
type Strangers = Set<string>;

/**
 * Deletes all that the run made. A create that was under way when the run broke off may show late, so
 * it ends only when nothing was found twice, the second time by the tags of everything. Answers with what could not be deleted.
 */
async function cleanUp(
  clients: Clients,
  runId: string,
  { pauseMs, say }: CleanUpOptions,
): Promise<readonly Leftover[]> {
  const endMs = performance.now() + LONGEST_MS;
  const strangers: Strangers = new Set();
  let empty = 0;
  for (;;) {
    const left = await pRetry(() => findLeftovers(clients, runId, strangers), {
      ...{ retries: MOST_READS - 1, minTimeout: pauseMs },
      onFailedAttempt: ({ error }) => say(`AWS cannot be read for now: ${error.message}`),
    });
    empty = left.length === 0 ? empty + 1 : 0;
    if (empty === 2 || performance.now() > endMs) return left;
    if (left.length === 0) strangers.clear();
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

async function balancers({ elb }: Clients): Promise<readonly string[]> {
  const arns: string[] = [];
  for await (const page of paginateDescribeLoadBalancers({ client: elb, pageSize: 400 }, {})) {
    arns.push(...(page.LoadBalancers ?? []).flatMap(({ LoadBalancerArn: arn }) => arn ?? []));
  }
  return arns;
}

/** None where a stand-in plays AWS that has no target groups. */
async function targetGroups({ elb }: Clients): Promise<readonly string[]> {
  const arns: string[] = [];
  try {
    for await (const page of paginateDescribeTargetGroups({ client: elb, pageSize: 400 }, {})) {
      arns.push(...(page.TargetGroups ?? []).flatMap(({ TargetGroupArn: arn }) => arn ?? []));
    }
  } catch (error) {
    if ((error as Error).name !== 'InvalidAction') throw error;
  }
  return arns;
}

interface Candidates {
  readonly kind: Leftover['kind'];
  readonly arns: readonly string[];
  /** Gets those that are of no run. */
  readonly strangers: Strangers;
}

/** By the tag alone: a test may have created something whose name is not of the run. */
async function findTagged(
  { elb }: Clients,
  { kind, arns, strangers }: Candidates,
): Promise<readonly Leftover[]> {
  const found: Leftover[] = [];
  for (const some of cut(arns, MOST_ARNS)) {
    for (const { ResourceArn: id = '', Tags } of await readTags(elb, some)) {
      const runId = readRunId(Tags);
      if (runId === undefined) strangers.add(id);
      else found.push({ kind, id, runId });
    }
  }
  return found;
}

/** Without those that are gone meanwhile: because of one of them AWS answers about none. */
async function readTags(
  elb: ElasticLoadBalancingV2Client,
  arns: readonly string[],
): Promise<readonly TagDescription[]> {
  try {
    const answer = await elb.send(new DescribeTagsCommand({ ResourceArns: [...arns] }));
    return answer.TagDescriptions ?? [];
  } catch (error) {
    if (!/NotFound/.test((error as Error).name)) throw error;
    if (arns.length === 1) return [];
    const found: TagDescription[] = [];
    for (const arn of arns) found.push(...(await readTags(elb, [arn])));
    return found;
  }
}

async function securityGroups({ ec2 }: Clients): Promise<readonly Leftover[]> {
  const tagged = { Filters: [{ Name: 'tag-key', Values: [RUN_TAG] }] };
  const { SecurityGroups = [] } = await ec2.send(new DescribeSecurityGroupsCommand(tagged));
  return SecurityGroups.flatMap(({ GroupId, Tags }) => {
    const runId = readRunId(Tags);
    if (GroupId === undefined || runId === undefined) return [];
    return [{ kind: 'security group' as const, id: GroupId, runId }];
  });
}

interface Tag {
  readonly Key?: string | undefined;
  readonly Value?: string | undefined;
}

function readRunId(tags: readonly Tag[] = []): string | undefined {
  const runId = tags.find(({ Key }) => Key === RUN_TAG)?.Value;
  return runId !== undefined && isRunId(runId) ? runId : undefined;
}
