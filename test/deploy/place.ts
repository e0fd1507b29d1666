import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { inject } from 'vitest';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../control-plane/control-plane.ts';
import { type AwsStandIn, startAwsStandIn } from '../surroundings/aws-stand-in.ts';
import { kubectlOrThrow, whenEstablished } from '../surroundings/deploy-base.ts';
import { KubeApi } from '../surroundings/kube-api.ts';
import { limitOperator, readClusterId } from '../surroundings/limited-operator.ts';
import { MyIngresses } from '../surroundings/my-ingresses.ts';
import { Outsider } from '../surroundings/outsider.ts';
import { whenServiceAccount } from '../surroundings/service-account.ts';
import { StandInControl } from '../surroundings/stand-in-control.ts';
import { until } from '../surroundings/until.ts';
import { type PlayedPod, type PlayOptions, playPod } from './played-pod.ts';
import type { Pod } from './pod-environment.ts';

type Strings = Readonly<Record<string, string>>;

export const ROOT = resolve(import.meta.dirname, '../..');

/** An empty cluster with nodes, an account, and an image to run in it. */
export class DeployPlace {
  readonly cluster: ControlPlane;
  readonly aws: AwsStandIn;
  readonly api: KubeApi;
  readonly standIn: StandInControl;
  readonly outsider: Outsider;
  readonly #played: PlayedPod[] = [];
  readonly #directories: string[] = [];

  private constructor(cluster: ControlPlane, aws: AwsStandIn) {
    this.cluster = cluster;
    this.aws = aws;
    this.api = new KubeApi(cluster);
    this.standIn = new StandInControl(aws.environment['AWS_ENDPOINT_URL'] as string);
    this.outsider = new Outsider(aws.environment);
  }

  static async start(
    apiServerArgs: readonly string[] = [],
    options: Pick<ControlPlaneOptions, 'apiServer' | 'workerArgs'> = {},
  ): Promise<DeployPlace> {
    const workers = { controllerManager: true, scheduler: true, nodes: 2 };
    const cluster = await startControlPlane({ ...workers, ...options, apiServerArgs });
    try {
      const aws = await startAwsStandIn({ provisioningMs: 300 });
      await limitOperator(aws.environment, await readClusterId(cluster));
      return new DeployPlace(cluster, aws);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  kubectl(args: readonly string[], input?: string): Promise<string> {
    return kubectlOrThrow(this.cluster, args, input);
  }

  /** Applies a kustomization of the repository, and waits until its CRDs are served. */
  async apply(kustomization: string): Promise<void> {
    await this.kubectl(['apply', '--server-side', '-k', resolve(ROOT, kustomization)]);
    await this.established();
  }

  established(): Promise<void> {
    return whenEstablished(this.cluster);
  }

  /** A kustomization of its own over one of the repository, as a user would write it; its directory. */
  async kustomize(base: string, more: string): Promise<string> {
    const directory = await this.openDirectory();
    const resource = relative(directory, resolve(ROOT, base));
    const head = 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n';
    const text = `${head}resources:\n  - ${resource}\n${more}`;
    await writeFile(join(directory, 'kustomization.yaml'), text);
    return directory;
  }

  /** A new directory in which everybody may read, removed in the end. */
  async openDirectory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'albridge-open-'));
    this.#directories.push(directory);
    await chmod(directory, 0o755);
    return directory;
  }

  /**
   * Writes a file where everybody may read, as long as the place stands: a kubelet gives projected
   * tokens to the group of the pod.
   */
  async openFile(name: string, text: string): Promise<string> {
    const path = join(await this.openDirectory(), name);
    await writeFile(path, text);
    return path;
  }

  /** The pods that the Deployment has, once all of them run. */
  async pods(namespace = 'albridge-system'): Promise<readonly Pod[]> {
    const rollout = ['rollout', 'status', 'deployment/albridge', '--timeout=120s'];
    await this.kubectl(['-n', namespace, ...rollout]);
    return until('two pods', async () => {
      const selector = 'app.kubernetes.io/name=albridge';
      const list = ['-n', namespace, 'get', 'pods', '-l', selector, '-o', 'json'];
      const { items } = JSON.parse(await this.kubectl(list)) as { readonly items: readonly Pod[] };
      const staying = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      return staying.length === 2 && staying;
    });
  }

  /** Runs one of the Deployment's pods, with nothing of AWS but what it is given. */
  async play(pod: Pod, options: Partial<PlayOptions> = {}): Promise<PlayedPod> {
    const played = await playPod(this.cluster, pod, { image: inject('image'), ...options });
    this.#played.push(played);
    return played;
  }

  /**
   * Runs one of the Deployment's pods against the stand-in for AWS until it works; `image` is
   * another than the one of now.
   */
  async work(pod: Pod, injected: Strings = {}, image = inject('image')): Promise<PlayedPod> {
    const given = { ...this.aws.environment, ...injected };
    const played = await this.play(pod, { image, injected: given });
    await played.operator.waitForLine((line) => line.msg === 'working', 90_000);
    return played;
  }

  /** Installs the base and has the first of its pods work. */
  async install(injected: Strings = {}): Promise<PlayedPod> {
    await this.apply('deploy');
    const [pod] = await this.pods();
    return this.work(pod as Pod, injected);
  }

  async createNamespace(name: string): Promise<MyIngresses> {
    await this.kubectl(['create', 'namespace', name]);
    await whenServiceAccount(this.api, name);
    return this.myIngresses(name);
  }

  myIngresses(namespace: string): MyIngresses {
    return new MyIngresses(this.api, namespace);
  }

  /** Of the logs of all pods that run. */
  lastLines(count: number): readonly string[] {
    const lines = this.#played.flatMap(({ operator }) => operator.log.slice(-count));
    return lines.map((line) => JSON.stringify(line));
  }

  async stopPods(): Promise<void> {
    await Promise.all(this.#played.splice(0).map((played) => played.stop()));
  }

  async stop(): Promise<void> {
    await this.stopPods();
    this.api.close();
    this.outsider.close();
    await Promise.all([this.cluster.stop(), this.aws.stop()]);
    for (const directory of this.#directories) await rm(directory, { recursive: true });
  }
}
