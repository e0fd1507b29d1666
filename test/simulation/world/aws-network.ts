import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import type { FaultEffect } from '../../../localstack/embedded/faults/fault-script.ts';
import type { ApiSendOptions, AwsApi, AwsOperation } from '../../../src/aws/client/aws-api.ts';
import { getTraits, isWrite } from '../../../src/aws/client/operations.ts';
import { type Clock, DeadlineExceeded } from '../../../src/core/ports/clock.ts';
import { assertLeader, type Leadership } from '../../../src/core/ports/leadership.ts';
import { EmbeddedAwsApi } from '../../fakes/embedded-aws-api.ts';
import type { Fate, FaultBoard } from './fault-board.ts';
import type { Life } from './life.ts';
import { awsLabel, type Label } from './operations.ts';

/** One call as those see it who watch over the simulation. */
export interface AwsCallSeen {
  readonly life: Life;
  readonly label: Label;
  readonly operation: AwsOperation;
  readonly input: object;
}

export interface AwsWitness {
  /** The process has asked for it; it may still wait for its credentials. */
  asked(call: AwsCallSeen): void;
  sent(call: AwsCallSeen): void;
  /** Runs `carryOut`, which changes the world at once. */
  during<T>(call: AwsCallSeen, carryOut: () => T): T;
  /** The process hears of it now; `error` is what the SDK would throw. */
  answered(call: AwsCallSeen, error: unknown): void;
}

/** What stands between one process and AWS. */
export interface AwsNetworkParts {
  readonly aws: EmbeddedAws;
  readonly world: Clock;
  readonly board: FaultBoard;
  readonly life: Life;
  readonly leadership: Leadership;
  readonly witness: AwsWitness;
  readonly onCrash: (restartMs: number) => void;
}

/** As in the adapter over the SDK: the limit of a whole call. */
const CALL_LIMIT_MS = 10_000;
/** How long the tags of a deleted balancer stay readable, where they do. */
const TAGS_STAY_MS = 55_000;

/**
 * AwsApi with latency, losses and deaths, over the model. Like the adapter over the SDK it may spend
 * time on credentials, and asks for leadership again at the last moment.
 */
export function createAwsNetwork(parts: AwsNetworkParts): AwsApi {
  return {
    send: (operation, input, options = {}) =>
      new Promise((resolve, reject) => {
        const call = { life: parts.life, label: awsLabel(operation, input), operation, input };
        const caller = { resolve: resolve as (output: unknown) => void, reject };
        new Call(parts, call, { caller, ...options }).begin();
      }),
  };
}

interface Caller {
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Outcome =
  | { readonly kind: 'output'; readonly output: unknown }
  | { readonly kind: 'error'; readonly error: unknown };

class Call {
  readonly #parts: AwsNetworkParts;
  readonly #call: AwsCallSeen;
  readonly #caller: Caller;
  readonly #signal: AbortSignal | undefined;
  readonly #onWrite: (() => void) | undefined;
  #fate: Fate = {};
  #isOver = false;
  #cancelLimit = (): void => {};

  constructor(
    parts: AwsNetworkParts,
    call: AwsCallSeen,
    { caller, signal, onWrite }: ApiSendOptions & { readonly caller: Caller },
  ) {
    this.#parts = parts;
    this.#call = call;
    this.#caller = caller;
    this.#signal = signal;
    this.#onWrite = onWrite;
  }

  begin(): void {
    const { life, board, world } = this.#parts;
    if (life.isDead) return;
    const signal = this.#signal;
    if (signal?.aborted) return this.#settle(failed(signal.reason));
    this.#parts.witness.asked(this.#call);
    signal?.addEventListener('abort', () => this.#settle(failed(signal.reason)), { once: true });
    this.#cancelLimit = life.clock.setTimer(CALL_LIMIT_MS, () => {
      this.#settle(failed(new DeadlineExceeded(CALL_LIMIT_MS)));
    });
    const isSlow = !board.isLifted && life.random() < 0.01;
    if (isSlow) board.strikes('slow credentials', world.monotonicMs());
    if (isSlow) life.clock.setTimer(life.random() * 3000, () => this.#send());
    else this.#send();
  }

  #send(): void {
    const { life, world, board, leadership, witness } = this.#parts;
    if (life.isDead || this.#isOver) return;
    try {
      if (isWrite(this.#call.operation)) assertLeader(leadership);
    } catch (error) {
      return this.#settle(failed(error));
    }
    this.#fate = board.fateOf(this.#call.label, world.monotonicMs());
    if (this.#fate.crash?.phase === 'before') return this.#die();
    this.#onWrite?.();
    witness.sent(this.#call);
    const { freezeMs } = this.#fate;
    if (freezeMs !== undefined) {
      life.stop();
      world.setTimer(freezeMs, () => life.goOn());
    }
    world.setTimer(this.#latencyMs(), () => this.#arrive());
  }

  #arrive(): void {
    const { effect } = this.#fate;
    if (effect === 'unanswered') return this.#dieAnyway();
    if (effect === 'twice') void this.#carryOut(undefined);
    const fault = effectOf(effect, this.#call.operation);
    const told = this.#carryOut(fault ?? this.#staleness());
    if (effect === 'late') return this.#dieAnyway();
    void told.then((outcome) => this.#back(outcome));
  }

  /** The world has changed when this returns; the promise only tells. */
  #carryOut(effect: FaultEffect | undefined): Promise<Outcome> {
    const { aws, world, witness } = this.#parts;
    const { operation, input } = this.#call;
    return witness.during(this.#call, () => {
      if (effect) aws.control.addFault({ operation, effect });
      const answer = new EmbeddedAwsApi(aws, world).send(operation, input);
      aws.control.clearFaults();
      return answer.then(
        (output): Outcome => ({ kind: 'output', output }),
        (error: unknown): Outcome => failed(error),
      );
    });
  }

  #staleness(): FaultEffect | undefined {
    const { board, world } = this.#parts;
    if (isWrite(this.#call.operation)) return undefined;
    const nowMs = world.monotonicMs();
    const ageMs =
      this.#asksForTagsOfGone() && board.keepsTags(nowMs) ? TAGS_STAY_MS : board.staleMs(nowMs);
    return ageMs === 0 ? undefined : { kind: 'staleReads', ageMs };
  }

  #asksForTagsOfGone(): boolean {
    const { operation, input } = this.#call;
    if (operation !== 'DescribeTags') return false;
    const { ResourceArns: arns = [] } = input as { readonly ResourceArns?: readonly string[] };
    const { balancers } = this.#parts.aws.world;
    return arns.every((arn) => balancers.byArn(arn) === undefined);
  }

  #back(outcome: Outcome): void {
    const { life, world } = this.#parts;
    const { crash } = this.#fate;
    if (crash?.phase === 'unanswered') return this.#die();
    world.setTimer(this.#latencyMs(), () => {
      life.reach(() => this.#settle(outcome));
      if (crash) world.setTimer(0, () => this.#die());
    });
  }

  #settle(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#cancelLimit();
    this.#parts.witness.answered(this.#call, outcome.kind === 'error' ? outcome.error : undefined);
    if (outcome.kind === 'error') this.#caller.reject(outcome.error);
    else this.#caller.resolve(outcome.output);
  }

  #dieAnyway(): void {
    if (this.#fate.crash) this.#die();
  }

  #die(): void {
    const { life, onCrash } = this.#parts;
    if (life.isDead) return;
    life.die();
    onCrash(this.#fate.crash?.restartMs ?? 0);
  }

  #latencyMs(): number {
    return 3 + 40 * this.#parts.world.random();
  }
}

function effectOf(effect: Fate['effect'], operation: AwsOperation): FaultEffect | undefined {
  switch (effect) {
    case 'lost':
      return { kind: 'lostResponse' };
    case 'dropped':
      return { kind: 'dropBeforeApply' };
    case 'html':
      return { kind: 'html500' };
    default:
      return refusalOf(effect, operation);
  }
}

function refusalOf(effect: Fate['effect'], operation: AwsOperation): FaultEffect | undefined {
  const refuse = (code: string, message: string, status = 400): FaultEffect => {
    return { kind: 'error', code, status, message };
  };
  switch (effect) {
    case 'throttled':
      return getTraits(operation).service === 'ec2'
        ? refuse('RequestLimitExceeded', 'Request limit exceeded.', 503)
        : refuse('Throttling', 'Rate exceeded');
    case 'notFound':
      return refuse('LoadBalancerNotFound', 'not found');
    case 'inUse': {
      const isGroup = operation === 'DeleteSecurityGroup';
      return refuse(isGroup ? 'DependencyViolation' : 'ResourceInUse', 'still in use');
    }
    case 'notVisible':
      // The first one is that of its own kind.
      return refuse(getTraits(operation).absent[0] ?? 'InternalFailure', 'not found');
    case 'invalidTarget':
      return refuse('InvalidTarget', 'The following targets are not in the VPC');
    case 'failing':
      return refuse('InternalFailure', 'no luck today', 500);
    default:
      return undefined;
  }
}

function failed(error: unknown): Outcome {
  return { kind: 'error', error };
}
