import { inject } from 'vitest';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import type { MyIngress } from '../../src/apis/my-ingress.ts';
import type { KubeApi } from '../surroundings/kube-api.ts';
import { type Answer, askListener } from '../surroundings/listener-client.ts';
import { type GivenSpec, MyIngresses } from '../surroundings/my-ingresses.ts';
import { ANSWERS } from '../surroundings/pods/pod.ts';
import { StandInControl, type StandInState } from '../surroundings/stand-in-control.ts';
import { until } from '../surroundings/until.ts';
import type { Namespace, SharedPlace } from './place.ts';

const OBJECT = 'shop';

export interface Application {
  readonly replicas?: number;
  /** See ANSWERS. */
  readonly answers?: string;
  /** Of the Service; default the port of the containers. */
  readonly targetPort?: number | string;
}

/** A namespace with applications and one MyIngress in front of them, called shop. */
export class Shop {
  readonly namespace: Namespace;
  readonly objects: MyIngresses;
  readonly standIn: StandInControl;
  readonly api: KubeApi;

  private constructor(place: SharedPlace, namespace: Namespace) {
    const endpoint = inject('workloads').awsEnvironment['AWS_ENDPOINT_URL'] as string;
    this.namespace = namespace;
    this.api = place.api;
    this.objects = new MyIngresses(place.api, namespace.name);
    this.standIn = new StandInControl(endpoint);
  }

  static async open(place: SharedPlace, prefix: string): Promise<Shop> {
    return new Shop(place, await place.createNamespace(prefix));
  }

  /** Deployments and Services, each called by its name, applied at once. */
  async run(applications: Readonly<Record<string, Application>>): Promise<void> {
    const items = Object.entries(applications).flatMap(([name, one]) => manifestsOf(name, one));
    await this.namespace.apply({ apiVersion: 'v1', kind: 'List', items });
  }

  create(spec: GivenSpec): Promise<MyIngress> {
    return this.objects.create(OBJECT, {
      subnets: inject('workloads').network.articleSubnets,
      ...spec,
    });
  }

  get(): Promise<MyIngress> {
    return this.objects.get(OBJECT);
  }

  edit(spec: Readonly<Record<string, unknown>>): Promise<MyIngress> {
    return this.objects.edit(OBJECT, spec);
  }

  when(isIt: (object: MyIngress) => boolean): Promise<MyIngress> {
    return this.objects.when(OBJECT, isIt);
  }

  whenReady(): Promise<MyIngress> {
    return this.objects.whenReady(OBJECT);
  }

  /** Ready, and AWS reports every target healthy. */
  async whenHealthy(): Promise<MyIngress> {
    await this.whenReady();
    return this.when(({ status }) =>
      Boolean(
        status.conditions?.some((one) => one.type === 'TargetsHealthy' && one.status === 'True'),
      ),
    );
  }

  /** Waits for the listener on this port. */
  async listener(port = 80): Promise<ListenerAddress> {
    return until(`a listener on port ${port}`, async () => {
      const { dns } = (await this.get()).status?.alb ?? {};
      const listeners = await this.standIn.listeners();
      return listeners.find((one) => one.dnsName === dns && one.port === port);
    });
  }

  async ask(path: string, port?: number): Promise<Answer> {
    return askListener(await this.listener(port), { path });
  }

  /** What carries the ownership tags of this namespace. */
  async left(): Promise<readonly Tagged[]> {
    const { name } = this.namespace;
    return listTagged(await this.standIn.state()).filter(
      ({ tags }) => tags['albridge.io/namespace'] === name,
    );
  }

  /** Every state of the object that the API server has stored since this one. */
  async historySince({ metadata }: MyIngress): Promise<readonly MyIngress[]> {
    const since = `resourceVersion=${metadata.resourceVersion ?? ''}&timeoutSeconds=1`;
    const path = `/apis/demo.rtfm.co.ua/v1/namespaces/${this.namespace.name}/myingresses?watch=1&${since}`;
    type Line = { readonly object: MyIngress };
    // Several lines are no JSON, and come as text.
    const body = await this.api.ask<Line | { readonly message: string }>({ method: 'GET', path });
    if ('object' in body) return [body.object];
    const lines = body.message.split('\n').filter((line) => line !== '');
    return lines.map((line) => (JSON.parse(line) as Line).object);
  }
}

interface Tagged {
  readonly tags: Readonly<Record<string, string>>;
}

function listTagged(state: StandInState): readonly Tagged[] {
  const { listeners, loadBalancers, securityGroups, targetGroups } = state;
  const rules = listeners.flatMap((listener) => listener.rules);
  const groups = securityGroups as readonly Tagged[];
  return [...loadBalancers, ...listeners, ...rules, ...targetGroups, ...groups];
}

function manifestsOf(
  name: string,
  { replicas = 1, answers, targetPort = 'http' }: Application,
): readonly object[] {
  const labels = { app: name };
  const annotations = answers === undefined ? {} : { [ANSWERS]: answers };
  const ports = [{ name: 'http', containerPort: 80 }];
  const containers = [{ name: 'app', image: 'traefik/whoami:v1.10.1', ports }];
  return [
    {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
      spec: {
        ...{ replicas, selector: { matchLabels: labels } },
        template: { metadata: { labels, annotations }, spec: { containers } },
      },
    },
    {
      ...{ apiVersion: 'v1', kind: 'Service', metadata: { name } },
      spec: { selector: labels, ports: [{ name: 'http', port: 80, targetPort }] },
    },
  ];
}
