import { afterEach, describe, expect, it } from 'vitest';
import { noMetrics } from '../../../../src/cli/cluster.ts';
import { PageComposer } from '../../../../src/cli/ui/page-composer.ts';
import type { Visit } from '../../../../src/cli/ui/pages.ts';
import { WatchedObjects } from '../../../../src/cli/ui/watched-objects.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { ScriptedStream, ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { createIngress } from './shop.ts';

/** Its time passes while something computes, too. */
class ComputingClock extends ManualClock {
  computedMs = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.computedMs;
  }
}

const closing: WatchedObjects[] = [];

afterEach(async () => {
  for (const objects of closing.splice(0)) await objects.stop();
});

async function start() {
  const watch = new ScriptedStream();
  const clock = new ComputingClock();
  const transport = new ScriptedTransport(({ path }) =>
    path.endsWith('/myingresses') ? { stream: watch } : 'hang',
  );
  const client = new KubeClient({ transport, clock, metrics: noMetrics });
  const objects = new WatchedObjects({ access: { client, namespace: undefined }, clock });
  closing.push(objects);
  const annotations = { 'k8s.io/initial-events-end': 'true' };
  watch.push({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '1', annotations } } });
  await clock.advance(100);
  let version = 1;
  const change = (): void => {
    version += 1;
    const object = createIngress();
    const metadata = { ...object.metadata, resourceVersion: `${version}` };
    watch.push({ type: 'MODIFIED', object: { ...object, metadata } });
  };
  return { clock, objects, change };
}

function asVisit(query: string): Visit {
  return { path: '/', query: new URLSearchParams(query) };
}

describe('the pages that are live', () => {
  it('are composed once for all who show the same at the same time', async () => {
    const { clock, objects, change } = await start();
    const context = { objects, clock, root: '/t/', place: 'a cluster' };
    const composer = new PageComposer(context, () => {});
    const page = composer.compose(asVisit('q=a'));
    expect(composer.compose(asVisit('q=a'))).toBe(page);
    expect(composer.compose(asVisit('q=b'))).not.toBe(page);
    change();
    await clock.advance(1);
    const changed = composer.compose(asVisit('q=a'));
    expect(changed).not.toBe(page);
    // Ages grow.
    await clock.advance(1000);
    expect(composer.compose(asVisit('q=a'))).not.toBe(changed);
  });

  it('leave half of the time for requests, however fast the cluster changes', async () => {
    const { clock, objects, change } = await start();
    let rounds = 0;
    objects.subscribe(() => {
      rounds += 1;
      clock.computedMs += 500;
    });
    for (let index = 0; index < 100; index++) {
      change();
      await clock.advance(20);
    }
    expect(rounds).toBeGreaterThanOrEqual(3);
    expect(rounds).toBeLessThanOrEqual(5);
  });
});
