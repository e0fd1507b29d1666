import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { bundle } from '../../deploy/bundle.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import type { WorkerOptions } from '../control-plane/workers.ts';
import { readImageRun } from '../surroundings/image.ts';
import { KubeApi } from '../surroundings/kube-api.ts';
import { MyIngresses } from '../surroundings/my-ingresses.ts';
import {
  type OperatorProcess,
  type OperatorProcessOptions,
  startOperatorProcess,
} from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { BenchAws } from './bench-aws.ts';
import { ReadyWatch } from './ready-watch.ts';

type Environment = Readonly<Record<string, string>>;

/** A namespace that one run has for itself, and a watch over it. */
export interface Ground {
  readonly namespace: string;
  readonly objects: MyIngresses;
  readonly ready: ReadyWatch;
}

/** The parts that figures are measured on. What is not needed is not started. */
export class BenchPlace {
  readonly #say: (line: string) => void;
  /** In the order in which they were started. */
  readonly #stops: (() => Promise<unknown>)[] = [];
  #bundle: Promise<string> | undefined;
  #real: Promise<RealParts> | undefined;
  #withNodes: Promise<RealParts> | undefined;
  #grounds = 0;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  /** The bundled operator: what node runs. */
  bundle(): Promise<string> {
    this.#bundle ??= this.#build();
    return this.#bundle;
  }

  /** A real control plane, and the AWS stand-in within this process. */
  real(): Promise<RealParts> {
    this.#real ??= this.#startReal('a control plane and the AWS stand-in', {});
    return this.#real;
  }

  /** Another one, whose controllers and nodes run pods, as far as kwok's do. */
  withNodes(): Promise<RealParts> {
    this.#withNodes ??= this.#startReal('a control plane with nodes', {
      controllerManager: true,
      scheduler: true,
      nodes: 4,
    });
    return this.#withNodes;
  }

  /** An empty namespace, and an empty AWS account. */
  async freshGround(): Promise<Ground> {
    const { api, aws, cluster } = await this.real();
    aws.clear();
    const namespace = `bench-${++this.#grounds}`;
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
    await api.ask({ method: 'POST', path: '/api/v1/namespaces', body });
    const ready = await ReadyWatch.open(cluster, namespace);
    this.#stops.push(async () => ready.close());
    return { namespace, objects: new MyIngresses(api, namespace), ready };
  }

  /** The bundled operator on this ground, once it works. */
  async startOperator({ namespace }: Ground, extra: Environment = {}): Promise<OperatorProcess> {
    return this.startOperatorIn(await this.real(), namespace, extra);
  }

  /** The same in one namespace of these parts. */
  async startOperatorIn(
    { operatorEnvironment }: RealParts,
    namespace: string,
    extra: Environment = {},
  ): Promise<OperatorProcess> {
    const operator = await this.launch({
      ...operatorEnvironment,
      ALBRIDGE_NAMESPACES: namespace,
      ALBRIDGE_CLUSTER_ID: 'bench',
      ...extra,
    });
    await operator.waitForLine((line) => line.msg === 'working');
    return operator;
  }

  /** The next start of the bundle is the first one again. */
  async forgetCompiled(): Promise<void> {
    const cache = join(dirname(await this.bundle()), 'compile-cache');
    await rm(cache, { recursive: true, force: true });
  }

  /** The bundled operator as the image runs it, in this environment and no other. */
  async launch(environment: Environment): Promise<OperatorProcess> {
    const image = await readImageRun();
    return this.run({
      entry: await this.bundle(),
      environment: { ...image.environment, ...environment },
      nodeFlags: image.nodeFlags,
    });
  }

  /** Any program that logs lines; it ends with this place. */
  run(options: OperatorProcessOptions): OperatorProcess {
    const process = startOperatorProcess(options);
    this.#stops.push(() => process.stop());
    return process;
  }

  async stop(): Promise<void> {
    for (const stop of this.#stops.splice(0).reverse()) await stop();
  }

  async #build(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'albridge-bundle-'));
    this.#stops.push(() => rm(directory, { recursive: true, force: true }));
    this.#say('bundling the operator');
    return bundle(directory);
  }

  async #startReal(what: string, workers: WorkerOptions): Promise<RealParts> {
    await this.bundle();
    this.#say(`starting ${what}`);
    const aws = await BenchAws.start();
    this.#stops.push(() => aws.standIn.stop());
    const surroundings = await startSurroundings({
      startAws: async () => aws.standIn,
      isDurable: true,
      ...workers,
    });
    this.#stops.push(() => surroundings.stop());
    const { controlPlane: cluster } = surroundings;
    const api = new KubeApi(cluster);
    this.#stops.push(async () => api.close());
    return { surroundings, cluster, api, aws, ...environmentsOf(surroundings) };
  }
}

export interface RealParts {
  readonly surroundings: Surroundings;
  readonly cluster: ControlPlane;
  readonly api: KubeApi;
  readonly aws: BenchAws;
  readonly operatorEnvironment: Environment;
  /** For a process that is not the operator. */
  readonly plainEnvironment: Environment;
}

function environmentsOf({
  controlPlane,
  operatorEnvironment,
}: Surroundings): Pick<RealParts, 'operatorEnvironment' | 'plainEnvironment'> {
  const plainEnvironment = isolatedEnvironment(process.env, controlPlane.directory);
  return { operatorEnvironment, plainEnvironment };
}
