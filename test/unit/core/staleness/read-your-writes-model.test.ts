import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getKey, type Key, type KubeObject } from '../../../../src/core/objects/kube-object.ts';
import type { Change } from '../../../../src/core/ports/cache.ts';
import { ReadYourWrites } from '../../../../src/core/staleness/read-your-writes.ts';
import { IndexedCache } from '../../../../src/kube/watch/object-cache.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

type Name = 'a' | 'b';

const deeds = [
  'write',
  'edit',
  'delete',
  'create',
  /** The answer to one of our writes arrives. */
  'answer',
  'pass',
  /** A pass takes the object that the cache holds, for a write that is answered later. */
  'begin',
  /** That write is answered: its object is not there. */
  'miss',
  'watch',
  'relist',
  'backup',
  'restore',
] as const;

interface Step {
  readonly deed: (typeof deeds)[number];
  readonly name: Name;
  /** Which of the answers arrives. */
  readonly at: number;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record({
    deed: fc.constantFrom(...deeds, 'write', 'answer', 'answer', 'watch', 'watch', 'watch'),
    name: fc.constantFrom<Name>('a', 'b'),
    at: fc.nat(5),
  }),
  { maxLength: 100, size: 'max' },
);

/** Rare by chance: a restore brings back what a write has not found, in the very state that the cache still holds. */
const restoredAfterMiss: readonly Step[] = [
  ...(['create a', 'watch a', 'backup a', 'create b', 'watch b'] as const),
  ...(['begin a', 'delete a', 'miss a', 'restore a'] as const),
].map(readStep);

function readStep(text: `${Step['deed']} ${Name}`): Step {
  const [deed, name] = text.split(' ') as [Step['deed'], Name];
  return { deed, name, at: 0 };
}

describe('ReadYourWrites under any sequence of writes, answers, watch events, lists and restores', () => {
  it('reads the newest state that it knows of, and nothing that is stored nowhere', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const bench = new WritesBench();
        for (const step of sequence) await bench.run(step);
        await bench.expectNothingHeldAtTheEnd();
      }),
      { numRuns: 500, examples: [[restoredAfterMiss]] },
    );
  });
});

interface Event {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: KubeObject;
}

/** A collection with its watch; beside it the simplest possible account of what may be read. */
class WritesBench {
  readonly #clock = new ManualClock();
  readonly #cache = new IndexedCache<KubeObject>({
    kind: { group: '', version: 'v1', kind: 'Probe', plural: 'probes' },
    log: new SilentLogger(),
    metrics: new RecordingMetrics(),
  });
  readonly #writes = new ReadYourWrites<KubeObject>(this.#clock, this.#cache);
  #stored = new Map<Name, KubeObject>();
  #version = 8;
  #uids = 0;
  #events: Event[] = [];
  #unanswered: KubeObject[] = [];
  #backup: { readonly stored: ReadonlyMap<Name, KubeObject>; readonly version: number };
  /** How far the cache has come. */
  #seen = 0;
  /** The newest answer for each key, until the cache shows it, or that its object is gone. */
  readonly #answered = new Map<string, KubeObject>();
  /** What a pass that still runs has begun with. */
  readonly #begun = new Map<Name, KubeObject>();
  /** The UIDs of objects that a write has not found, until the cache shows a change of their keys. */
  readonly #missing = new Map<string, string | undefined>();
  /** Changes that were wrongly taken for ours, or for those of others: the cache catches what its subscribers throw. */
  readonly #misjudged: Change<KubeObject>[] = [];
  /** Answers of before a restore are let go when their key is next asked for. */
  #hasRewound = false;

  constructor() {
    this.#backup = { stored: new Map(), version: this.#version };
    this.#relist();
    this.#cache.subscribe((change) => {
      if (this.#writes.isOwn(change.object) !== this.#isOwn(change.object)) {
        this.#misjudged.push(change);
      }
      this.#writes.recordChange(change);
      this.#forgetShown(change);
    });
  }

  readonly #deeds: Readonly<Record<Step['deed'], (step: Step) => void | Promise<void>>> = {
    write: (step) => this.#write(step.name),
    edit: (step) => void this.#change(step.name),
    delete: (step) => this.#delete(step.name),
    create: (step) => this.#create(step.name),
    answer: (step) => this.#answer(step.at),
    pass: (step) => this.#pass(step.name),
    begin: (step) => this.#begin(step.name),
    miss: (step) => this.#miss(step.name),
    watch: () => this.#watch(),
    relist: () => this.#relist(),
    backup: () => {
      this.#backup = { stored: new Map(this.#stored), version: this.#version };
    },
    restore: () => this.#restore(),
  };

  async run(step: Step): Promise<void> {
    await this.#deeds[step.deed](step);
    this.#expectNewestRead();
    this.#expectMissingKnown();
    expect(this.#misjudged).toEqual([]);
  }

  async expectNothingHeldAtTheEnd(): Promise<void> {
    while (this.#unanswered.length > 0) this.#answer(0);
    this.#relist();
    for (const one of ['a', 'b'] as const) await this.#pass(one);
    expect(this.#writes.size).toBe(0);
  }

  #create(one: Name): void {
    if (this.#stored.has(one)) return;
    this.#store('ADDED', one, `uid-${++this.#uids}`);
  }

  #write(one: Name): void {
    const written = this.#change(one);
    if (written) this.#unanswered.push(written);
  }

  #change(one: Name): KubeObject | undefined {
    const uid = this.#stored.get(one)?.metadata.uid;
    return uid === undefined ? undefined : this.#store('MODIFIED', one, uid);
  }

  #delete(one: Name): void {
    const uid = this.#stored.get(one)?.metadata.uid;
    if (uid === undefined) return;
    this.#store('DELETED', one, uid);
    this.#stored.delete(one);
  }

  #store(type: Event['type'], one: Name, uid: string): KubeObject {
    const resourceVersion = `${++this.#version}`;
    const metadata = { name: one, namespace: 'web', uid, resourceVersion };
    const object = { apiVersion: 'v1', kind: 'Probe', metadata };
    this.#stored.set(one, object);
    this.#events.push({ type, object });
    return object;
  }

  #answer(at: number): void {
    const [written] = this.#unanswered.splice(at % Math.max(1, this.#unanswered.length), 1);
    if (written === undefined) return;
    const key: Key = `web/${written.metadata.name}`;
    this.#writes.record(key, written);
    const shown = this.#cache.get(key);
    const isShown =
      shown?.metadata.uid === written.metadata.uid && versionOf(shown) >= versionOf(written);
    const known = this.#answered.get(key);
    if (isShown || (known && versionOf(known) >= versionOf(written))) return;
    this.#answered.set(key, written);
  }

  #begin(one: Name): void {
    const held = this.#cache.get(`web/${one}`);
    if (held) this.#begun.set(one, held);
  }

  /** A write names its object by UID. */
  #miss(one: Name): void {
    const begun = this.#begun.get(one);
    if (begun === undefined || this.#isStored(begun)) return;
    this.#writes.recordMissing(begun);
    const { uid } = begun.metadata;
    if (this.#cache.get(`web/${one}`)?.metadata.uid === uid) this.#missing.set(`web/${one}`, uid);
  }

  #isStored({ metadata: { name, uid } }: KubeObject): boolean {
    return this.#stored.get(name as Name)?.metadata.uid === uid;
  }

  /** One that the cache has shown no newer state for than that of our last answer. */
  #isOwn(shown: KubeObject): boolean {
    return versionOf(shown) <= versionOf(this.#answered.get(getKey(shown)));
  }

  #forgetShown({ kind, object }: Change<KubeObject>): void {
    const key = getKey(object);
    this.#missing.delete(key);
    const answered = this.#answered.get(key);
    const isGone = kind === 'deleted' && answered?.metadata.uid === object.metadata.uid;
    if (isGone || versionOf(object) >= versionOf(answered)) this.#answered.delete(key);
  }

  #watch(): void {
    const event = this.#events.shift();
    if (event === undefined) return;
    this.#cache.apply({ type: event.type, object: this.#cache.ingest(event.object) });
    this.#seen = versionOf(event.object);
  }

  #relist(): void {
    const objects = [...this.#stored.values()].map((object) => this.#cache.ingest(object));
    this.#cache.replace(objects, `${this.#version}`);
    this.#events = [];
    this.#seen = this.#version;
  }

  /** Back to the backup, if the cache is beyond it: only then a list shows that versions went back. */
  #restore(): void {
    if (this.#seen <= this.#backup.version) return;
    this.#stored = new Map(this.#backup.stored);
    this.#version = this.#backup.version;
    this.#unanswered = [];
    this.#answered.clear();
    this.#missing.clear();
    this.#hasRewound = true;
    this.#relist();
  }

  async #pass(one: Name): Promise<void> {
    const key: Key = `web/${one}`;
    const answered = this.#answered.get(key);
    const areVisible = this.#writes.areVisible(key, new AbortController().signal);
    await this.#clock.advance(5000);
    const isVisible = answered === undefined || versionOf(answered) <= this.#seen;
    expect(await areVisible).toBe(isVisible);
    if (isVisible) this.#answered.delete(key);
  }

  #expectMissingKnown(): void {
    for (const one of [...this.#cache.list(), ...this.#begun.values()]) {
      const isMissing = this.#writes.isMissing(one);
      expect(isMissing).toBe(this.#missing.get(getKey(one)) === one.metadata.uid);
      if (isMissing) expect(this.#isStored(one)).toBe(false);
      const other = { ...one, metadata: { ...one.metadata, uid: 'another' } };
      expect(this.#writes.isMissing(other)).toBe(false);
    }
  }

  #expectNewestRead(): void {
    for (const held of this.#cache.list()) {
      const answered = this.#answered.get(`web/${held.metadata.name}`);
      const isSame = answered?.metadata.uid === held.metadata.uid;
      const expected = isSame ? Math.max(versionOf(held), versionOf(answered)) : versionOf(held);
      expect(versionOf(this.#writes.pickNewest(held))).toBe(expected);
    }
    if (!this.#hasRewound) expect(this.#writes.size).toBe(this.#answered.size);
  }
}

function versionOf(object: KubeObject | undefined): number {
  return Number(object?.metadata.resourceVersion);
}
