import { describe, expect, it } from 'vitest';
import type { GatedPod } from '../../../../../src/controllers/targets/gates/gated-pod.ts';
import { ShortShutdowns } from '../../../../../src/controllers/targets/gates/short-shutdowns.ts';

const PODS = 100;
const SELECTOR = { app: 'web' };

/** A pod that ends early; `onRead` is called when the selected label is read. */
function buildPod(name: string, onRead = (): void => {}): GatedPod {
  const labels = {
    get app() {
      onRead();
      return SELECTOR.app;
    },
  };
  const metadata = { name, namespace: 'web', uid: name, labels };
  const gate = { ips: [], isGateClosed: false, isUp: true };
  return { apiVersion: 'v1', kind: 'Pod', metadata, ...gate, shortShutdown: 'NoPreStop' };
}

describe('the pods that end early', () => {
  it('are asked for a selector once, however many groups ask, until one of the namespace changes', () => {
    const shutdowns = new ShortShutdowns();
    let reads = 0;
    const note = (name: string, isGone = false): void =>
      shutdowns.note(
        buildPod(name, () => reads++),
        isGone,
      );
    for (let index = 0; index < PODS; index++) note(`pod-${index}`);
    for (let group = 0; group < PODS; group++) {
      expect(shutdowns.find('web', { ...SELECTOR })?.pod).toBe('pod-0');
    }
    expect(reads).toBeLessThanOrEqual(PODS);
    shutdowns.note(buildPod('other'), true);
    shutdowns.note({ ...buildPod('a'), metadata: { name: 'a', namespace: 'api' } }, false);
    shutdowns.find('web', SELECTOR);
    expect(reads).toBeLessThanOrEqual(PODS);
    const before = reads;
    note('pod-0');
    shutdowns.find('web', SELECTOR);
    // Its labels are compared, and nothing else is read.
    expect(reads - before).toBeLessThan(PODS);
    note('pod-0', true);
    expect(shutdowns.find('web', SELECTOR)?.pod).toBe('pod-1');
    note('a');
    expect(shutdowns.find('web', SELECTOR)?.pod).toBe('a');
  });

  it('are found by their own selector and namespace', () => {
    const shutdowns = new ShortShutdowns();
    shutdowns.note(buildPod('one'), false);
    expect(shutdowns.find('web', { app: 'api' })).toBeUndefined();
    expect(shutdowns.find('web', {})).toBeUndefined();
    expect(shutdowns.find('api', SELECTOR)).toBeUndefined();
    expect(shutdowns.find('web', SELECTOR)).toEqual({ pod: 'one', reason: 'NoPreStop' });
  });
});
