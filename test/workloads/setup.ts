import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { SeededNetwork } from '../../localstack/seed.ts';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { startPodRunner } from '../surroundings/pod-runner.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The cluster with nodes that most files share: see place.ts. */
    readonly workloads: SharedCluster;
  }
}

/** Only what can be sent to another process. */
export interface SharedCluster {
  readonly controlPlane: ControlPlaneCoordinates;
  /** One JSON line per line of the operator's log. */
  readonly operatorLog: string;
  readonly awsEnvironment: Readonly<Record<string, string>>;
  readonly network: SeededNetwork;
}

/** As in AWS, where it takes minutes: whoever deletes has to wait for the interfaces of the balancer. */
const INTERFACES_LINGER_MS = 8_000;

/**
 * One control plane with controller-manager, scheduler and nodes whose pods answer, one stand-in for AWS
 * and one operator with the shipped rights, for all files that break none of them; each test has a
 * namespace of its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const surroundings = await startSurroundings({
    controllerManager: true,
    scheduler: true,
    nodes: 4,
  });
  const endpoint = surroundings.aws.environment['AWS_ENDPOINT_URL'] as string;
  const pods = startPodRunner(surroundings.controlPlane, endpoint);
  const stop = async (): Promise<void> => {
    await pods.stop();
    await surroundings.stop();
  };
  try {
    await new StandInControl(endpoint).changeSettings({ interfacesLingerMs: INTERFACES_LINGER_MS });
    project.provide('workloads', await startOperator(surroundings));
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

async function startOperator(surroundings: Surroundings): Promise<SharedCluster> {
  const { aws, controlPlane } = surroundings;
  const { url, caPem, adminToken, kubeconfigPath, kubectlPath, directory } = controlPlane;
  const operatorLog = join(directory, 'operator.log');
  const operator = surroundings.launchOperator({}, operatorLog);
  await operator.waitForLine((line) => line.msg === 'working');
  return {
    controlPlane: { url, caPem, adminToken, kubeconfigPath, kubectlPath, directory },
    operatorLog,
    awsEnvironment: aws.environment,
    network: aws.network,
  };
}
