import type { Clock } from '../../../src/core/ports/clock.ts';
import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
} from '../../../src/kube/client/kube-transport.ts';
import type { ApiServerModel, ModelAnswer } from '../api-model/api-server-model.ts';
import { response } from '../api-model/model-transport.ts';
import { Refusal } from '../api-model/refusal.ts';
import type { WatchFeed } from '../api-model/watch-feed.ts';
import type { Fate, FaultBoard } from './fault-board.ts';
import type { Life } from './life.ts';
import { kubeLabel, type Label } from './operations.ts';
import { SlowWatch } from './slow-watch.ts';

/** What stands between one process and the API server. */
export interface KubeNetworkParts {
  readonly model: ApiServerModel;
  readonly world: Clock;
  readonly board: FaultBoard;
  readonly life: Life;
  readonly replica: number;
  /** Told of every operation when it is sent. */
  readonly onSent: (label: Label, request: KubeRequest) => void;
  /** The process died of the plan, to begin again so much later. */
  readonly onCrash: (restartMs: number) => void;
  readonly watches: Set<SlowWatch>;
}

/** A KubeTransport with latency, losses and deaths, over the model. */
export function createKubeNetwork(parts: KubeNetworkParts): KubeTransport {
  return {
    request: (request) =>
      new Promise((resolve, reject) => new Call(parts, request, { resolve, reject }).begin()),
  };
}

interface Caller {
  readonly resolve: (response: KubeResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** One request on its way there and back. */
class Call {
  readonly #parts: KubeNetworkParts;
  readonly #request: KubeRequest;
  readonly #caller: Caller;
  readonly #label: Label;
  #fate: Fate = {};

  constructor(parts: KubeNetworkParts, request: KubeRequest, caller: Caller) {
    this.#parts = parts;
    this.#request = request;
    this.#caller = caller;
    this.#label = kubeLabel(request);
  }

  /** Credentials may take their time, and what was true before may not be true after. */
  begin(): void {
    const { life, board, world } = this.#parts;
    const { signal } = this.#request;
    if (life.isDead) return;
    if (signal?.aborted) return this.#caller.reject(signal.reason);
    const abort = (): void => this.#caller.reject(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const isSlow = !board.isLifted && life.random() < 0.01;
    if (isSlow) board.strikes('slow credentials', world.monotonicMs());
    if (isSlow) life.clock.setTimer(life.random() * 3000, () => this.#send());
    else this.#send();
  }

  #send(): void {
    const { life, world, board, onSent } = this.#parts;
    const { signal, beforeSend } = this.#request;
    if (life.isDead || signal?.aborted) return;
    try {
      beforeSend?.();
    } catch (error) {
      return this.#caller.reject(error);
    }
    this.#fate = board.fateOf(this.#label, world.monotonicMs());
    if (this.#fate.crash?.phase === 'before') return this.#die();
    onSent(this.#label, this.#request);
    this.#freeze();
    world.setTimer(this.#latencyMs(), () => this.#arrive());
  }

  #freeze(): void {
    const { life, world } = this.#parts;
    const { freezeMs } = this.#fate;
    if (freezeMs === undefined) return;
    life.stop();
    world.setTimer(freezeMs, () => life.goOn());
  }

  #arrive(): void {
    const { board, replica, world } = this.#parts;
    const nowMs = world.monotonicMs();
    if (board.isPartitioned(replica, nowMs)) return this.#dieAnyway();
    if (board.isApiDown(nowMs)) return this.#back(() => this.#refuse('connect ECONNREFUSED'));
    switch (this.#fate.effect) {
      case 'dropped':
        return this.#back(() => this.#refuse('socket hang up'));
      case 'unanswered':
        return this.#dieAnyway();
      case 'failing':
        return this.#back(() => this.#answer(failing(500, 'InternalError')));
      case 'busy':
        return this.#back(() => this.#answer(failing(429, 'TooManyRequests')));
      case 'twice':
        this.#parts.model.answer(this.#request, this.#parts.life.name);
        return this.#carryOut();
      default:
        return this.#carryOut();
    }
  }

  #carryOut(): void {
    const { board, model, life, world } = this.#parts;
    if (board.isForbidden(this.#label, world.monotonicMs())) {
      return this.#back(() => this.#answer(failing(403, 'Forbidden')));
    }
    const answer = model.answer(this.#request, life.name);
    switch (this.#fate.effect) {
      case 'lost':
        return this.#back(() => this.#refuse('socket hang up'));
      case 'late':
        return this.#dieAnyway(); // the caller's own deadline ends the wait
      default:
        return this.#back(() => this.#answer(answer));
    }
  }

  #back(deliver: () => void): void {
    const { life, world } = this.#parts;
    const { crash } = this.#fate;
    if (crash?.phase === 'unanswered') return this.#die();
    world.setTimer(this.#latencyMs(), () => {
      life.reach(deliver);
      if (crash) world.setTimer(0, () => this.#die());
    });
  }

  /** Nothing comes back; a crash that was due here happens all the same. */
  #dieAnyway(): void {
    if (this.#fate.crash) this.#die();
  }

  #die(): void {
    const { life, onCrash } = this.#parts;
    if (life.isDead) return;
    life.die();
    onCrash(this.#fate.crash?.restartMs ?? 0);
  }

  #refuse(message: string): void {
    this.#caller.reject(new Error(message));
  }

  #answer(answer: ModelAnswer): void {
    if (this.#request.signal?.aborted) return;
    if (answer.kind === 'watch') return this.#caller.resolve(this.#watch(answer.feed));
    const { status, body } = answer;
    const headers = this.#fate.effect === 'busy' ? { 'retry-after': '1' } : {};
    this.#caller.resolve({ ...response(status, body), headers });
  }

  #watch(feed: WatchFeed): KubeResponse {
    const { signal } = this.#request;
    const { board, world } = this.#parts;
    const shown = board.hidesAll(this.#label, world.monotonicMs()) ? withoutObjects(feed) : feed;
    const [, , plural = ''] = this.#label.split(' ');
    const watch = new SlowWatch({ ...this.#parts, plural }, shown, signal);
    return { status: 200, headers: {}, body: watch.body };
  }

  #latencyMs(): number {
    return 1 + 8 * this.#parts.world.random();
  }
}

/** It begins with an empty state, and tells of nothing that happens. */
function withoutObjects(feed: WatchFeed): WatchFeed {
  return {
    ...feed,
    open: (onEvent) => feed.open((event) => event.type === 'BOOKMARK' && onEvent(event)),
  };
}

function failing(status: number, reason: string): ModelAnswer {
  const { body } = new Refusal({ status, reason, message: 'the simulation says no' });
  return { kind: 'answer', status, body };
}
