import { describe, expect, it } from 'vitest';
import { NodeWatch } from '../../../../../src/controllers/targets/instances/node-watch.ts';
import {
  type TrimmedNode,
  trimNode,
} from '../../../../../src/controllers/targets/instances/trimmed-node.ts';
import { FakeKube } from '../../../../fakes/fake-kube.ts';
import { ManualClock } from '../../../../fakes/manual-clock.ts';
import { draftNode } from './nodes.ts';

const READY = { conditions: [{ type: 'Ready', status: 'True' }] };

class Bench {
  readonly kube = new FakeKube();
  readonly clock = new ManualClock();
  readonly nodes: NodeWatch;
  changes = 0;

  constructor(synced: Promise<void> = Promise.resolve()) {
    const cache = this.kube.cache<TrimmedNode>('Node', trimNode);
    this.nodes = new NodeWatch({
      clock: this.clock,
      openNodes: () => ({ cache, synced }),
      onChange: () => {
        this.changes += 1;
        this.nodes.read();
      },
    });
  }

  add(...indexes: readonly number[]): void {
    for (const index of indexes)
      this.kube.server.applyStatus(this.kube.create(draftNode(index)), READY);
  }

  /** How often it was said that nodes have changed while this was done. */
  async count(act: () => void): Promise<number> {
    const before = this.changes;
    act();
    await this.clock.advance(1_000);
    return this.changes - before;
  }
}

async function opened(...indexes: readonly number[]): Promise<Bench> {
  const bench = new Bench();
  bench.add(...indexes);
  bench.nodes.read();
  await bench.clock.advance(1_000);
  return bench;
}

describe('a change of nodes', () => {
  it('is said once for all that come together', async () => {
    const bench = await opened(1);
    expect(await bench.count(() => bench.add(2, 3, 4))).toBe(1);
    expect(bench.nodes.read()).toMatchObject({ kind: 'known', counts: { ready: 4 } });
  });

  it('is none when a node is written and stays what it is', async () => {
    const bench = await opened(1);
    const write = (): void => {
      bench.kube.editMeta(draftNode(1), { annotations: { beat: '1' } });
    };
    expect(await bench.count(write)).toBe(0);
    expect(await bench.count(() => bench.kube.delete(draftNode(1)))).toBe(1);
  });

  it('wakes no object after the stop', async () => {
    const bench = await opened(1);
    bench.nodes.stop();
    expect(await bench.count(() => bench.add(2))).toBe(0);
    const late = new Bench(new Promise(() => {}));
    late.nodes.read();
    late.nodes.stop();
    await late.clock.advance(60_000);
    expect(late.changes).toBe(0);
  });
});
