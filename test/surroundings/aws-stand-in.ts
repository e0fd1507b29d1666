import { type EmbeddedAwsServer, startEmbeddedAws } from '../../localstack/embedded/server.ts';
import { type SeededNetwork, seedNetwork } from '../../localstack/seed.ts';

/** The AWS stand-in with a network in it, and what reaches it. */
export interface AwsStandIn {
  readonly server: EmbeddedAwsServer;
  readonly network: SeededNetwork;
  /** For a process that is to use it, and nothing else of AWS. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface AwsStandInOptions {
  readonly port?: number;
  readonly provisioningMs?: number;
  readonly budget?: 'aws' | 'off';
  readonly quota?: number;
}

/** Nobody's: the stand-in takes any credentials. */
const CREDENTIALS = { accessKeyId: '000000000000', secretAccessKey: 'stand-in' } as const;

export async function startAwsStandIn(options: AwsStandInOptions = {}): Promise<AwsStandIn> {
  const { port = 0, provisioningMs = 2000, budget = 'off', quota = 1000 } = options;
  const server = await startEmbeddedAws({ port, settings: { provisioningMs, budget, quota } });
  const environment = {
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL: server.url,
    AWS_REGION: server.region,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  const network = await seedNetwork({
    endpoint: server.url,
    region: server.region,
    credentials: CREDENTIALS,
  });
  server.control.clearCalls();
  return { server, network, environment, stop: () => server.stop() };
}
