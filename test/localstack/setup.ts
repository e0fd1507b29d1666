import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { SeededNetwork } from '../../localstack/seed.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { findFreePort } from '../control-plane/free-port.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The surroundings that most files share: see setup-place.ts. */
    readonly surroundings: SharedSurroundings;
  }
}

/** Only what can be sent to another process. */
export interface SharedSurroundings {
  readonly controlPlane: ControlPlaneCoordinates;
  readonly awsEnvironment: Readonly<Record<string, string>>;
  readonly network: SeededNetwork;
  readonly operatorLog: string;
  readonly metricsPort: number;
  readonly healthPort: number;
}

/**
 * One control plane, one stand-in and one operator for all files that break none of them; each test
 * has a namespace of its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Ends just before the operator's third look, and leaves a slow first one time to see it.
  const surroundings = await startSurroundings({ provisioningMs: 2900 });
  try {
    project.provide('surroundings', await startOperator(surroundings));
  } catch (error) {
    await surroundings.stop();
    throw error;
  }
  return () => surroundings.stop();
}

async function startOperator(surroundings: Surroundings): Promise<SharedSurroundings> {
  const { aws, controlPlane } = surroundings;
  const { url, caPem, adminToken, kubeconfigPath, kubectlPath, directory } = controlPlane;
  const operatorLog = join(directory, 'operator.log');
  const metricsPort = await findFreePort();
  const healthPort = await findFreePort();
  const settings = {
    ALBRIDGE_SWEEP_INTERVAL: '2s',
    ALBRIDGE_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
    ALBRIDGE_HEALTH_ADDRESS: `127.0.0.1:${healthPort}`,
  };
  const operator = surroundings.launchOperator(settings, operatorLog);
  await operator.waitForLine((line) => line.msg === 'working');
  return {
    controlPlane: { url, caPem, adminToken, kubeconfigPath, kubectlPath, directory },
    awsEnvironment: aws.environment,
    network: aws.network,
    operatorLog,
    metricsPort,
    healthPort,
  };
}
