import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExposeState } from '../../../../src/controllers/web-app/expose.ts';
import { WebAppBench } from './bench.ts';

const EXPOSE = { ingress: { name: 'shared' }, hosts: ['shop.example.com', 'www.example.com'] };

let bench: WebAppBench;
beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

function readExposed(): string | undefined {
  const found = bench.object.status?.conditions?.find(({ type }) => type === 'Exposed');
  return found && `${found.status} ${found.reason}: ${found.message}`;
}

const cases: Readonly<Record<string, readonly [ExposeState, string]>> = {
  attached: [
    { kind: 'attached' },
    'True Attached: MyIngress shared sends requests for shop.example.com, www.example.com here',
  ],
  pending: [
    { kind: 'pending' },
    'Unknown Attaching: MyIngress shared has not applied the routes yet',
  ],
  waiting: [
    { kind: 'waiting' },
    'Unknown LoadBalancerNotActive: the load balancer of MyIngress shared is not active',
  ],
  unknown: [{ kind: 'unknown' }, 'Unknown ExposureUnknown: '],
  unserved: [{ kind: 'unserved' }, 'Unknown ExposureUnknown: this operator serves no MyIngress'],
  missing: [{ kind: 'missing' }, 'False IngressNotFound: there is no MyIngress shared'],
  unwatched: [{ kind: 'unwatched' }, 'False NamespaceNotWatched: '],
  deleting: [{ kind: 'deleting' }, 'False IngressDeleting: '],
  'a host that is taken': [
    { kind: 'refused', reason: 'HostAndPathTaken', claim: 'shop.example.com/* on port 80' },
    'False HostAndPathTaken: shop.example.com/* on port 80 is taken; choose another',
  ],
  'a refusal of AWS': [
    { kind: 'failed', reason: 'TooManyTargetGroups' },
    'False TooManyTargetGroups: AWS does not take the routes: TooManyTargetGroups',
  ],
};

describe('the condition Exposed', () => {
  it.each(Object.entries(cases))('says so: %s', async (_name, [state, text]) => {
    bench.exposeState = state;
    bench.store({ expose: EXPOSE });
    await bench.start();
    expect(readExposed()?.slice(0, text.length)).toBe(text);
  });

  it('stays for the same spec while a started operator has not read the MyIngresses', async () => {
    bench.exposeState = { kind: 'attached' };
    bench.store({ expose: EXPOSE });
    await bench.start();
    bench.exposeState = { kind: 'unknown' };
    await bench.serve(3);
    expect(bench.condition('Ready')).toBe('True Available');
    expect(readExposed()).toMatch(/^True Attached: /);
    await bench.edit({ expose: { ...EXPOSE, hosts: ['other.example.com'] } });
    expect(readExposed()).toMatch(/^Unknown ExposureUnknown: /);
  });

  it('is absent without spec.expose, and says so once it is taken out', async () => {
    bench.store();
    await bench.start();
    expect(readExposed()).toBeUndefined();
    bench.exposeState = { kind: 'attached' };
    await bench.edit({ expose: EXPOSE });
    expect(readExposed()).toMatch(/^True/);
    await bench.edit({ expose: undefined } as object);
    expect(readExposed()).toBe('False NotExposed: the object has no spec.expose');
  });

  it('is stated also while the children cannot be written', async () => {
    bench.exposeState = { kind: 'attached' };
    const metadata = { name: 'shop', namespace: 'web', uid: '', resourceVersion: '' };
    bench.kube.create({
      ...{ apiVersion: 'v1', kind: 'Service' },
      metadata: { ...metadata, generation: 1, creationTimestamp: '' },
    });
    bench.store({ expose: EXPOSE });
    await bench.start();
    expect(bench.condition('Ready')).toBe('False NameConflict');
    expect(readExposed()).toMatch(/^True Attached/);
  });
});
