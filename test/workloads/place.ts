import { afterAll, inject } from 'vitest';
import type { CoreStatus } from '../../src/core/controller/status.ts';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { accessCluster, type ClusterAccess } from '../control-plane/cluster-access.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { KubeApi } from '../surroundings/kube-api.ts';
import { logLinesAbout } from '../surroundings/log-lines.ts';
import type { LogLine } from '../surroundings/operator-process.ts';
import { whenServiceAccount } from '../surroundings/service-account.ts';
import { until } from '../surroundings/until.ts';

export interface ToldEvent {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
  readonly action: string;
}

export type Stored = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: CoreStatus & Readonly<Record<string, unknown>>;
};

/** One namespace of a cluster with nodes, as its users have it. */
export interface Written {
  readonly metadata: {
    readonly resourceVersion?: string;
    readonly managedFields: readonly { readonly manager: string; readonly subresource?: string }[];
  };
  readonly spec: unknown;
}

export class Namespace {
  readonly name: string;
  readonly cluster: ClusterAccess;
  readonly #api: KubeApi;
  readonly #operatorLog: string;

  constructor(cluster: ClusterAccess, api: KubeApi, of: { name: string; operatorLog: string }) {
    this.cluster = cluster;
    this.#api = api;
    this.name = of.name;
    this.#operatorLog = of.operatorLog;
  }

  /** kubectl's output in this namespace; throws its words if it fails. */
  kubectl(args: readonly string[], input?: string): Promise<string> {
    return kubectlOrThrow(this.cluster, ['-n', this.name, ...args], input);
  }

  /** A manifest as it is written, or an object. */
  apply(manifest: string | object): Promise<string> {
    const input = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
    return this.kubectl(['apply', '-f', '-'], input);
  }

  /** What `kubectl get` prints, as rows of cells. */
  async table(...what: readonly string[]): Promise<readonly (readonly string[])[]> {
    const lines = (await this.kubectl(['get', ...what])).trimEnd().split('\n');
    return lines.map((line) => line.trimEnd().split(/ {2,}/));
  }

  async get<T extends KubeObject = Stored>(resource: string, name: string): Promise<T> {
    return JSON.parse(await this.kubectl(['get', resource, name, '-o', 'json'])) as T;
  }

  /**
   * An object without its status, which the controllers of Kubernetes go on writing after it is ready
   * (`terminatingReplicas` of a Deployment), and without the version that those writes move. The time of each
   * other manager's last write is in `managedFields`: a write that changes nothing does not move it
   * (https://kubernetes.io/docs/reference/using-api/server-side-apply/#field-management).
   */
  async written(resource: string, name: string): Promise<Written> {
    const get = ['get', resource, name, '-o', 'json', '--show-managed-fields'];
    const { metadata, spec } = JSON.parse(await this.kubectl(get)) as Written;
    const { resourceVersion: _moves, ...rest } = metadata;
    const managedFields = metadata.managedFields.filter((entry) => entry.subresource !== 'status');
    return { metadata: { ...rest, managedFields }, spec };
  }

  async list<T extends KubeObject = Stored>(
    resource: string,
    ...more: readonly string[]
  ): Promise<readonly T[]> {
    const json = await this.kubectl(['get', resource, '-o', 'json', ...more]);
    return (JSON.parse(json) as { readonly items: readonly T[] }).items;
  }

  async exists(resource: string, name: string): Promise<boolean> {
    return (await this.kubectl(['get', resource, name, '--ignore-not-found'])) !== '';
  }

  /** Waits until `isIt` holds, and gives the object then; a miss shows the object. */
  async when<T extends KubeObject = Stored>(
    resource: string,
    name: string,
    isIt: (object: T) => boolean,
  ): Promise<T> {
    let seen: T | undefined;
    const look = async (): Promise<T | false> => {
      seen = await this.get<T>(resource, name);
      return isIt(seen) && seen;
    };
    return until(`${resource}/${name} ${isIt.toString()}`, look).catch((error: Error) => {
      throw new Error(`${error.message}; it is ${JSON.stringify(seen, null, 1)}`, {
        cause: error.cause,
      });
    });
  }

  /** Ready for its newest spec. */
  whenReady(resource: string, name: string): Promise<Stored> {
    return this.when(resource, name, isReady);
  }

  /**
   * Waits until each of these reasons was told about one object, and gives all that were, in the
   * order of the alphabet. Events are written one after the other, later than the status that they
   * tell of: whoever wants to see that there is no further one awaits one that was told later.
   */
  async whenTold(name: string, reasons: readonly string[]): Promise<readonly string[]> {
    let told: readonly string[] = [];
    const look = async (): Promise<boolean> => {
      told = (await this.#events(name)).map(({ reason }) => reason).toSorted();
      return reasons.every((reason) => told.includes(reason));
    };
    await until(`events ${reasons.join(', ')} for ${name}`, look).catch((error: Error) => {
      throw new Error(`${error.message}; there are ${told.join(', ')}`, { cause: error.cause });
    });
    return told;
  }

  event(name: string, reason: string): Promise<ToldEvent> {
    const look = async (): Promise<ToldEvent | undefined> =>
      (await this.#events(name)).find((event) => event.reason === reason);
    return until(`event ${reason} for ${name}`, look);
  }

  /**
   * Waits until the operator has logged such a line about one object, and gives all that it has logged
   * about it by then. The file follows the operator a moment later.
   */
  async whenLogged(name: string, isIt: (line: LogLine) => boolean): Promise<readonly LogLine[]> {
    let lines: readonly LogLine[] = [];
    const look = async (): Promise<boolean> => {
      lines = await logLinesAbout(this.#operatorLog, `${this.name}/${name}`);
      return lines.some(isIt);
    };
    await until(`line ${isIt.toString()} about ${name}`, look).catch((error: Error) => {
      throw new Error(`${error.message}; there are ${JSON.stringify(lines, null, 1)}`, {
        cause: error.cause,
      });
    });
    return lines;
  }

  /**
   * Pauses an object, which is the last that the operator says about it: once that is told or logged,
   * so is all that came before.
   */
  async pause(resource: string, name: string): Promise<void> {
    await this.kubectl(['annotate', resource, name, 'albridge.io/paused=true']);
  }

  /** Allows so many pods, and waits until the API server holds everybody to it. */
  async createQuota(name: string, pods: number): Promise<void> {
    // Secrets serve to see that: a quota whose use is not counted yet refuses in other words.
    await this.kubectl(['create', 'quota', name, `--hard=pods=${pods},count/secrets=0`]);
    const path = `/api/v1/namespaces/${this.name}/secrets?dryRun=All`;
    const body = { metadata: { name: 'probe' } };
    await until(`quota ${name} works`, async () => {
      const answer = await this.#api.send({ method: 'POST', path, body });
      return JSON.stringify(answer.body).includes('exceeded quota');
    });
  }

  /** Events about one object, oldest first. */
  async #events(name: string): Promise<readonly ToldEvent[]> {
    const path = `/apis/events.k8s.io/v1/namespaces/${this.name}/events`;
    type Event = ToldEvent & {
      readonly regarding: { readonly name: string };
      readonly eventTime: string;
      readonly reportingController: string;
    };
    const { items } = await this.#api.ask<{ items: readonly Event[] }>({ method: 'GET', path });
    return items
      .filter(({ regarding, reportingController }) => {
        return regarding.name === name && reportingController.includes('albridge');
      })
      .sort((one, other) => (one.eventTime < other.eventTime ? -1 : 1));
  }
}

/** The line, and the event, with which the operator answers `Namespace.pause`. */
export function tellsOfPause({ reason }: { readonly [field: string]: unknown }): boolean {
  return reason === 'Paused';
}

/**
 * The shared cluster, closed after the tests of the file; whoever uses it breaks nothing and counts
 * only what is theirs.
 */
export class SharedPlace {
  readonly cluster: ClusterAccess = accessCluster(inject('workloads').controlPlane);
  readonly api: KubeApi = new KubeApi(this.cluster);

  constructor() {
    afterAll(() => this.api.close());
  }

  async createNamespace(prefix: string): Promise<Namespace> {
    type Named = { readonly metadata: { readonly name: string } };
    const body = { metadata: { generateName: `${prefix}-` } };
    const created = await this.api.ask<Named>({ method: 'POST', path: '/api/v1/namespaces', body });
    const { name } = created.metadata;
    const { operatorLog } = inject('workloads');
    await whenServiceAccount(this.api, name);
    return new Namespace(this.cluster, this.api, { name, operatorLog });
  }
}

export function conditionOf(
  object: Stored,
  type: string,
): { readonly status: string; readonly reason: string; readonly message: string } | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

function isReady(object: Stored): boolean {
  const { metadata, status } = object;
  return (
    conditionOf(object, 'Ready')?.status === 'True' &&
    status?.observedGeneration === metadata.generation
  );
}
