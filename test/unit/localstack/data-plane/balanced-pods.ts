import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import {
  type Action,
  CreateListenerCommand,
  type CreateListenerCommandInput,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  type CreateTargetGroupCommandInput,
  DescribeTargetHealthCommand,
  ModifyLoadBalancerAttributesCommand,
  RegisterTargetsCommand,
  type RuleCondition,
  type TargetHealth,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterEach } from 'vitest';
import type { ListenerAddress } from '../../../../localstack/embedded/data-plane/data-plane.ts';
import type { MappedTarget } from '../../../../localstack/embedded/data-plane/target-table.ts';
import type { HttpTarget } from '../../../fakes/http-target.ts';
import { until } from '../../../surroundings/until.ts';
import type { ServedAws } from '../http/served-aws.ts';

export interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** For TLS: the name that the client asks for; empty: none. */
  readonly servername?: string;
}

type BehindTarget = Pick<HttpTarget, 'address' | 'stop'>;

export interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** The subject of the server's certificate. */
  readonly certificate: string | undefined;
}

/** Balancers, groups and targets through the SDK, and requests through the data plane. */
export class BalancedPods {
  readonly #aws: ServedAws;
  readonly #targets: BehindTarget[] = [];
  #mapped: MappedTarget[] = [];

  /** Stops the targets after each test. */
  constructor(aws: ServedAws) {
    this.#aws = aws;
    afterEach(async () => {
      for (const target of this.#targets.splice(0)) await target.stop();
      this.#mapped = [];
      await this.control('PUT', 'targets', []);
    });
  }

  async createBalancer(name = 'shop'): Promise<string> {
    const Subnets = this.#aws.network.subnets.slice(0, 2);
    const command = new CreateLoadBalancerCommand({ Name: name, Subnets });
    const { LoadBalancers } = await this.#aws.elb.send(command);
    return LoadBalancers?.[0]?.LoadBalancerArn ?? '';
  }

  async createGroup(
    Name: string,
    settings: Partial<CreateTargetGroupCommandInput> = {},
  ): Promise<string> {
    const plain = { Protocol: 'HTTP', Port: 8080, TargetType: 'ip' } as const;
    const VpcId = this.#aws.network.vpcId;
    const command = new CreateTargetGroupCommand({ ...plain, Name, VpcId, ...settings });
    const { TargetGroups } = await this.#aws.elb.send(command);
    return TargetGroups?.[0]?.TargetGroupArn ?? '';
  }

  /** Returns its ARN. */
  async createListener(
    LoadBalancerArn: string,
    action: Action,
    settings: Partial<CreateListenerCommandInput> = {},
  ): Promise<string> {
    const plain = { LoadBalancerArn, DefaultActions: [action] };
    const { Listeners } = await this.#aws.elb.send(
      new CreateListenerCommand({ ...plain, Protocol: 'HTTP', Port: 80, ...settings }),
    );
    return Listeners?.[0]?.ListenerArn ?? '';
  }

  async createRule(
    ListenerArn: string,
    action: Action,
    ...conditions: readonly RuleCondition[]
  ): Promise<string> {
    const Priority = this.#nextPriority++;
    const input = { ListenerArn, Priority, Conditions: [...conditions], Actions: [action] };
    const { Rules } = await this.#aws.elb.send(new CreateRuleCommand(input));
    return Rules?.[0]?.RuleArn ?? '';
  }

  #nextPriority = 1;

  /** Registers a target that stands behind this private address. */
  async addTarget(groupArn: string, ip: string, target?: BehindTarget): Promise<void> {
    if (target !== undefined) {
      this.#targets.push(target);
      this.#mapped.push({ ip, port: 8080, address: target.address });
      await this.control('PUT', 'targets', this.#mapped);
    }
    const Targets = [{ Id: ip, AvailabilityZone: 'all' }];
    await this.#aws.elb.send(new RegisterTargetsCommand({ TargetGroupArn: groupArn, Targets }));
  }

  async setAttribute(LoadBalancerArn: string, Key: string, Value: string): Promise<void> {
    const Attributes = [{ Key, Value }];
    await this.#aws.elb.send(
      new ModifyLoadBalancerAttributesCommand({ LoadBalancerArn, Attributes }),
    );
  }

  async healthOf(TargetGroupArn: string): Promise<readonly (TargetHealth | undefined)[]> {
    const command = new DescribeTargetHealthCommand({ TargetGroupArn });
    const { TargetHealthDescriptions } = await this.#aws.elb.send(command);
    return (TargetHealthDescriptions ?? []).map(({ TargetHealth }) => TargetHealth);
  }

  async untilHealthy(groupArn: string): Promise<void> {
    const isHealthy = async (): Promise<boolean> =>
      (await this.healthOf(groupArn)).every((health) => health?.State === 'healthy');
    await until('the targets are healthy', isHealthy);
  }

  async listeners(): Promise<readonly ListenerAddress[]> {
    return (await this.control('GET', 'listeners')) as readonly ListenerAddress[];
  }

  /** One request to the only listener on this port, as curl would send it to the balancer's name. */
  async ask(port: number, asked: Asked = {}): Promise<Answered> {
    const listener = (await this.listeners()).find((one) => one.port === port);
    if (listener === undefined) throw new Error(`there is no listener on ${port}`);
    return askListener(listener, asked);
  }

  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(`${this.#aws.server.url}/_embedded/${path}`, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const value: unknown = await answer.json();
    if (!answer.ok) throw new Error(JSON.stringify(value));
    return value;
  }
}

/** Over a connection of its own; rejects where that breaks. */
export function askListener(
  { address, protocol, dnsName }: ListenerAddress,
  { path = '/', method = 'GET', headers = {}, body, servername }: Asked = {},
): Promise<Answered> {
  const send = protocol === 'HTTPS' ? requestHttps : requestHttp;
  const url = `${protocol.toLowerCase()}://${address}${path}`;
  const tls = { rejectUnauthorized: false, ...(servername !== undefined && { servername }) };
  const options = { method, headers: { host: dnsName, ...headers }, agent: false, ...tls };
  return new Promise((resolve, reject) => {
    const sent = send(url, options as Parameters<typeof requestHttps>[1] & object, (response) => {
      const { socket } = response as unknown as {
        socket: { getPeerCertificate?: () => { subject: { CN: string } } };
      };
      const certificate = socket.getPeerCertificate?.().subject.CN;
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const status = response.statusCode ?? 0;
        resolve({ status, headers: response.headers, body: text, certificate });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export function forwardTo(...groups: readonly (string | readonly [string, number])[]): Action {
  const TargetGroups = groups.map((group) => {
    const [TargetGroupArn, Weight] = typeof group === 'string' ? [group, 1] : group;
    return { TargetGroupArn, Weight };
  });
  return { Type: 'forward', ForwardConfig: { TargetGroups } };
}

export const NOT_FOUND: Action = {
  Type: 'fixed-response',
  FixedResponseConfig: { StatusCode: '404', MessageBody: 'nothing here' },
};
