import { AWS_LIMITS, type BudgetLimits } from '../../../../src/aws/budget/budget-limits.ts';
import type {
  ApiSendOptions,
  AwsApi,
  AwsOperation,
  AwsOperations,
} from '../../../../src/aws/client/aws-api.ts';
import type { Patience } from '../../../../src/aws/client/patience.ts';
import { type Aws, wireAws } from '../../../../src/aws/client/wire.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

export type Handlers = {
  [Operation in AwsOperation]?: (
    input: AwsOperations[Operation][0],
    signal: AbortSignal | undefined,
  ) => unknown;
};

interface SentCall {
  readonly operation: AwsOperation;
  readonly input: unknown;
  readonly atMs: number;
  readonly signal: AbortSignal | undefined;
}

/** An AwsApi that answers what a test says, and remembers what was sent. */
class ScriptedAwsApi implements AwsApi {
  readonly sent: SentCall[] = [];
  readonly #clock: ManualClock;
  readonly #handlers: Handlers;

  constructor(clock: ManualClock, handlers: Handlers) {
    this.#clock = clock;
    this.#handlers = handlers;
  }

  send<Operation extends AwsOperation>(
    operation: Operation,
    input: AwsOperations[Operation][0],
    { signal, onWrite }: ApiSendOptions = {},
  ): Promise<AwsOperations[Operation][1]> {
    onWrite?.();
    this.sent.push({ operation, input, atMs: this.#clock.monotonicMs(), signal });
    const handler = this.#handlers[operation];
    if (!handler) throw new Error(`nothing is scripted for ${operation}`);
    return Promise.resolve()
      .then(() => handler(input, signal))
      .then((output) => ({ $metadata: { httpStatusCode: 200 }, ...(output as object) }) as never);
  }

  countOf(operation: AwsOperation): number {
    return this.sent.filter((call) => call.operation === operation).length;
  }
}

/** An error as the SDK throws it for AWS's error document with this code. */
export function awsError(code: string, message = `said ${code}`, status = 400): Error {
  return Object.assign(new Error(message), {
    name: code,
    Code: code.replace(/Exception$/, ''),
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status },
  });
}

/** An error as the SDK throws it where the connection failed. */
export function networkError(code: string, name = 'Error'): Error {
  return Object.assign(new Error(`connect ${code} 127.0.0.1:1`), {
    name,
    code,
    $metadata: { attempts: 1 },
  });
}

/** What `throw` cannot do in an expression. */
export function raise(error: Error): never {
  throw error;
}

export interface Bench extends Aws {
  readonly api: ScriptedAwsApi;
  readonly clock: ManualClock;
  readonly metrics: RecordingMetrics;
  readonly log: SilentLogger;
  readonly lease: { isHeld: boolean; isObserver: boolean };
}

/** Everything in src/aws above AwsApi, wired as in production. */
export function bench(
  handlers: Handlers,
  budget: BudgetLimits = AWS_LIMITS,
  { clock = new ManualClock(), patience }: { clock?: ManualClock; patience?: Patience } = {},
): Bench {
  const api = new ScriptedAwsApi(clock, handlers);
  const metrics = new RecordingMetrics();
  const log = new SilentLogger();
  const lease = { isHeld: true, isObserver: false };
  const leadership = {
    isLeader: () => lease.isHeld,
    get isObserver() {
      return lease.isObserver;
    },
  };
  return {
    ...wireAws({ api, clock, leadership, metrics, budget, log, ...(patience && { patience }) }),
    api,
    clock,
    metrics,
    log,
    lease,
  };
}

export const never: AbortSignal = new AbortController().signal;

/** A balancer as AWS describes it. */
export function described(name: string): object {
  return {
    LoadBalancerArn: arnOf(name),
    LoadBalancerName: name,
    DNSName: `${name}.eu-west-1.elb.amazonaws.com`,
    CanonicalHostedZoneId: 'Z32O12XQLNTSW2',
    VpcId: 'vpc-1',
    Type: 'application',
    Scheme: 'internal',
    IpAddressType: 'ipv4',
    AvailabilityZones: [{ SubnetId: 'subnet-a' }, { SubnetId: 'subnet-b' }],
    SecurityGroups: ['sg-1'],
    State: { Code: 'active' },
  };
}

export function arnOf(name: string): string {
  return `arn:aws:elasticloadbalancing:eu-west-1:000000000000:loadbalancer/app/${name}/0123456789abcdef`;
}

/** DescribeLoadBalancers and DescribeTags over a set of names, as strict as AWS. */
export function accountOf(names: Set<string>): Handlers {
  const known = (arn: string): string => {
    const name = [...names].find((candidate) => arnOf(candidate) === arn);
    return name ?? raise(awsError('LoadBalancerNotFoundException'));
  };
  return {
    DescribeLoadBalancers({ LoadBalancerArns, Names, Marker, PageSize }) {
      if (LoadBalancerArns) {
        return { LoadBalancers: LoadBalancerArns.map((arn) => described(known(arn))) };
      }
      if (Names) {
        if (!Names.every((name) => names.has(name)))
          raise(awsError('LoadBalancerNotFoundException'));
        return { LoadBalancers: Names.map(described) };
      }
      const first = Number(Marker ?? 0);
      const next = first + (PageSize ?? 400);
      const page = [...names].slice(first, next).map(described);
      return { LoadBalancers: page, ...(next < names.size && { NextMarker: String(next) }) };
    },
    DescribeTags({ ResourceArns }) {
      const arns = ResourceArns ?? [];
      if (arns.length > 20) raise(awsError('ValidationError', 'at most 20'));
      return {
        TagDescriptions: arns.map((arn) => ({
          ResourceArn: arn,
          Tags: [{ Key: 'name', Value: known(arn) }],
        })),
      };
    },
  };
}
