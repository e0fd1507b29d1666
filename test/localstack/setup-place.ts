import { afterAll, inject } from 'vitest';
import type { SeededNetwork } from '../../localstack/seed.ts';
import { accessCluster, type ClusterAccess } from '../control-plane/cluster-access.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { KubeApi } from '../surroundings/kube-api.ts';
import { logLinesAbout } from '../surroundings/log-lines.ts';
import { MyIngresses } from '../surroundings/my-ingresses.ts';
import type { LogLine } from '../surroundings/operator-process.ts';
import { Outsider } from '../surroundings/outsider.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import type { Surroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';

/** Surroundings as a test sees them. */
export interface Place {
  readonly cluster: ClusterAccess;
  readonly api: KubeApi;
  readonly network: SeededNetwork;
  readonly standIn: StandInControl;
  readonly outsider: Outsider;
  /** A new namespace with nothing in it. */
  createNamespace(prefix: string): Promise<MyIngresses>;
  /** kubectl's output; throws its words if it fails. */
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** The UID of kube-system. */
  clusterId(): Promise<string>;
  close(): void;
}

/**
 * The shared surroundings, closed after the tests of the file; whoever uses them breaks nothing and
 * counts only what is theirs.
 */
export function sharedPlace(): Place {
  const { awsEnvironment, controlPlane, network } = inject('surroundings');
  const place = placeIn({ cluster: accessCluster(controlPlane), awsEnvironment, network });
  afterAll(() => place.close());
  return place;
}

/** Surroundings of a file's own. */
export function placeOf({ aws, controlPlane }: Surroundings): Place {
  const { environment: awsEnvironment, network } = aws;
  return placeIn({ cluster: controlPlane, awsEnvironment, network });
}

/** The lines that the shared operator has logged about one object. */
export function linesAbout(namespace: string, name: string): Promise<readonly LogLine[]> {
  return logLinesAbout(inject('surroundings').operatorLog, `${namespace}/${name}`);
}

/** The same once one of them is as wanted: a line comes later than the event or the status of its pass. */
export function linesOnce(
  { namespace }: Pick<MyIngresses, 'namespace'>,
  name: string,
  isIt: (line: LogLine) => boolean,
): Promise<readonly LogLine[]> {
  return until(`a line about ${name}, ${isIt.toString()}`, async () => {
    const lines = await linesAbout(namespace, name);
    return lines.some(isIt) && lines;
  });
}

interface PlaceParts {
  readonly cluster: ClusterAccess;
  readonly awsEnvironment: Readonly<Record<string, string>>;
  readonly network: SeededNetwork;
}

function placeIn({ cluster, awsEnvironment, network }: PlaceParts): Place {
  const api = new KubeApi(cluster);
  const outsider = new Outsider(awsEnvironment);
  return {
    cluster,
    api,
    network,
    standIn: new StandInControl(awsEnvironment['AWS_ENDPOINT_URL'] as string),
    outsider,
    createNamespace: async (prefix) => new MyIngresses(api, await createNamespace(api, prefix)),
    kubectl: (args, input) => kubectlOrThrow(cluster, args, input),
    clusterId: async () => {
      const path = '/api/v1/namespaces/kube-system';
      type Named = { readonly metadata: { readonly uid: string } };
      return (await api.ask<Named>({ method: 'GET', path })).metadata.uid;
    },
    close: () => {
      api.close();
      outsider.close();
    },
  };
}

async function createNamespace(api: KubeApi, prefix: string): Promise<string> {
  type Named = { readonly metadata: { readonly name: string } };
  const body = { metadata: { generateName: `${prefix}-` } };
  const created = await api.ask<Named>({ method: 'POST', path: '/api/v1/namespaces', body });
  return created.metadata.name;
}
