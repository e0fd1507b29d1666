import { type BackendName, startBackend } from '../../localstack/backends/backend.ts';
import { type SeededNetwork, seedNetwork } from '../../localstack/seed.ts';
import { OPERATOR_KEY } from './shipped-policy.ts';

/** A stand-in for AWS with a network in it, and what reaches it. */
export interface AwsStandIn {
  readonly network: SeededNetwork;
  /** For a process that is to use it, and nothing else of AWS. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export interface AwsStandInOptions {
  /** Who plays AWS; default the embedded stand-in, to which alone the other options apply. */
  readonly backend?: BackendName;
  readonly port?: number;
  readonly provisioningMs?: number;
  readonly budget?: 'aws' | 'off';
  readonly quota?: number;
  /** Told about long steps. */
  readonly say?: (line: string) => void;
}

/** The operator's; every stand-in takes any secret. */
export const CREDENTIALS = { accessKeyId: OPERATOR_KEY, secretAccessKey: 'stand-in' } as const;

/** Those of everybody else in the same account, which no policy limits. */
export const ADMINISTRATOR = { accessKeyId: 'administrator', secretAccessKey: 'stand-in' } as const;

export async function startAwsStandIn(options: AwsStandInOptions = {}): Promise<AwsStandIn> {
  const { backend: name = 'embedded', port, say } = options;
  const { provisioningMs = 2000, budget = 'off', quota = 1000 } = options;
  const backend = await startBackend(name, {
    embedded: { provisioningMs, budget, quota },
    ...(port === undefined ? {} : { port }),
    ...(say === undefined ? {} : { say }),
  });
  try {
    const { url, region } = backend;
    const network = await seedNetwork({ endpoint: url, region, credentials: ADMINISTRATOR });
    // What follows is counted; the network is nobody's doing.
    if (name === 'embedded') await fetch(`${url}/_embedded/calls`, { method: 'DELETE' });
    const environment = environmentFor(url, region);
    return { network, environment, stop: () => backend.stop() };
  } catch (error) {
    await backend.stop();
    throw error;
  }
}

/** What makes the SDK reach the stand-in at `url` and nothing else. */
export function environmentFor(url: string, region: string): Readonly<Record<string, string>> {
  return {
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL: url,
    AWS_REGION: region,
    AWS_EC2_METADATA_DISABLED: 'true',
  };
}
