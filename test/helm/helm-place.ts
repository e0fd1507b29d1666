import { resolve } from 'node:path';
import { DeployPlace } from '../deploy/place.ts';
import type { Pod } from '../deploy/pod-environment.ts';
import { CHART, Helm, ROOT } from './helm.ts';

const VALUES = ['--set', 'image.repository=albridge'];
const WAIT = ['--wait', '--timeout', '5m'];
/** As docs/install.md has it. */
const ALL_OR_NOTHING = ['--rollback-on-failure', '--timeout', '5m'];

interface Listed {
  readonly name: string;
  readonly namespace: string;
}

/** An empty cluster with the namespace of docs/install.md, and the real helm, which puts the chart there. */
export class HelmPlace {
  readonly place: DeployPlace;
  readonly helm: Helm;

  private constructor(place: DeployPlace, helm: Helm) {
    this.place = place;
    this.helm = helm;
  }

  static async start(): Promise<HelmPlace> {
    const place = await DeployPlace.start();
    const helm = await Helm.open(place.cluster.kubeconfigPath);
    await place.kubectl(['apply', '-f', resolve(ROOT, 'deploy/base/namespace.yaml')]);
    return new HelmPlace(place, helm);
  }

  /** `helm install` or `upgrade`, with image and region, until everything is ready. */
  release(
    verb: 'install' | 'upgrade',
    more: readonly string[] = [],
    { chart = CHART, namespace = 'albridge-system', name = 'albridge' } = {},
  ): Promise<string> {
    const region = ['--set', `region=${this.place.aws.environment['AWS_REGION']}`];
    const where = [name, chart, '--namespace', namespace];
    return this.helm.run([verb, ...where, ...VALUES, ...region, ...ALL_OR_NOTHING, ...more]);
  }

  rollback(revision: string): Promise<string> {
    const where = ['albridge', revision, '--namespace', 'albridge-system'];
    return this.helm.run(['rollback', ...where, ...WAIT]);
  }

  uninstall(namespace = 'albridge-system', name = 'albridge'): Promise<string> {
    return this.helm.run(['uninstall', name, '--namespace', namespace, ...WAIT]);
  }

  /** The first of the pods that there are now, at work. Its region comes from the chart. */
  work(namespace?: string): Promise<Pod> {
    const { AWS_REGION: _, ...injected } = this.place.aws.environment;
    return this.workAs(injected, namespace);
  }

  /** The same, with this environment besides that of its container. */
  async workAs(injected: Readonly<Record<string, string>>, namespace?: string): Promise<Pod> {
    const [pod] = (await this.place.pods(namespace)) as readonly [Pod, Pod];
    const { operator } = await this.place.play(pod, { injected });
    await operator.waitForLine((line) => line.msg === 'working', 90_000);
    return pod;
  }

  /** Names of these kinds with albridge in them, in all namespaces. */
  async listLeft(kinds: string): Promise<readonly string[]> {
    const names = await this.place.kubectl(['get', kinds, '--all-namespaces', '-o', 'name']);
    return names
      .split('\n')
      .filter((name) => name.includes('albridge'))
      .toSorted();
  }

  /** Leaves no pod and no release, whatever became of the test. */
  async clear(): Promise<void> {
    await this.place.stopPods();
    const all = await this.helm.run(['list', '--all-namespaces', '--output', 'json']);
    for (const { name, namespace } of JSON.parse(all) as readonly Listed[]) {
      await this.uninstall(namespace, name);
    }
  }

  async stop(): Promise<void> {
    await this.place.stop();
    await this.helm.close();
  }
}
