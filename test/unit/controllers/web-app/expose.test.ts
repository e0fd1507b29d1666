import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ExposeState } from '../../../../src/controllers/web-app/expose.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
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

const INSIDE = 'http://shop.web.svc:80';
const NOT_ALLOWED: ExposeState = { kind: 'refused', reason: 'NotAllowed' };

/** Attached, and it has the public URL. */
async function runExposed(): Promise<void> {
  bench.exposeState = { kind: 'attached', url: 'https://shop.example.com/' };
  bench.store({ expose: EXPOSE });
  await bench.start();
  await bench.serve(3);
  expect(bench.object.status.url).toBe('https://shop.example.com/');
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

describe('a WebApp that is paused', () => {
  const PAUSED = { 'albridge.io/paused': 'true' };
  beforeEach(async () => {
    await runExposed();
    await bench.annotate(PAUSED);
  });

  it.each<[string, ExposeState, object]>([
    ['NotAllowed', NOT_ALLOWED, { expose: EXPOSE }],
    ['HostAndPathTaken', { kind: 'refused', reason: 'HostAndPathTaken' }, { expose: EXPOSE }],
    ['NotExposed', { kind: 'attached' }, { expose: undefined }],
  ])(
    'has the URL of its Service once its routes are not served: %s',
    async (reason, state, spec) => {
      bench.exposeState = state;
      await bench.edit({ image: 'nginx:1.27', ...spec });
      expect(bench.condition('Exposed')).toBe(`False ${reason}`);
      expect(bench.condition('Ready')).toBe('Unknown Paused');
      expect(bench.object.status.url).toBe(INSIDE);
    },
  );

  it('keeps the port of its Service in the URL', async () => {
    bench.exposeState = NOT_ALLOWED;
    await bench.annotate({ ...PAUSED, any: 'event' });
    await bench.edit({ port: 8080 });
    expect(bench.object.status.url).toBe(INSIDE);
  });
});

it.each<[string, (() => void) | undefined, object]>([
  [
    'a write of the Deployment is refused',
    () => {
      const failure = { reason: 'Forbidden', message: 'no', healedBy: 'person' } as const;
      bench.kube.refuse('apply', 'web/shop', new OperatorError(failure));
    },
    { image: 'nginx:1.27' },
  ],
  ['its podTemplate is too long', undefined, { podTemplate: { tooLong: true } }],
])('a WebApp that is detached while %s has the URL of its Service', async (_why, refuse, spec) => {
  await runExposed();
  refuse?.();
  await bench.edit(spec);
  expect(bench.condition('Ready')).toMatch(/^False (?:Forbidden|PodTemplateTooLong)/);
  bench.exposeState = NOT_ALLOWED;
  await bench.annotate({ any: 'event' });
  expect(bench.condition('Exposed')).toBe('False NotAllowed');
  expect(bench.object.status.url).toBe(INSIDE);
});
