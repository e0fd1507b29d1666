import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import { createEmbeddedAws, type EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import type { MyIngress, MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import { DEFAULT_LIMITS, NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import type { AwsApi } from '../../../src/aws/client/aws-api.ts';
import { sleep } from '../../../src/core/ports/clock.ts';
import { buildResourcePath } from '../../../src/kube/client/resource-path.ts';
import { EmbeddedAwsApi } from '../../fakes/embedded-aws-api.ts';
import { OPERATOR_KEY, shippedPolicy } from '../../surroundings/shipped-policy.ts';
import { seedNetwork } from '../../unit/controllers/my-ingress/network.ts';
import { ApiServerModel, NAMESPACES } from '../api-model/api-server-model.ts';
import { BUILT_IN_KINDS } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { DEFINED_KINDS, definedKind } from '../served-definition.ts';
import { SimClock } from '../sim-clock.ts';
import { FaultBoard } from '../world/fault-board.ts';
import { createKubeNetwork } from '../world/kube-network.ts';
import { Life } from '../world/life.ts';
import { OperatorProcess } from '../world/replica.ts';
import { SimLogger } from '../world/sim-logger.ts';
import { isOperator } from '../world/stage.ts';

export const MINUTE_MS = 60_000;
const MY_INGRESSES = definedKind('MyIngress');
const CLUSTER = 'cluster-1';
const NAMESPACE_COUNT = 20;
/** One in so many has attributes, which AWS tells of one balancer at a time. */
export const WITH_ATTRIBUTES = 10;
const SCAN_INTERVAL_MS = 5 * MINUTE_MS;
const CONCURRENCY = 16;

/**
 * An account with thousands of balancers, the objects that they stand for, and one process of the
 * operator between them at AWS's buckets, under virtual time: no fault but those that a test asks for.
 */
export class LargeAccount {
  readonly clock = new SimClock(7);
  readonly aws: EmbeddedAws;
  /** Objects that nobody has touched and that were said to be anything but Ready, with what was said. */
  readonly doubted: string[] = [];
  readonly #model: ApiServerModel;
  readonly #names: readonly string[];
  readonly #touched = new Set<string>();
  readonly #meddledAtMs = new Map<string, number>();
  #process: OperatorProcess | undefined;
  #lives = 0;
  #isFilled = false;

  constructor(count: number) {
    const { clock } = this;
    this.#names = Array.from({ length: count }, (_, i) => `lb-${i}`);
    const kinds = [...DEFINED_KINDS, ...BUILT_IN_KINDS];
    this.#model = new ApiServerModel({ clock, random: seededRandom(8), kinds });
    const settings = { budget: 'off', provisioningMs: 0, quota: 2 * count } as const;
    this.aws = createEmbeddedAws({ clock, random: seededRandom(9), settings });
    seedNetwork(this.aws);
    this.aws.control.setPolicy(OPERATOR_KEY, shippedPolicy(CLUSTER));
    for (let i = 0; i < NAMESPACE_COUNT; i++) {
      this.#ask('POST', buildResourcePath(NAMESPACES, {}), {
        ...{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: `team-${i}` } },
      });
    }
    this.#model.table.onCommit((commit) => this.#onCommit(commit));
  }

  /** Posts all objects and has them made, without limits; from then on AWS keeps its buckets. */
  async fill(): Promise<void> {
    for (const [index, name] of this.#names.entries()) {
      const attributes = { 'idle_timeout.timeout_seconds': '120' };
      this.post(name, index % WITH_ATTRIBUTES === 0 ? { attributes } : {});
    }
    this.start();
    await this.#until(() => this.#names.every((name) => this.isReady(name)), 60 * MINUTE_MS);
    this.kill();
    await this.pass(MINUTE_MS);
    this.#touched.clear();
    this.#isFilled = true;
    this.aws.control.changeSettings({ budget: 'aws' });
    this.aws.control.clearCalls();
  }

  start(): void {
    const life = new Life({
      name: `replica-0_${++this.#lives}`,
      world: this.clock,
      seed: this.#lives,
      wallSkewMs: 0,
    });
    const { clock: world } = this;
    const board = new FaultBoard([]);
    const ports = {
      life,
      log: new SimLogger(() => {}),
      onRefused: () => {},
      transport: createKubeNetwork({
        ...{ model: this.#model, world, board, life, replica: 0 },
        onSent: () => {},
        onCrash: () => {},
        watches: new Set(),
      }),
      api: () => this.#apiOf(life),
    };
    const options = {
      clusterId: CLUSTER,
      budget: this.#isFilled ? DEFAULT_LIMITS : NO_LIMITS,
      sweepIntervalMs: SCAN_INTERVAL_MS,
      concurrency: CONCURRENCY,
      election: false,
      readinessGates: false,
      mode: 'reconcile' as const,
    };
    this.#process = new OperatorProcess(ports, options, () => {});
  }

  kill(): void {
    this.#process?.life.die();
  }

  pass(ms: number): Promise<void> {
    return this.clock.runUntil(this.clock.monotonicMs() + ms);
  }

  /** How long it takes until `isSo`, in virtual ms. */
  async msUntil(isSo: () => boolean, limitMs: number): Promise<number> {
    const fromMs = this.clock.monotonicMs();
    await this.#until(isSo, limitMs);
    return this.clock.monotonicMs() - fromMs;
  }

  /** AWS answers nothing but 503. */
  breakFor(ms: number): void {
    const effect = {
      kind: 'error',
      code: 'ServiceUnavailable',
      status: 503,
      message: 'x',
    } as const;
    this.aws.control.addFault({ operation: '*', effect, forMs: ms });
  }

  post(name: string, spec: Partial<MyIngressSpec> = {}): void {
    this.#touched.add(name);
    const { namespace } = at(name);
    this.#ask('POST', buildResourcePath(MY_INGRESSES, { namespace }), {
      apiVersion: 'demo.rtfm.co.ua/v1',
      kind: 'MyIngress',
      metadata: { name, namespace },
      spec: { subnets: ['subnet-a', 'subnet-b'], ...spec },
    });
  }

  edit(name: string, spec: Partial<MyIngressSpec>): void {
    this.#touched.add(name);
    this.#ask('PATCH', buildResourcePath(MY_INGRESSES, at(name)), { spec });
  }

  /** Somebody takes the tag off that albridge puts back; what his calls cost is not the question. */
  meddle(name: string): void {
    this.#touched.add(name);
    const input = { ResourceArns: [this.#arnOf(name)], TagKeys: ['albridge.io/managed-by'] };
    this.aws.control.changeSettings({ budget: 'off' });
    this.aws.handle('RemoveTags', input, { userAgent: 'somebody' });
    this.aws.control.changeSettings({ budget: 'aws' });
    this.#meddledAtMs.set(name, this.clock.now());
  }

  /** Of those that somebody has meddled with. */
  areRepaired(names: readonly string[]): boolean {
    const repairs = this.aws.control.calls('AddTags').filter(({ outcome }) => outcome === 'ok');
    return names.every((name) =>
      repairs.some(
        ({ at: atMs, input }) =>
          String(input['ResourceArns']) === this.#arnOf(name) &&
          atMs >= (this.#meddledAtMs.get(name) ?? 0),
      ),
    );
  }

  isReady(name: string): boolean {
    const { metadata, status } = this.#object(name);
    return (
      status?.observedGeneration === metadata.generation &&
      (status?.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True')
    );
  }

  /** The operator's calls since `fromMs` (of the world's clock), oldest first. */
  callsSince(fromMs: number): readonly Call[] {
    return this.aws.control
      .calls()
      .filter(({ at: atMs, userAgent }) => userAgent === undefined && atMs >= fromMs);
  }

  #apiOf(life: Life): AwsApi {
    const api = new EmbeddedAwsApi(this.aws, this.clock);
    const signal = new AbortController().signal;
    const latency = (): Promise<void> => sleep(life.clock, 20 + 60 * life.random(), signal);
    return {
      send: async (operation, input, options) => {
        await latency();
        try {
          return await api.send(operation, input, { onWrite: options?.onWrite });
        } finally {
          await latency();
        }
      },
    };
  }

  #onCommit({ kind, object, by }: Commit): void {
    if (kind !== MY_INGRESSES || !isOperator(by)) return;
    const { metadata, status } = object as unknown as MyIngress;
    const conditions = status?.conditions ?? [];
    const isFine = conditions.every(({ type, status: is }) => type === 'Ready' && is === 'True');
    if (isFine || this.#touched.has(metadata.name)) return;
    this.doubted.push(`${metadata.name}: ${conditions.map(({ message }) => message).join('; ')}`);
  }

  #object(name: string): MyIngress {
    const { namespace } = at(name);
    return this.#model.table.get(MY_INGRESSES, `${namespace}/${name}`) as unknown as MyIngress;
  }

  #arnOf(name: string): string {
    return this.#object(name).status?.alb?.arn ?? '';
  }

  async #until(isSo: () => boolean, limitMs: number): Promise<void> {
    const untilMs = this.clock.monotonicMs() + limitMs;
    while (!isSo()) {
      if (this.clock.monotonicMs() >= untilMs) throw new Error(`not so after ${limitMs / 1000} s`);
      await this.pass(200);
    }
  }

  #ask(method: string, path: string, body: object): void {
    const headers = { 'content-type': 'application/merge-patch+json' };
    const request = { method, path, headers, body: JSON.stringify(body) };
    const answer = this.#model.answer(request, 'people');
    if (answer.kind === 'watch' || answer.status >= 300) throw new Error(JSON.stringify(answer));
  }
}

function at(name: string): { readonly namespace: string; readonly name: string } {
  return { namespace: `team-${Number(name.split('-')[1]) % NAMESPACE_COUNT}`, name };
}
