import {
  CreateTargetGroupCommand,
  DescribeTargetHealthCommand,
  RegisterTargetsCommand,
  type RuleCondition,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { answerOf } from './answer.ts';
import type { Clients } from './clean-up.ts';
import { Front, type Sent, tagOf, Unreached } from './front.ts';
import { type AccountRun, namePrefix } from './run.ts';

interface Trial {
  readonly condition: RuleCondition;
  /** Of the condition; in an answer, and the text that the rule answers with. */
  readonly value: string;
  readonly sent: readonly Sent[];
}

/** Questions that a balancer answers over HTTP without a target that serves. */
export class RequestQuestions {
  readonly #clients: Clients;
  readonly #run: AccountRun;
  readonly #signal: AbortSignal;
  #opening: Promise<Front> | undefined;

  constructor(clients: Clients, run: AccountRun, signal: AbortSignal) {
    this.#clients = clients;
    this.#run = run;
    this.#signal = signal;
  }

  /** The first request of each condition shows that its rule is in force. */
  portOfHost(): Promise<string> {
    const [values, regexes] = [['port.example.com'], ['^port[.]example[.]org$']];
    const hosts = (host: string): readonly Sent[] =>
      ['', ':80', ':8080'].map((port) => ({ host: `${host}${port}` }));
    const field = { Field: 'host-header' };
    return this.#meet([
      {
        condition: { ...field, HostHeaderConfig: { Values: values } },
        ...{ value: String(values), sent: hosts('port.example.com') },
      },
      {
        condition: { ...field, HostHeaderConfig: { RegexValues: regexes } },
        ...{ value: String(regexes), sent: hosts('port.example.org') },
      },
    ]);
  }

  /** As `portOfHost`. */
  percentEncoding(): Promise<string> {
    return this.#meet([
      ofPath('/plain', '/pl%61in'),
      ofPath('/one/two', '/one%2Ftwo'),
      ofPath('/%7Ename', '/%7ename', '/~name'),
    ]);
  }

  /** The first checks of a target without a server take longer than the question. */
  failOpen(): Promise<string> {
    return this.#reaching(async (front) => {
      const { elb } = this.#clients;
      const created = await elb.send(
        new CreateTargetGroupCommand({
          ...{ Name: `${namePrefix(this.#run.id)}q-initial`, VpcId: this.#run.vpcId },
          ...{ Protocol: 'HTTP', Port: 80, TargetType: 'ip', Tags: [tagOf(this.#run)] },
          ...{ HealthCheckIntervalSeconds: 300, HealthCheckTimeoutSeconds: 120 },
        }),
      );
      const TargetGroupArn = String(created.TargetGroups?.[0]?.TargetGroupArn);
      const Targets = [{ Id: '100.64.255.254', AvailabilityZone: 'all' }];
      await elb.send(new RegisterTargetsCommand({ TargetGroupArn, Targets }));
      const condition = ofPath('/initial').condition;
      await front.addRule(condition, { Type: 'forward', TargetGroupArn });
      await front.settle();
      const seen = await elb.send(new DescribeTargetHealthCommand({ TargetGroupArn }));
      const { State, Reason } = seen.TargetHealthDescriptions?.[0]?.TargetHealth ?? {};
      const { status } = await front.ask({ path: '/initial' });
      return `${status} of a group whose only target is ${State} (${Reason}); 503: it does not fail open`;
    });
  }

  #meet(trials: readonly Trial[]): Promise<string> {
    return this.#reaching(async (front) => {
      const added: string[] = [];
      for (const { condition, value } of trials) {
        added.push(
          await answerOf(async () => {
            await front.addRule(condition, value);
            return ACCEPTED;
          }),
        );
      }
      await front.settle();
      const told: string[] = [];
      for (const [index, { value, sent }] of trials.entries()) {
        const answer = added[index] ?? '';
        const met = answer === ACCEPTED ? await tellMet(front, value, sent) : answer;
        told.push(`${value}: ${met}`);
      }
      return told.join('; ');
    });
  }

  /** That this machine has no way to a balancer is no defect. */
  async #reaching(ask: (front: Front) => Promise<string>): Promise<string> {
    this.#opening ??= Front.open(this.#clients, this.#run, this.#signal);
    try {
      return await ask(await this.#opening);
    } catch (error) {
      if (!(error instanceof Unreached)) throw error;
      return `not answered, no request reached a balancer from this machine: ${error.message}`;
    }
  }
}

const ACCEPTED = 'accepted';

function ofPath(value: string, ...more: readonly string[]): Trial {
  const condition = { Field: 'path-pattern', PathPatternConfig: { Values: [value] } };
  return { condition, value, sent: [value, ...more].map((path) => ({ path })) };
}

async function tellMet(front: Front, value: string, sent: readonly Sent[]): Promise<string> {
  const told: string[] = [];
  for (const one of sent) {
    const isMet = (await front.ask(one)).body === value;
    told.push(`${one.path ?? one.host} ${isMet ? 'meets it' : 'does not'}`);
  }
  return told.join(', ');
}
