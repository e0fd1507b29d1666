import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateTargetGroupCommand,
  ElasticLoadBalancingV2Client,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { CREDENTIALS } from '../../surroundings/aws-stand-in.ts';
import { until } from '../../surroundings/until.ts';
import { BenchAws } from '../bench-aws.ts';

/**
 * The servers of `throughput`, each a process of its own: without an argument the target, with the address of
 * that a balancer in front of it. Logs where it listens.
 */

const TARGET = { ip: '10.0.0.10', port: 8080 } as const;
const BODY = 'ok\n';
const [target] = process.argv.slice(2);
const address = target === undefined ? await serve() : await balance(target);
process.stdout.write(`${JSON.stringify({ level: 'info', msg: 'listening', address })}\n`);

async function serve(): Promise<string> {
  const server = createServer((_, response) => response.end(BODY));
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function balance(behind: string): Promise<string> {
  const aws = await BenchAws.start();
  aws.setTargets([{ ...TARGET, address: behind }]);
  const { network, environment } = aws.standIn;
  const { AWS_ENDPOINT_URL: endpoint = '', AWS_REGION: region = '' } = environment;
  const elb = new ElasticLoadBalancingV2Client({ endpoint, region, credentials: CREDENTIALS });
  const { LoadBalancers } = await elb.send(
    new CreateLoadBalancerCommand({ Name: 'bench', Subnets: [...network.articleSubnets] }),
  );
  const { LoadBalancerArn, VpcId } = LoadBalancers?.[0] ?? {};
  const { TargetGroups } = await elb.send(
    new CreateTargetGroupCommand({
      ...{ Name: 'bench', Protocol: 'HTTP', Port: TARGET.port, TargetType: 'ip', VpcId },
    }),
  );
  const { TargetGroupArn } = TargetGroups?.[0] ?? {};
  const Targets = [{ Id: TARGET.ip, AvailabilityZone: 'all' }];
  await elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets }));
  const DefaultActions = [{ Type: 'forward' as const, TargetGroupArn }];
  await elb.send(
    new CreateListenerCommand({ LoadBalancerArn, Protocol: 'HTTP', Port: 80, DefaultActions }),
  );
  return findAnswering(endpoint);
}

/** The listener, once its target has passed a health check. */
function findAnswering(endpoint: string): Promise<string> {
  return until('the listener answers', async () => {
    const listed = await fetch(`${endpoint}/_embedded/listeners`);
    const [listener] = (await listed.json()) as readonly { readonly address: string }[];
    if (listener === undefined) return false;
    const { ok } = await fetch(`http://${listener.address}/`);
    return ok && listener.address;
  });
}
