import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import {
  CreateLoadBalancerCommand,
  DescribeLoadBalancersCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { serveAwsForTests } from '../localstack/http/served-aws.ts';
import { type Answer, CliPlace } from './cli-place.ts';

const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts');
const CLUSTER_ID = 'u0';
const NAMES = ['a', 'b', 'c'];

const place = new CliPlace();
const aws = serveAwsForTests();
// What a test held is a deletion in the world of the next one.
afterEach(() => void aws.server.release());

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [MAIN, ...args], { env: { PATH: process.env['PATH'], ...env } });
}

async function listBalancers(): Promise<readonly (string | undefined)[]> {
  const { LoadBalancers = [] } = await aws.elb.send(new DescribeLoadBalancersCommand({}));
  return LoadBalancers.map(({ LoadBalancerName }) => LoadBalancerName);
}

/** A cluster without objects. */
function answerAsCluster(path: string): Answer {
  const system = { kind: 'Namespace', metadata: { name: 'kube-system', uid: CLUSTER_ID } };
  const missing = { kind: 'Status', code: 404, reason: 'NotFound', details: { name: 'a' } };
  const none = { metadata: { resourceVersion: '1' }, items: [] };
  if (path.includes('/myingresses/')) return { status: 404, body: JSON.stringify(missing) };
  return { status: 200, body: JSON.stringify(path.endsWith('/kube-system') ? system : none) };
}

/** Deletes three load balancers without objects; the first deletion waits for `aws.server.release()`. */
async function startDeleting(): Promise<ChildProcessWithoutNullStreams> {
  const server = await place.answering(answerAsCluster);
  for (const name of NAMES) {
    const tags = { cluster: CLUSTER_ID, namespace: 'web', name, uid: name };
    await aws.elb.send(
      new CreateLoadBalancerCommand({
        Name: name,
        Subnets: [...aws.network.articleSubnets],
        Tags: Object.entries(tags).map(([key, Value]) => ({ Key: `albridge.io/${key}`, Value })),
      }),
    );
  }
  aws.server.control.addFault({ operation: 'DeleteLoadBalancer', effect: { kind: 'hold' } });
  const child = start(['orphans', '--delete', '--yes-delete', '3'], {
    ...{ ...aws.environment, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
    KUBECONFIG: place.writeKubeconfig({ server: `http://${server}` }),
  });
  await vi.waitUntil(() => aws.server.held().length > 0, 120_000);
  return child;
}

describe('a deletion of orphans', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGTERM', 143],
  ] as const)('says at %s what is deleted, and ends with %i', async (signal, exitCode) => {
    const child = await startDeleting();
    const stderr = text(child.stderr);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([exitCode, null]);
    expect(await stderr).toMatch(
      /interrupted at load-balancer \S+; 0 of 3 are deleted, and whether this one was is not known: run albridge orphans again\n$/,
    );
  });

  it('stops with 141 where its report has no reader', async () => {
    const child = await startDeleting();
    child.stderr.destroy();
    await once(child.stderr, 'close');
    aws.server.release();
    expect(await once(child, 'exit')).toEqual([141, null]);
    expect(await listBalancers()).toContain('c');
  });
});

it('a command whose output has no reader ends with 141, and says nothing', async () => {
  const child = start(['--help']);
  const stderr = text(child.stderr);
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([141, null]);
  expect(await stderr).toBe('');
});
