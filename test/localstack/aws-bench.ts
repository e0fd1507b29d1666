import { type EmbeddedAwsServer, startEmbeddedAws } from '../../localstack/embedded/http/server.ts';
import { NO_LIMITS } from '../../src/aws/budget/budget-limits.ts';
import { createSdkApi, type SdkApi } from '../../src/aws/client/sdk-api.ts';
import { type Aws, wireAws } from '../../src/aws/client/wire.ts';
import type { LoadBalancerSettings } from '../../src/aws/elbv2/load-balancers.ts';
import { systemClock } from '../../src/system-clock.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { SilentLogger } from '../fakes/silent-logger.ts';

/** src/aws over the real SDK and real HTTP to the embedded stand-in. */
export interface AwsBench extends Aws {
  readonly server: EmbeddedAwsServer;
  readonly api: SdkApi;
  readonly metrics: RecordingMetrics;
  readonly lease: { isHeld: boolean };
  /** Settings of a balancer that the stand-in accepts. */
  readonly settings: (name: string) => LoadBalancerSettings;
  readonly subnets: readonly string[];
  readonly securityGroup: string;
  /** Budget, ledger and inventory of a process that has just started. */
  restarted(): Aws;
  stop(): Promise<void>;
}

export async function startAwsBench(): Promise<AwsBench> {
  const server = await startEmbeddedAws({ settings: { provisioningMs: 0, budget: 'off' } });
  const { subnets, securityGroup } = createNetwork(server);
  const lease = { isHeld: true };
  const leadership = { isLeader: () => lease.isHeld };
  const { region, url: endpoint } = server;
  const api = createSdkApi({
    ...{ clock: systemClock, region, leadership },
    ...{ endpoint, ec2Endpoint: endpoint },
    userAgent: 'albridge/0.0.0-test',
  });
  const metrics = new RecordingMetrics();
  const log = new SilentLogger();
  const restarted = (): Aws =>
    wireAws({ api, clock: systemClock, leadership, metrics, budget: NO_LIMITS, log });
  return {
    ...restarted(),
    restarted,
    server,
    api,
    metrics,
    lease,
    subnets,
    securityGroup,
    settings: (name) => ({
      name,
      scheme: 'internal',
      subnets: subnets.slice(0, 2),
      securityGroups: [securityGroup],
      ipAddressType: 'ipv4',
      tags: { team: 'web', 'albridge.io/cluster': 'c1' },
    }),
    async stop() {
      api.close();
      await server.stop();
    },
  };
}

interface Network {
  readonly subnets: readonly string[];
  readonly securityGroup: string;
}

function createNetwork({ model, region }: EmbeddedAwsServer): Network {
  const { Vpc } = model.handle('CreateVpc', { CidrBlock: '10.0.0.0/16' }) as {
    Vpc: { VpcId: string };
  };
  const subnets = ['a', 'b', 'c'].map((zone, i) => {
    const input = {
      VpcId: Vpc.VpcId,
      AvailabilityZone: `${region}${zone}`,
      CidrBlock: `10.0.${i}.0/24`,
    };
    const { Subnet } = model.handle('CreateSubnet', input) as { Subnet: { SubnetId: string } };
    return Subnet.SubnetId;
  });
  const group = { GroupName: 'web', Description: 'web', VpcId: Vpc.VpcId };
  const { GroupId } = model.handle('CreateSecurityGroup', group) as { GroupId: string };
  return { subnets, securityGroup: GroupId };
}

/** What a promise rejects with; fails where it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => ({ error }),
  );
  if (!outcome) throw new Error('it did not fail');
  return outcome.error;
}
