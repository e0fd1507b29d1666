// Lives here: the embedded stand-in for AWS: one account and region in memory, by injected time and chance.
// May import it: localstack/embedded.
// Start with: this file, then operations.ts, the table of operations, and aws-world.ts, what they work on.

import type { AwsSettings, AwsWorld, Clock } from './aws-world.ts';
import { createNetwork } from './ec2/network.ts';
import { regionFacts } from './ec2/region-facts.ts';
import { createIds, type Random } from './ec2/seeded-ids.ts';
import { createControl, type EmbeddedAwsControl, type ModelParts } from './embedded-aws-control.ts';
import { CallLog } from './faults/call-log.ts';
import { FaultScript } from './faults/fault-script.ts';
import { TokenBuckets } from './faults/token-buckets.ts';
import { invalidAction, rateExceeded } from './http/aws-fault.ts';
import { type Arrival, type Exchange, exchangeOf, refusedExchange } from './http/exchange.ts';
import { Principals } from './iam/principals.ts';
import type { Input } from './input-fields.ts';
import { BalancerStore } from './load-balancers/balancer-store.ts';
import { OPERATIONS, type Operation, type ServiceName } from './operations.ts';
import { SettingsHolder } from './settings.ts';
import { createTraffic } from './traffic/traffic.ts';

export interface EmbeddedAwsOptions {
  readonly clock: Clock;
  /** Numbers in [0, 1); all ids come from it. */
  readonly random: Random;
  /** Default us-east-1. */
  readonly region?: string;
  /** Default 000000000000, as on LocalStack. */
  readonly accountId?: string;
  readonly settings?: Partial<AwsSettings>;
  /** Called after each change of listeners, rules, target groups and targets. */
  readonly onTrafficChange?: () => void;
}

/** The caller, as far as policies, the call log and the lookup of the operation need it. */
interface CallContext {
  readonly userAgent?: string;
  /** Whose policy limits the call; without one everything is allowed. */
  readonly accessKeyId?: string;
  /** If given, only operations of this service are found. */
  readonly service?: ServiceName;
}

export interface EmbeddedAws {
  readonly region: string;
  /** AWS's clock, epoch ms. */
  now(): number;
  /**
   * One request, answered at once: begin() and run(). Scripted waits are not waited for.
   * `input` and the answer have the shape of the SDK command of that name.
   */
  handle(operation: string, input: Input, context?: CallContext): unknown;
  /** One request in two steps, for callers that wait on scripted delays and holds in between. */
  begin(operation: string, input: Input, context?: CallContext): Exchange;
  readonly control: EmbeddedAwsControl;
  /** For the data plane, which carries it out. */
  readonly world: AwsWorld;
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/ and the same for EC2, STS, IAM, ACM. */
export const API_VERSIONS: Readonly<Record<ServiceName, string>> = {
  elasticloadbalancing: '2015-12-01',
  ec2: '2016-11-15',
  sts: '2011-06-15',
  iam: '2010-05-08',
  acm: '2015-12-08',
};

/**
 * AWS as a state machine: ELBv2 load balancers and the EC2 network they stand on, for one account
 * and one region. No I/O, no timers, no time and no chance but the injected ones. Throws a
 * RangeError for a bad region or setting.
 */
export function createEmbeddedAws(options: EmbeddedAwsOptions): EmbeddedAws {
  const parts = createParts(options);
  const begin: EmbeddedAws['begin'] = (name, input, context = {}) =>
    beginExchange(parts, { ...context, name, input });
  return {
    region: parts.world.facts.region,
    now: () => parts.world.clock.now(),
    begin,
    handle: (name, input, context) => begin(name, input, context).run(),
    control: createControl(parts),
    world: parts.world,
  };
}

function createParts(options: EmbeddedAwsOptions): ModelParts {
  const settings = new SettingsHolder();
  settings.change(options.settings ?? {});
  const principals = new Principals();
  const world: AwsWorld = {
    accountId: options.accountId ?? '000000000000',
    facts: regionFacts(options.region ?? 'us-east-1'),
    clock: options.clock,
    ids: createIds(options.random),
    balancers: new BalancerStore(),
    traffic: createTraffic(options.onTrafficChange ?? (() => {})),
    network: createNetwork(options.clock),
    certificates: new Set(),
    trustStores: new Set(),
    importedCertificates: new Map(),
    policies: principals.policies,
    get settings() {
      return settings.current;
    },
  };
  const buckets = new TokenBuckets(options.clock);
  return {
    ...{ world, settings, buckets, principals },
    faults: new FaultScript(),
    log: new CallLog(),
  };
}

interface AwsRequest extends CallContext {
  readonly name: string;
  readonly input: Input;
}

function beginExchange(parts: ModelParts, request: AwsRequest): Exchange {
  const { world, settings, buckets, faults, principals } = parts;
  const operation = findOperation(request);
  const service = request.service ?? operation?.service ?? 'elasticloadbalancing';
  const arrival = noteArrival(parts, request, service);
  if (operation === undefined) {
    return refusedExchange(arrival, invalidAction(request.name, API_VERSIONS[service]));
  }
  if (settings.current.budget === 'aws' && !buckets.tryTake(operation)) {
    return refusedExchange(arrival, rateExceeded(service));
  }
  const effect = faults.take(operation.name, operation.kind === 'read', world.clock.now());
  const call = { accessKeyId: request.accessKeyId, operation, input: request.input };
  const authorize = (): void => principals.authorize(world, call);
  return exchangeOf(arrival, { world, operation, effect, authorize });
}

function findOperation({ name, service }: AwsRequest): Operation | undefined {
  const operation = OPERATIONS.get(name);
  return service === undefined || operation?.service === service ? operation : undefined;
}

function noteArrival(
  { world, log }: ModelParts,
  { name, input, userAgent }: AwsRequest,
  service: ServiceName,
): Arrival {
  const call = { at: world.clock.now(), service, operation: name, input };
  return { input, note: log.open(userAgent === undefined ? call : { ...call, userAgent }) };
}
