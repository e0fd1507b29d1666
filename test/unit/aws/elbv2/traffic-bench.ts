import type { AwsSettings } from '../../../../localstack/embedded/aws-world.ts';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { NO_LIMITS } from '../../../../src/aws/budget/budget-limits.ts';
import { type Aws, type Traffic, wireAws } from '../../../../src/aws/client/wire.ts';
import type { TargetGroup, TargetGroupSettings } from '../../../../src/aws/elbv2/traffic.ts';
import { EmbeddedAwsApi } from '../../../fakes/embedded-aws-api.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';
import { trafficModel } from '../../localstack/traffic/traffic-model.ts';

/** src/aws as in production over the embedded stand-in, in process. */
export interface TrafficBench extends Aws, Traffic {
  readonly model: EmbeddedAws;
  readonly clock: ManualClock;
  readonly log: SilentLogger;
  /** The balancer `shop`. */
  readonly shop: string;
  /** The operations that were sent since the last question. */
  sent(): readonly string[];
}

export function trafficBench(settings: Partial<AwsSettings> = {}): TrafficBench {
  const { aws: model, shop } = trafficModel(settings);
  const clock = new ManualClock();
  const log = new SilentLogger();
  const aws = wireAws({
    api: new EmbeddedAwsApi(model, clock),
    clock,
    leadership: { isLeader: () => true },
    metrics: new RecordingMetrics(),
    budget: NO_LIMITS,
    log,
  });
  const sent = (): readonly string[] => {
    const calls = model.control.calls().map(({ operation }) => operation);
    model.control.clearCalls();
    return calls;
  };
  sent();
  return { ...aws, ...aws.traffic({ log }), model, clock, log, shop, sent };
}

export const groupSettings: TargetGroupSettings = {
  name: 'web-1',
  targetType: 'ip',
  protocol: 'HTTP',
  protocolVersion: 'HTTP1',
  port: 8080,
  vpcId: 'vpc-main',
  ipAddressType: 'ipv4',
  healthCheck: {
    protocol: 'HTTP',
    port: 'traffic-port',
    path: '/healthz',
    intervalSeconds: 15,
    timeoutSeconds: 5,
    healthyThreshold: 2,
    unhealthyThreshold: 2,
    matcher: '200-399',
  },
  tags: { 'albridge.io/cluster': 'c1' },
};

/** Groups of these names, in this order. */
export function makeGroups(
  { targetGroups }: Traffic,
  ...names: readonly string[]
): Promise<readonly TargetGroup[]> {
  return Promise.all(names.map((name) => targetGroups.create({ ...groupSettings, name })));
}
