import type { TestProject } from 'vitest/node';
import {
  type BackendName,
  isBackendName,
  startBackend,
} from '../../localstack/backends/backend.ts';
import { PythonMissing } from '../../localstack/backends/python.ts';
import { type SeededNetwork, seedNetwork } from '../../localstack/seed.ts';
import { CREDENTIALS } from '../surroundings/aws-stand-in.ts';
import type { AccountRun } from './account/run.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    readonly awsBackend: ProvidedBackend;
  }
}

/** The backend that all files of the project share, or why there is none. */
export type ProvidedBackend =
  | { readonly kind: 'missing'; readonly why: string }
  | {
      readonly kind: 'serving';
      /** Whose differences from AWS are to be expected; undefined: nobody's. */
      readonly likes: BackendName | undefined;
      /** Which one may be started anew; undefined: somebody else started it. */
      readonly name: BackendName | undefined;
      readonly url: string;
      readonly region: string;
      readonly network: SeededNetwork;
      /** Somebody's account at AWS. */
      readonly account?: AccountRun;
    };

const PREFIX = 'aws-';

/**
 * Starts the backend that the project is named after (`aws-moto`), or takes the one at
 * ALBRIDGE_TEST_AWS_URL for `aws-url`. Without Python the suite is skipped, in so many words, unless
 * ALBRIDGE_TEST_PYTHON=required.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const name = project.name.slice(PREFIX.length);
  if (name === 'account') {
    project.provide('awsBackend', somebodysAccount());
    return undefined;
  }
  if (!isBackendName(name)) {
    project.provide('awsBackend', await somebodyElses());
    return undefined;
  }
  try {
    return await ours(project, name);
  } catch (error) {
    if (!(error instanceof PythonMissing)) throw error;
    if (process.env['ALBRIDGE_TEST_PYTHON'] === 'required') throw error;
    process.stdout.write(`the suite against ${name} is skipped: ${error.message}\n`);
    project.provide('awsBackend', { kind: 'missing', why: error.message });
    return undefined;
  }
}

async function ours(project: TestProject, name: BackendName): Promise<() => Promise<void>> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  // Everything may be created at once, and no balancer has to be waited for.
  const embedded = { budget: 'off', provisioningMs: 0, quota: 1000 } as const;
  const backend = await startBackend(name, { say, embedded });
  try {
    const { url, region } = backend;
    const network = await seedNetwork({ endpoint: url, region, credentials: CREDENTIALS });
    project.provide('awsBackend', { kind: 'serving', likes: name, name, url, region, network });
  } catch (error) {
    await backend.stop();
    throw error;
  }
  return () => backend.stop();
}

function somebodysAccount(): ProvidedBackend {
  const run = process.env['ALBRIDGE_TEST_AWS_RUN'];
  if (run === undefined) throw new Error('started by npm run test:aws -- --backend aws alone');
  const account = JSON.parse(run) as AccountRun;
  const { region, vpcId, subnets, sameZoneSubnets, securityGroups } = account;
  const network = {
    ...{ vpcId, subnets, sameZoneSubnets, securityGroups },
    ...{ articleSubnets: [], exampleSecurityGroup: '' },
  };
  return {
    ...{ kind: 'serving', likes: undefined, name: undefined, url: account.endpoint ?? '' },
    ...{ region, network, account },
  };
}

async function somebodyElses(): Promise<ProvidedBackend> {
  const { env } = process;
  const url = env['ALBRIDGE_TEST_AWS_URL'];
  if (url === undefined) throw new Error('ALBRIDGE_TEST_AWS_URL is not set');
  const likes = env['ALBRIDGE_TEST_AWS_LIKE'] ?? '';
  const region = 'us-east-1';
  const network = await seedNetwork({ endpoint: url, region, credentials: CREDENTIALS });
  return {
    kind: 'serving',
    likes: isBackendName(likes) ? likes : undefined,
    name: undefined,
    url,
    region,
    network,
  };
}
