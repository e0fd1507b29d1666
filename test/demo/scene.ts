import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ListenerAddress } from '../../localstack/embedded/data-plane/data-plane.ts';
import type { CoreStatus } from '../../src/core/controller/status.ts';
import type { KubeObject } from '../../src/core/objects/kube-object.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import type { Outsider } from '../surroundings/outsider.ts';
import type { StandInControl } from '../surroundings/stand-in-control.ts';
import type { Surroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import type { Stage } from './stage.ts';

/** What each scene plays with. */
export interface Scene {
  readonly stage: Stage;
  readonly surroundings: Surroundings;
  readonly outsider: Outsider;
  /** Balancers are provisioning for a while, as in AWS; in LocalStack they are active at once. */
  readonly takesTime: boolean;
}

/** What it takes to send requests. */
export interface TrafficScene extends Scene {
  readonly standIn: StandInControl;
}

export type Stored = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: CoreStatus & Readonly<Record<string, unknown>>;
};

export const ROOT = resolve(import.meta.dirname, '../..');

/** What a person would type, and what it printed; throws kubectl's own words if it fails. */
export function kubectl({ surroundings }: Scene, args: readonly string[]): Promise<string> {
  return kubectlOrThrow(surroundings.controlPlane, args);
}

/** Applies files of examples/ as they are shipped, all at once, wherever the demo was started. */
export async function applyExamples(scene: Scene, names: readonly string[]): Promise<void> {
  const files = names.map((name) => readFile(resolve(ROOT, 'examples', name), 'utf8'));
  const manifests = (await Promise.all(files)).join('\n---\n');
  await kubectlOrThrow(scene.surroundings.controlPlane, ['apply', '-f', '-'], manifests);
}

/** Runs a command and shows it with what it printed. */
export async function show(scene: Scene, args: readonly string[]): Promise<string> {
  const printed = await kubectl(scene, args);
  scene.stage.show(`kubectl ${args.join(' ')}`, printed);
  return printed;
}

/** The same with an output that comes later than what the last step waited for, as events do. */
export async function showOnce(scene: Scene, args: readonly string[], told: RegExp): Promise<void> {
  const printed = await until(`${told} in kubectl ${args.join(' ')}`, async () => {
    const output = await kubectl(scene, args);
    return told.test(output) && output;
  });
  scene.stage.show(`kubectl ${args.join(' ')}`, printed);
}

export async function listed(scene: Scene, args: readonly string[]): Promise<readonly Stored[]> {
  const json = await kubectl(scene, ['get', ...args, '-o', 'json']);
  return (JSON.parse(json) as { readonly items: readonly Stored[] }).items;
}

export async function read(
  scene: Scene,
  reference: string,
  namespace = 'default',
): Promise<Stored> {
  const get = ['get', reference, '-n', namespace, '-o', 'json'];
  return JSON.parse(await kubectl(scene, get)) as Stored;
}

/** Waits until the object is READY=True for its newest spec, and `isIt` holds. */
export function whenReady(
  scene: Scene,
  reference: string,
  isIt: (object: Stored) => boolean = () => true,
): Promise<Stored> {
  const look = async (): Promise<Stored | false> => {
    const object = await read(scene, reference);
    return isReady(object) && isIt(object) && object;
  };
  return until(`${reference} is ready, ${isIt.toString()}`, look);
}

function isReady({ metadata, status }: Stored): boolean {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' && status?.observedGeneration === metadata.generation;
}

/** The one of the balancer with this status, on this port. */
export async function findListener(
  { standIn }: TrafficScene,
  status: Stored['status'],
  port = 80,
): Promise<ListenerAddress> {
  const { dns } = (status?.['alb'] ?? {}) as { readonly dns?: string };
  const all = await standIn.listeners();
  const listener = all.find((one) => one.dnsName === dns && one.port === port);
  if (listener === undefined) throw new Error(`nothing listens for ${dns} on port ${port}`);
  return listener;
}
