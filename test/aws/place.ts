import type { SeededNetwork } from '../../localstack/seed.ts';
import { environmentFor } from '../surroundings/aws-stand-in.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { KubeApi } from '../surroundings/kube-api.ts';
import { MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { Outsider } from '../surroundings/outsider.ts';
import { startSurroundings } from '../surroundings/surroundings.ts';
import { Relay } from './relay.ts';
import { backendUnderTest } from './under-test.ts';

type Environment = Readonly<Record<string, string>>;

/** A real API server and room for real operators, with a relay on their way to the backend. */
export interface Place {
  readonly relay: Relay;
  /** Reaches the backend past the relay. */
  readonly outsider: Outsider;
  readonly network: SeededNetwork;
  /** Starts an operator; resolves when it works. */
  startOperator(extra?: Environment): Promise<OperatorProcess>;
  readonly api: KubeApi;
  /** A new namespace with nothing in it. */
  createNamespace(prefix: string): Promise<MyIngresses>;
  kubectl(args: readonly string[], input?: string): Promise<string>;
  /** The UID of kube-system. */
  clusterId(): Promise<string>;
  stop(): Promise<void>;
}

interface Named {
  readonly metadata: { readonly name: string; readonly uid: string };
}

/** `target`: another address of the backend than the shared one's. */
export async function startPlace(
  target: Pick<ReturnType<typeof backendUnderTest>, 'url' | 'network'> = backendUnderTest(),
): Promise<Place> {
  const { region } = backendUnderTest();
  const { url, network } = target;
  const relay = new Relay(url);
  await relay.open();
  const environment = environmentFor(relay.url, region);
  const surroundings = await startSurroundings({
    startAws: async () => ({ network, environment, stop: () => relay.stop() }),
  });
  const { controlPlane } = surroundings;
  const api = new KubeApi(controlPlane);
  const outsider = new Outsider(environmentFor(url, region));
  return {
    relay,
    outsider,
    network,
    api,
    startOperator: (extra) => surroundings.startOperator(extra),
    createNamespace: async (prefix) => {
      const body = { metadata: { generateName: `${prefix}-` } };
      const call = { method: 'POST', path: '/api/v1/namespaces', body } as const;
      return new MyIngresses(api, (await api.ask<Named>(call)).metadata.name);
    },
    kubectl: (args, input) => kubectlOrThrow(controlPlane, args, input),
    clusterId: async () => {
      const path = '/api/v1/namespaces/kube-system';
      return (await api.ask<Named>({ method: 'GET', path })).metadata.uid;
    },
    stop: async () => {
      api.close();
      outsider.close();
      await surroundings.stop();
    },
  };
}
