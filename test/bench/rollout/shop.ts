import type { ListenerAddress } from '../../../localstack/embedded/data-plane/data-plane.ts';
import { READINESS_GATE } from '../../../src/pods/pod.ts';
import { kubectlOrThrow } from '../../surroundings/deploy-base.ts';
import { type GivenSpec, MyIngresses } from '../../surroundings/my-ingresses.ts';
import { StandInControl } from '../../surroundings/stand-in-control.ts';
import { until } from '../../surroundings/until.ts';
import type { RealParts } from '../bench-place.ts';
import { PORTS, SLOW } from './served-pods.ts';

export const REPLICAS = 20;
/** As docs/zero-downtime.md has it. */
export const PRE_STOP_SECONDS = 20;
const LONGEST_MS = 300_000;
const NAME = 'shop';
/** Paths with a rule of their own; one request of twenty takes its time. */
const RULES = Array.from({ length: 5 }, (_, index) => `/rule-${index}`);
export const PATHS = Array.from({ length: 20 }, (_, index) => {
  return `${RULES[index % RULES.length]}${index === 0 ? SLOW : ''}`;
});

/** How an application is kept from losing requests, or not. */
export interface Care {
  readonly isGated: boolean;
  readonly hasPreStop: boolean;
  /** Old pods are deleted before there are new ones. */
  readonly isAllAtOnce?: boolean;
}

/** An application of twenty pods in a namespace of its own, behind a load balancer. */
export class Shop {
  readonly objects: MyIngresses;
  readonly #parts: RealParts;
  readonly #care: Care;
  readonly #standIn: StandInControl;
  #release = 0;

  constructor(parts: RealParts, namespace: string, care: Care) {
    this.#parts = parts;
    this.#care = care;
    this.objects = new MyIngresses(parts.api, namespace);
    this.#standIn = new StandInControl(parts.aws.standIn.environment['AWS_ENDPOINT_URL'] ?? '');
  }

  /** Returns when every pod gets requests. */
  async open(): Promise<void> {
    if (this.#care.isGated) await this.#enableGates();
    await this.#apply(SERVICE);
    await this.release();
    await this.objects.create(NAME, this.spec());
    await this.#areHealthy();
    await this.isRolledOut();
  }

  async findListener(): Promise<ListenerAddress> {
    const { status } = await this.objects.get(NAME);
    return until('its listener is open', async () => {
      const listeners = await this.#standIn.listeners();
      return listeners.find(({ dnsName }) => dnsName === status?.alb?.dns);
    });
  }

  spec(changes: GivenSpec = {}): GivenSpec {
    return {
      subnets: this.#parts.aws.standIn.network.articleSubnets,
      backends: [describeBackend('http')],
      rules: listRules(RULES),
      defaultAction: { fixedResponse: { statusCode: 404 } },
      ...changes,
    };
  }

  /** Begins to replace every pod. */
  async release(): Promise<void> {
    this.#release++;
    await this.#apply(describeDeployment(this.#care, String(this.#release)));
  }

  async scale(replicas: number): Promise<void> {
    await this.kubectl(['scale', `deployment/${NAME}`, `--replicas=${replicas}`]);
  }

  edit(changes: GivenSpec): Promise<unknown> {
    return this.objects.edit(NAME, { ...this.spec(changes) });
  }

  /** Returns when the newest release alone is left, and Ready. */
  async isRolledOut(replicas = REPLICAS): Promise<void> {
    const status = ['rollout', 'status', `deployment/${NAME}`, `--timeout=${LONGEST_MS / 1000}s`];
    await this.kubectl(status);
    const count = async (): Promise<boolean> => {
      const names = await this.kubectl(['get', 'pods', '-o', 'name']);
      return names.trim().split('\n').length === replicas;
    };
    await until(`${replicas} pods are left`, count, LONGEST_MS);
  }

  /** Returns when the spec is executed and everything that it replaces is gone. */
  async isSettled(): Promise<void> {
    await this.objects.whenReady(NAME, LONGEST_MS);
    const hasOneGroup = async (): Promise<boolean> => {
      const { targetGroups } = await this.#standIn.state();
      const { namespace } = this.objects;
      return (
        targetGroups.filter((one) => JSON.stringify(one).includes(`"${namespace}"`)).length === 1
      );
    };
    await until('the old target group is gone', hasOneGroup, LONGEST_MS);
  }

  kubectl(args: readonly string[], input?: string): Promise<string> {
    return kubectlOrThrow(this.#parts.cluster, ['-n', this.objects.namespace, ...args], input);
  }

  async #areHealthy(): Promise<void> {
    await this.objects.whenReady(NAME, LONGEST_MS);
    await this.objects.when(
      NAME,
      ({ status }) => status?.backends?.[0]?.healthy === REPLICAS,
      LONGEST_MS,
    );
  }

  async #enableGates(): Promise<void> {
    const label = 'albridge.io/readiness-gates=enabled';
    await this.kubectl(['label', 'namespace', this.objects.namespace, label]);
    const dryRun = ['run', 'probe', '--image=shop', '--dry-run=server', '-o', 'json'];
    await until('new pods get the gate', async () =>
      (await this.kubectl(dryRun).catch(() => '')).includes(READINESS_GATE),
    );
  }

  async #apply(object: object): Promise<void> {
    await this.kubectl(['apply', '-f', '-'], JSON.stringify(object));
  }
}

export function describeBackend(
  port: keyof typeof PORTS,
): NonNullable<GivenSpec['backends']>[number] {
  return {
    ...{ name: NAME, service: { name: NAME, port } },
    ...(port === 'https' && { protocol: 'HTTPS' }),
    healthCheck: { intervalSeconds: 10, timeoutSeconds: 5, healthyThreshold: 2 },
    attributes: { 'deregistration_delay.timeout_seconds': '30' },
  };
}

export function listRules(paths: readonly string[]): NonNullable<GivenSpec['rules']> {
  return paths.map((path) => ({
    ...{ name: path.slice(1), paths: [path] },
    forward: [{ backend: NAME }],
  }));
}

export const REVERSED = RULES.toReversed();
export const ADDED = ['/rule-new', ...RULES];

const SERVICE = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: NAME } },
  spec: {
    selector: { app: NAME },
    ports: [
      { name: 'http', port: 80, targetPort: PORTS.http },
      { name: 'https', port: 443, targetPort: PORTS.https },
    ],
  },
};

function describeDeployment(care: Care, release: string): object {
  const sleep = { seconds: PRE_STOP_SECONDS };
  const container = {
    ...{ name: 'app', image: 'shop', env: [{ name: 'RELEASE', value: release }] },
    ports: Object.entries(PORTS).map(([name, containerPort]) => ({ name, containerPort })),
    ...(care.hasPreStop && { lifecycle: { preStop: { sleep } } }),
  };
  const rollingUpdate = care.isAllAtOnce
    ? { maxSurge: 0, maxUnavailable: '100%' }
    : { maxSurge: '50%', maxUnavailable: 0 };
  return {
    ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: NAME } },
    spec: {
      ...{ replicas: REPLICAS, strategy: { rollingUpdate } },
      selector: { matchLabels: { app: NAME } },
      template: {
        metadata: { labels: { app: NAME } },
        spec: { terminationGracePeriodSeconds: 60, containers: [container] },
      },
    },
  };
}
