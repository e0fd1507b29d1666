import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Key } from '../../../../src/core/objects/kube-object.ts';
import { type AddOptions, KeyQueue, type TakenKey } from '../../../../src/core/queue/key-queue.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

/** What must be so for one key: the simplest possible account of the queue's promises. */
interface Waiting {
  readonly priority: number;
  readonly readyAtMs: number;
}

type Step =
  | { readonly do: 'add'; readonly key: Key; readonly priority: number; readonly afterMs: number }
  | { readonly do: 'take' }
  | { readonly do: 'done'; readonly at: number }
  | { readonly do: 'advance'; readonly ms: number };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('add' as const),
        key: fc.constantFrom<Key>('a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1'),
        priority: fc.constantFrom(-100, 0, 10),
        afterMs: fc.constantFrom(0, 0, 0, 1, 50, 100),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('take' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('done' as const), at: fc.nat(10) }) },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('advance' as const),
        ms: fc.integer({ max: 120, min: 1 }),
      }),
    },
  ),
  { maxLength: 60 },
);

describe('KeyQueue under any sequence of adds, takes, ends and time', () => {
  it('never gives a key to two holders, and always the most urgent one that is ready, round the namespaces', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const bench = new QueueBench();
        for (const step of sequence) await bench.run(step);
        await bench.expectEverythingHandedOut();
      }),
      { numRuns: 300 },
    );
  });
});

/** Runs steps over the queue and over the account beside it, and compares after each. */
class QueueBench {
  readonly #clock = new ManualClock();
  readonly #queue = new KeyQueue(this.#clock);
  readonly #waiting = new Map<Key, Waiting>();
  readonly #held = new Set<Key>();
  /** `<served>><waiting>`: was served while the other waited with the same priority. */
  readonly #passedOver = new Map<string, number>();
  #takers = 0;
  #failure: unknown;

  async run(step: Step): Promise<void> {
    switch (step.do) {
      case 'add':
        this.#add(step.key, step);
        break;
      case 'take':
        this.#take();
        break;
      case 'done':
        this.#done([...this.#held][step.at % Math.max(1, this.#held.size)]);
        break;
      case 'advance':
        await this.#clock.advance(step.ms);
        break;
      default:
        step satisfies never;
    }
    await this.#settle();
    this.#expectNobodyWaitsInVain();
  }

  /** With takers enough and time enough, nothing that was added is left. */
  async expectEverythingHandedOut(): Promise<void> {
    while (this.#waiting.size + this.#held.size > 0) {
      await this.run({ do: 'take' });
      for (let held = this.#held.size; held > 0; held--) await this.run({ do: 'done', at: 0 });
      await this.run({ do: 'advance', ms: 100 });
    }
    expect(this.#queue.size).toBe(0);
  }

  #add(key: Key, { priority = 0, afterMs = 0 }: AddOptions): void {
    const before = this.#waiting.get(key);
    const readyAtMs = this.#clock.monotonicMs() + afterMs;
    this.#waiting.set(key, {
      priority: Math.max(priority, before?.priority ?? priority),
      readyAtMs: Math.min(readyAtMs, before?.readyAtMs ?? readyAtMs),
    });
    this.#queue.add(key, { priority, afterMs });
  }

  #take(): void {
    this.#takers++;
    this.#queue
      .take()
      .then((taken) => this.#onTaken(taken as TakenKey))
      .catch((error: unknown) => {
        this.#failure = error;
      });
  }

  /** What failed while a key was handed out fails here, where the runner sees it. */
  async #settle(): Promise<void> {
    await this.#clock.settle();
    if (this.#failure !== undefined) throw this.#failure as Error;
  }

  #onTaken(taken: TakenKey): void {
    this.#takers--;
    const waiting = this.#waiting.get(taken.key);
    expect(this.#held).not.toContain(taken.key);
    expect(waiting).toMatchObject({ priority: taken.priority });
    expect(waiting?.readyAtMs).toBeLessThanOrEqual(this.#clock.monotonicMs());
    const others = this.#ready().map(([, { priority }]) => priority);
    expect(taken.priority).toBe(Math.max(...others));
    this.#expectTurns(taken);
    this.#waiting.delete(taken.key);
    this.#held.add(taken.key);
  }

  /** No namespace is served twice while another waits for one turn. */
  #expectTurns({ key, priority }: TakenKey): void {
    const [served] = key.split('/');
    const urgent = this.#ready().filter(([, waiting]) => waiting.priority === priority);
    for (const other of ['a', 'b', 'c']) {
      const turn = `${served}>${other}`;
      const isWaiting = urgent.some(([waiting]) => waiting.startsWith(other));
      if (other === served || !isWaiting) {
        for (const one of ['a', 'b', 'c']) this.#passedOver.delete(`${one}>${other}`);
        continue;
      }
      expect(this.#passedOver.get(turn)).not.toBe(priority);
      this.#passedOver.set(turn, priority);
    }
  }

  #done(key: Key | undefined): void {
    if (key === undefined) return;
    this.#held.delete(key);
    this.#queue.done(key);
  }

  #expectNobodyWaitsInVain(): void {
    expect(this.#takers === 0 || this.#ready().length === 0).toBe(true);
  }

  #ready(): readonly (readonly [Key, Waiting])[] {
    const nowMs = this.#clock.monotonicMs();
    return [...this.#waiting].filter(
      ([key, { readyAtMs }]) => readyAtMs <= nowMs && !this.#held.has(key),
    );
  }
}
