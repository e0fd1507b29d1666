import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
} from '@aws-sdk/client-ec2';
import {
  type ActionTypeEnum,
  CreateListenerCommand,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  DescribeLoadBalancersCommand,
  type RuleCondition,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import type { Clients } from './clean-up.ts';
import { type AccountRun, namePrefix, RUN_TAG } from './run.ts';

/** What a balancer has answered. */
export interface Answered {
  readonly status: number;
  readonly body: string;
}

export interface Sent {
  readonly path?: string;
  /** Of the Host header; default: the DNS name of the balancer. */
  readonly host?: string;
}

type Action = { readonly Type: ActionTypeEnum } & Record<string, unknown>;

/** Its DNS name may take minutes to be known here. */
const LONGEST_WAIT_MS = 300_000;
const PAUSE_MS = 5_000;
const LONGEST_REQUEST_MS = 30_000;

/** No request reached the balancer: this machine has no way to it, or its subnets are not public. */
export class Unreached extends Error {}

/** A balancer that anybody reaches on port 80. It answers by itself, 404 where no rule of it does otherwise. */
export class Front {
  readonly #parts: FrontParts;
  readonly #listener: string;
  #rules = 0;

  private constructor(parts: FrontParts, listener: string) {
    this.#parts = parts;
    this.#listener = listener;
  }

  static async open(clients: Clients, run: AccountRun, signal: AbortSignal): Promise<Front> {
    const balancer = await createBalancer(clients, run);
    const parts = { clients, run, signal, ...balancer };
    const created = await clients.elb.send(
      new CreateListenerCommand({
        ...{ LoadBalancerArn: balancer.arn, Port: 80, Protocol: 'HTTP', Tags: [tagOf(run)] },
        DefaultActions: [fixed('404', 'no rule')],
      }),
    );
    const front = new Front(parts, String(created.Listeners?.[0]?.ListenerArn));
    await front.#untilActive();
    await front.#untilReached();
    return front;
  }

  /** Requests that meet the condition are answered with this text, or as the action says. */
  async addRule(condition: RuleCondition, answer: string | Action): Promise<void> {
    const { clients, run } = this.#parts;
    await clients.elb.send(
      new CreateRuleCommand({
        ...{ ListenerArn: this.#listener, Priority: ++this.#rules, Tags: [tagOf(run)] },
        Conditions: [condition],
        Actions: [typeof answer === 'string' ? fixed('200', answer) : answer],
      }),
    );
  }

  async ask({ path = '/', host = this.#parts.dnsName }: Sent): Promise<Answered> {
    const { hostname, port } = new URL(`http://${await this.#findAddress()}`);
    const signal = AbortSignal.any([this.#parts.signal, AbortSignal.timeout(LONGEST_REQUEST_MS)]);
    return new Promise((resolve, reject) => {
      const options = { hostname, port, path, headers: { host }, signal, agent: false };
      const sent = request(options, (response) => {
        const { statusCode: status = 0 } = response;
        text(response).then((body) => resolve({ status, body }), reject);
      });
      sent.on('error', reject).end();
    });
  }

  /** Until what was changed has arrived at every node of the balancer. */
  async settle(): Promise<void> {
    if (this.#parts.run.endpoint === undefined) await this.#pause(30_000);
  }

  /** In a stand-in, listeners are where it says. */
  async #findAddress(): Promise<string> {
    const { run, dnsName, arn } = this.#parts;
    if (run.endpoint === undefined) return dnsName;
    const listed = await fetch(`${run.endpoint}/_embedded/listeners`);
    const all = (await listed.json()) as { loadBalancerArn: string; address: string }[];
    return all.find(({ loadBalancerArn }) => loadBalancerArn === arn)?.address ?? '';
  }

  async #untilActive(): Promise<void> {
    const { clients, arn } = this.#parts;
    const command = new DescribeLoadBalancersCommand({ LoadBalancerArns: [arn] });
    await this.#until('the balancer is not active', async () => {
      return (await clients.elb.send(command)).LoadBalancers?.[0]?.State?.Code === 'active';
    });
  }

  async #untilReached(): Promise<void> {
    await this.#until(`nothing answers at ${this.#parts.dnsName}`, async () => {
      const answered = await this.ask({}).catch(() => undefined);
      return answered?.body === 'no rule';
    });
  }

  async #until(otherwise: string, isSo: () => Promise<boolean>): Promise<void> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    while (!(await isSo())) {
      if (performance.now() > endMs) throw new Unreached(otherwise);
      await this.#pause(PAUSE_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#parts.signal });
  }
}

interface FrontParts {
  readonly clients: Clients;
  readonly run: AccountRun;
  readonly signal: AbortSignal;
  readonly arn: string;
  readonly dnsName: string;
}

async function createBalancer(
  { elb, ec2 }: Clients,
  run: AccountRun,
): Promise<Pick<FrontParts, 'arn' | 'dnsName'>> {
  const group = await ec2.send(
    new CreateSecurityGroupCommand({
      VpcId: run.vpcId,
      GroupName: `${namePrefix(run.id)}front`,
      Description: 'a test run of albridge, may be deleted',
      TagSpecifications: [{ ResourceType: 'security-group', Tags: [tagOf(run)] }],
    }),
  );
  const GroupId = String(group.GroupId);
  const everybody = { IpProtocol: 'tcp', FromPort: 80, ToPort: 80 };
  const IpPermissions = [{ ...everybody, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
  await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  const created = await elb.send(
    new CreateLoadBalancerCommand({
      Name: `${namePrefix(run.id)}q-front`,
      Subnets: run.subnets.slice(0, 2),
      SecurityGroups: [GroupId],
      Tags: [tagOf(run)],
    }),
  );
  const { LoadBalancerArn, DNSName } = created.LoadBalancers?.[0] ?? {};
  return { arn: String(LoadBalancerArn), dnsName: String(DNSName) };
}

function fixed(StatusCode: string, MessageBody: string) {
  const FixedResponseConfig = { StatusCode, MessageBody, ContentType: 'text/plain' };
  return { Type: 'fixed-response', FixedResponseConfig } as const;
}

export function tagOf(run: AccountRun): { Key: string; Value: string } {
  return { Key: RUN_TAG, Value: run.id };
}
