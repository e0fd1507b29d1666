import type { TestProject } from 'vitest/node';
import type { ControlPlaneCoordinates } from './cluster-access.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The control plane that all files of the project share: `inject('controlPlane')`. */
    readonly controlPlane: ControlPlaneCoordinates;
  }
}

/**
 * Starts the control plane that the test files of a project share, and returns what ends it. A
 * file reaches it by `accessCluster(inject('controlPlane'))`; a file that stops or restarts the
 * API server starts a control plane of its own.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const controlPlane = await startControlPlane();
  project.provide('controlPlane', coordinatesOf(controlPlane));
  return async () => await controlPlane.stop();
}

/** Only what can be sent to another process. */
function coordinatesOf(controlPlane: ControlPlane): ControlPlaneCoordinates {
  const { url, caPem, adminToken, kubeconfigPath, kubectlPath, directory } = controlPlane;
  return { url, caPem, adminToken, kubeconfigPath, kubectlPath, directory };
}
