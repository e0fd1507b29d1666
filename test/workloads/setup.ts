import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { ControlPlaneCoordinates } from '../control-plane/cluster-access.ts';
import { startSurroundings } from '../surroundings/surroundings.ts';

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
}

/**
 * One control plane with controller-manager, scheduler and nodes, and one operator with the shipped
 * rights, for all files that break none of them; each test has a namespace of its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const surroundings = await startSurroundings({
    controllerManager: true,
    scheduler: true,
    nodes: 4,
  });
  try {
    const { url, caPem, adminToken, kubeconfigPath, kubectlPath, directory } =
      surroundings.controlPlane;
    const operatorLog = join(directory, 'operator.log');
    const operator = surroundings.launchOperator({}, operatorLog);
    await operator.waitForLine((line) => line.msg === 'working');
    const controlPlane = { url, caPem, adminToken, kubeconfigPath, kubectlPath, directory };
    project.provide('workloads', { controlPlane, operatorLog });
  } catch (error) {
    await surroundings.stop();
    throw error;
  }
  return () => surroundings.stop();
}
