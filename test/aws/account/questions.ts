import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateListenerCommand,
  type CreateListenerCommandInput,
  CreateLoadBalancerCommand,
  CreateRuleCommand,
  CreateTargetGroupCommand,
  type CreateTargetGroupCommandInput,
  DeleteLoadBalancerCommand,
  DeleteRuleCommand,
  DeleteTargetGroupCommand,
  DeregisterTargetsCommand,
  DescribeListenersCommand,
  DescribeLoadBalancersCommand,
  DescribeRulesCommand,
  DescribeTagsCommand,
  DescribeTargetHealthCommand,
  type ElasticLoadBalancingV2Client,
  RegisterTargetsCommand,
  type RuleCondition,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { answerOf } from './answer.ts';
import type { Clients } from './clean-up.ts';
import { RequestQuestions } from './request-questions.ts';
import { type AccountRun, namePrefix, RUN_TAG } from './run.ts';

type Client = ElasticLoadBalancingV2Client;

/**
 * What no page of AWS says about traffic, asked of AWS itself. An answer is what AWS did, in a line;
 * what only a server behind a balancer could answer says so, and so does a question that failed on the way to AWS. Once
 * the signal is aborted, the answers so far.
 */
export async function askQuestions(
  { impatient, ...clients }: Clients & { readonly impatient: Client },
  run: AccountRun,
  { say, signal }: { readonly say: (line: string) => void; readonly signal: AbortSignal },
): Promise<Readonly<Record<string, string>>> {
  const answers: Record<string, string> = { j: NEEDS_SERVER };
  const questions = new Questions(clients, run, signal).all();
  for (const [letter, ask] of Object.entries({ ...questions, i: () => readRate(impatient) })) {
    if (signal.aborted) break;
    try {
      answers[letter] = await answerOf(ask);
    } catch (error) {
      if (signal.aborted) break;
      answers[letter] = `${FAILED}: ${String(error)}`;
    }
    say(`(${letter}) ${answers[letter]}`);
  }
  return answers;
}

const FAILED = 'not answered, the question failed';

/** Whether each question that was asked has an answer, or says what it lacks. */
export function areAnswered(answers: Readonly<Record<string, string>>): boolean {
  return !Object.values(answers).some((answer) => answer.startsWith(FAILED));
}

/** A target has to answer, and to note when: an instance in the VPC, which no run starts. */
const NEEDS_SERVER =
  'not answered, it needs a server in the VPC: seconds from DeregisterTargets to the last new request';

/** A hundred reads at once show the burst. */
async function readRate(impatient: Client): Promise<string> {
  const startedMs = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      answerOf(async () => {
        await impatient.send(new DescribeLoadBalancersCommand({ PageSize: 1 }));
        return 'ok';
      }),
    ),
  );
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  const others = new Set(answers.filter((answer) => answer !== 'ok'));
  const ok = answers.filter((answer) => answer === 'ok').length;
  return `${ok} of 100 reads passed within ${seconds} s${[...others].map((one) => `; ${one}`).join('')}`;
}

const LONGEST_WAIT_MS = 600_000;
const PAUSE_MS = 5_000;

class Questions {
  readonly #elb: Client;
  readonly #requests: RequestQuestions;
  readonly #run: AccountRun;
  readonly #prefix: string;
  readonly #signal: AbortSignal;
  #made = 0;
  #stage: Promise<Stage> | undefined;

  constructor(clients: Clients, run: AccountRun, signal: AbortSignal) {
    this.#elb = clients.elb;
    this.#requests = new RequestQuestions(clients, run, signal);
    this.#signal = signal;
    this.#run = run;
    this.#prefix = `${namePrefix(run.id)}q`;
  }

  /** In this order; the last ones take down what the others stand on. */
  all(): Readonly<Record<string, () => Promise<string>>> {
    return {
      a: () => this.#mixedArns(),
      c: () => this.#invalidTarget(),
      d: () => this.#sameAgain(),
      e: () => this.#rule({ Field: 'path-pattern', PathPatternConfig: { Values: paths(4) } }),
      f: () => this.#hostWithoutDot(),
      g: () => this.#requests.percentEncoding(),
      h: () => this.#wildcards(),
      k: () => this.#requests.failOpen(),
      n: () => this.#weightZero(),
      o: () => this.#mixedVersions(),
      b: () => this.#draining(),
      l: () => this.#deleteWhileDraining(),
      m: () => this.#inUseAfterDelete(),
    };
  }

  async #mixedArns(): Promise<string> {
    const [{ balancer, listener, group }, other] = [await this.#standing(), await this.#group()];
    const tags = await answerOf(async () => {
      const ResourceArns = [balancer, listener, group, other];
      const answer = await this.#elb.send(new DescribeTagsCommand({ ResourceArns }));
      return `DescribeTags of balancer, listener and two groups answered for ${answer.TagDescriptions?.length}`;
    });
    const listeners = await answerOf(async () => {
      const ListenerArns = [listener, listener];
      const answer = await this.#elb.send(new DescribeListenersCommand({ ListenerArns }));
      return `DescribeListeners by ARNs answered with ${answer.Listeners?.length}`;
    });
    const rules = await answerOf(async () => {
      const all = await this.#elb.send(new DescribeRulesCommand({ ListenerArn: listener }));
      const RuleArns = (all.Rules ?? []).map(({ RuleArn }) => String(RuleArn));
      const answer = await this.#elb.send(new DescribeRulesCommand({ RuleArns }));
      return `DescribeRules by ARNs answered with ${answer.Rules?.length}`;
    });
    return `${tags}; ${listeners}; ${rules}`;
  }

  /** An address of the VPC that nobody has, and one outside of every range that AWS takes. */
  async #invalidTarget(): Promise<string> {
    const TargetGroupArn = await this.#group();
    const Targets = [...TARGETS, { Id: '8.8.8.8' }, { Id: '8.8.4.4' }];
    const refusal = await answerOf(async () => {
      await this.#elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets }));
      return 'accepted';
    });
    return `${refusal}; registered of the valid ones: ${(await this.#health(TargetGroupArn)).length}`;
  }

  async #sameAgain(): Promise<string> {
    const { balancer, listener, group } = await this.#standing();
    const Tags = [{ Key: 'whose', Value: 'a stranger' }, this.#tag()];
    const Name = `${this.#prefix}-again`;
    const first = await this.#group({ Name });
    const groupAgain = await answerOf(async () =>
      (await this.#group({ Name, Tags })) === first ? 'the same group' : 'another group',
    );
    const listenerAgain = await answerOf(async () =>
      (await this.#listener(balancer, group, { Tags })) === listener
        ? 'the same listener'
        : 'another listener',
    );
    return `CreateTargetGroup with other tags: ${groupAgain}; CreateListener with other tags: ${listenerAgain}`;
  }

  async #hostWithoutDot(): Promise<string> {
    const HostHeaderConfig = { RegexValues: ['^localhost$'] };
    const answer = await answerOf(() => this.#rule({ Field: 'host-header', HostHeaderConfig }));
    return `${answer}; ${await this.#requests.portOfHost()}`;
  }

  async #wildcards(): Promise<string> {
    const told = [];
    for (const count of [5, 6, 7]) {
      const Values = [`/${'*'.repeat(count).split('').join('a')}`];
      const condition = { Field: 'path-pattern', PathPatternConfig: { Values } };
      told.push(`${count}: ${await answerOf(() => this.#rule(condition))}`);
    }
    return told.join('; ');
  }

  /** A group that is probed leaves `unused`. */
  async #weightZero(): Promise<string> {
    const { listener, group } = await this.#standing();
    const idle = await this.#group();
    await this.#elb.send(new RegisterTargetsCommand({ TargetGroupArn: idle, Targets: TARGETS }));
    const TargetGroups = [
      { TargetGroupArn: group, Weight: 1 },
      { TargetGroupArn: idle, Weight: 0 },
    ];
    await this.#addRule(listener, { Field: 'path-pattern', Values: ['/zero'] }, TargetGroups);
    await this.#pause(this.#run.endpoint === undefined ? 60_000 : 0);
    return `after a minute a target of the group with weight 0 is ${(await this.#health(idle)).join(', ')}`;
  }

  async #mixedVersions(): Promise<string> {
    const { listener, group } = await this.#standing();
    const other = await this.#group({ ProtocolVersion: 'HTTP2' });
    const TargetGroups = [
      { TargetGroupArn: group, Weight: 1 },
      { TargetGroupArn: other, Weight: 1 },
    ];
    await this.#addRule(listener, { Field: 'path-pattern', Values: ['/mixed'] }, TargetGroups);
    return 'accepted';
  }

  async #draining(): Promise<string> {
    const { group: TargetGroupArn } = await this.#standing();
    await this.#elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: TARGETS }));
    await this.#elb.send(new DeregisterTargetsCommand({ TargetGroupArn, Targets: TARGETS }));
    const before = await this.#health(TargetGroupArn);
    const again = await answerOf(async () => {
      await this.#elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets: TARGETS }));
      return 'taken back';
    });
    const after = await this.#health(TargetGroupArn);
    return `${before.join(', ') || 'gone'}, then registered again: ${again}, ${after.join(', ')}`;
  }

  async #deleteWhileDraining(): Promise<string> {
    const { listener } = await this.#standing();
    const group = await this.#group();
    const TargetGroups = [{ TargetGroupArn: group }];
    await this.#elb.send(new RegisterTargetsCommand({ TargetGroupArn: group, Targets: TARGETS }));
    const leave = { Field: 'path-pattern', Values: ['/leave'] };
    const RuleArn = await this.#addRule(listener, leave, TargetGroups);
    await this.#elb.send(new DeregisterTargetsCommand({ TargetGroupArn: group, Targets: TARGETS }));
    const before = await this.#health(group);
    await this.#elb.send(new DeleteRuleCommand({ RuleArn }));
    const deleted = await answerOf(async () => {
      await this.#elb.send(new DeleteTargetGroupCommand({ TargetGroupArn: group }));
      return 'deleted at once';
    });
    return `${before.join(', ') || 'gone'}: ${deleted}`;
  }

  async #inUseAfterDelete(): Promise<string> {
    const { balancer, group } = await this.#standing();
    await this.#elb.send(new DeleteLoadBalancerCommand({ LoadBalancerArn: balancer }));
    const startedMs = performance.now();
    while (performance.now() - startedMs < LONGEST_WAIT_MS) {
      const answer = await answerOf(async () => {
        await this.#elb.send(new DeleteTargetGroupCommand({ TargetGroupArn: group }));
        return 'deleted';
      });
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      if (answer === 'deleted') return `the group could be deleted after ${seconds} s`;
      if (!answer.startsWith('ResourceInUse')) return answer;
      await this.#pause(1000);
    }
    return `still ResourceInUse after ${LONGEST_WAIT_MS / 1000} s`;
  }

  /** One balancer with one listener and one group, for all. */
  #standing(): Promise<Stage> {
    this.#stage ??= this.#stand();
    return this.#stage;
  }

  async #stand(): Promise<Stage> {
    const group = await this.#group();
    const { subnets, securityGroups } = this.#run;
    const created = await this.#elb.send(
      new CreateLoadBalancerCommand({
        Name: `${this.#prefix}-x`,
        Scheme: 'internal',
        Subnets: subnets.slice(0, 2),
        SecurityGroups: securityGroups.slice(0, 1),
        Tags: [this.#tag()],
      }),
    );
    const balancer = String(created.LoadBalancers?.[0]?.LoadBalancerArn);
    await this.#untilActive(balancer);
    return { balancer, group, listener: await this.#listener(balancer, group) };
  }

  async #untilActive(balancer: string): Promise<void> {
    const endMs = performance.now() + LONGEST_WAIT_MS;
    while (performance.now() < endMs) {
      const LoadBalancerArns = [balancer];
      const seen = await this.#elb.send(new DescribeLoadBalancersCommand({ LoadBalancerArns }));
      if (seen.LoadBalancers?.[0]?.State?.Code === 'active') return;
      await this.#pause(PAUSE_MS);
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#signal });
  }

  async #listener(
    LoadBalancerArn: string,
    TargetGroupArn: string,
    more: Partial<CreateListenerCommandInput> = {},
  ): Promise<string> {
    const created = await this.#elb.send(
      new CreateListenerCommand({
        LoadBalancerArn,
        Port: 80,
        Protocol: 'HTTP',
        DefaultActions: [{ Type: 'forward', TargetGroupArn }],
        Tags: [this.#tag()],
        ...more,
      }),
    );
    return String(created.Listeners?.[0]?.ListenerArn);
  }

  async #group(more: Partial<CreateTargetGroupCommandInput> = {}): Promise<string> {
    const created = await this.#elb.send(
      new CreateTargetGroupCommand({
        Name: `${this.#prefix}-${this.#made++}`,
        Protocol: 'HTTP',
        Port: 80,
        VpcId: this.#run.vpcId,
        TargetType: 'ip',
        Tags: [this.#tag()],
        ...more,
      }),
    );
    return String(created.TargetGroups?.[0]?.TargetGroupArn);
  }

  async #rule(condition: RuleCondition): Promise<string> {
    const { listener, group } = await this.#standing();
    await this.#addRule(listener, condition, [{ TargetGroupArn: group }]);
    return 'accepted';
  }

  async #addRule(
    ListenerArn: string,
    condition: RuleCondition,
    TargetGroups: { TargetGroupArn: string; Weight?: number }[],
  ): Promise<string> {
    const created = await this.#elb.send(
      new CreateRuleCommand({
        ListenerArn,
        Priority: 100 + this.#made++,
        Conditions: [condition],
        Actions: [{ Type: 'forward', ForwardConfig: { TargetGroups } }],
        Tags: [this.#tag()],
      }),
    );
    return String(created.Rules?.[0]?.RuleArn);
  }

  /** `<state> (<reason>)` of each target. */
  async #health(TargetGroupArn: string): Promise<readonly string[]> {
    const seen = await this.#elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }));
    return (seen.TargetHealthDescriptions ?? []).map(
      ({ TargetHealth }) => `${TargetHealth?.State} (${TargetHealth?.Reason ?? 'no reason'})`,
    );
  }

  #tag(): { Key: string; Value: string } {
    return { Key: RUN_TAG, Value: this.#run.id };
  }
}

interface Stage {
  readonly balancer: string;
  readonly listener: string;
  readonly group: string;
}

/** Of a range that a target may have outside of its VPC; nobody has it. */
const TARGETS = [{ Id: '100.64.255.254', AvailabilityZone: 'all' }];

function paths(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `/${index}`);
}
