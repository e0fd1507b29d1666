import { describe, expect, it } from 'vitest';
import type { MyIngress, MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import {
  type AttachState,
  stateOf,
} from '../../../../../src/controllers/my-ingress/attaching/state.ts';
import { PAUSED_ANNOTATION } from '../../../../../src/core/objects/annotations.ts';
import { draftOf } from '../drafts.ts';
import { draftApp } from './app.ts';
import { AttachBench } from './bench.ts';

const HTTP = { port: 80, protocol: 'HTTP', redirectToHTTPS: true } as const;
const HTTPS = { port: 443, protocol: 'HTTPS' } as const;
const ADMIN = { port: 8080, protocol: 'HTTP' } as const;

type Draft = Parameters<typeof draftApp>[1];

interface Served {
  readonly ports: readonly number[];
  readonly alb?: MyIngress['status']['alb'];
  readonly annotations?: Readonly<Record<string, string>>;
}

function attach(
  draft: Draft,
  spec: Partial<MyIngressSpec>,
  { ports, alb = { arn: 'arn:alb', state: 'active' }, annotations = {} }: Served,
): AttachState {
  const app = draftApp('shop', draft);
  const decision = decideAttachments(spec, [app], { held: new Map() });
  const digest = decision.digests.get('WebApp/web/shop') ?? '';
  const ref = { kind: 'WebApp', namespace: 'web', name: 'shop' };
  const status = {
    ...(alb.arn !== '' && { alb }),
    attached: [{ ...ref, digest, reason: 'Attached' }],
    listeners: ports.map((port) => ({ port, arn: `arn:${port}` })),
  };
  const { metadata, ...shared } = draftOf('shared', spec);
  const ingress = { ...shared, metadata: { ...metadata, annotations }, status };
  return stateOf(ingress as unknown as MyIngress, app, decision);
}

describe('routes that are attached', () => {
  const listeners = [HTTP, HTTPS, ADMIN];

  it('have the URL of their first exact host on the HTTPS listener', () => {
    const draft = { hosts: ['*.example.com', 'Shop.example.com'], paths: ['/cart/*'] };
    const state = attach(draft, { listeners }, { ports: [80, 443, 8080] });
    expect(state).toEqual({ kind: 'attached', url: 'https://shop.example.com/cart/' });
  });

  it('have that of their own listener where they name one', () => {
    const state = attach({ listeners: [8080] }, { listeners }, { ports: [80, 443, 8080] });
    expect(state).toEqual({ kind: 'attached', url: 'http://shop.example.com:8080/' });
  });

  it('have none on a listener that is not there yet, and none by a pattern', () => {
    expect(attach({}, { listeners }, { ports: [80] })).toEqual({ kind: 'attached' });
    expect(attach({}, { listeners }, { ports: [80, 8080] })).toMatchObject({
      url: 'http://shop.example.com:8080/',
    });
    const hosts = ['*.example.com'];
    expect(attach({ hosts }, { listeners }, { ports: [443] })).toEqual({ kind: 'attached' });
  });
});

describe('routes that are applied', () => {
  const listeners = [ADMIN];

  it.each([
    ['is lost', { arn: 'arn:alb', state: 'deleted' }],
    ['is being set up', { arn: 'arn:alb', state: 'provisioning' }],
    ['could not be set up', { arn: 'arn:alb', state: 'failed' }],
    ['is not on record', { arn: '' }],
  ])('wait for the load balancer where it %s', (_, alb) => {
    expect(attach({}, { listeners }, { ports: [8080], alb })).toEqual({ kind: 'waiting' });
  });

  it.each([
    ['provisioning', 'attached'],
    ['failed', 'waiting'],
  ])('are of a paused MyIngress with state %s: %s', (state, kind) => {
    const annotations = { [PAUSED_ANNOTATION]: 'true' };
    const served = { ports: [8080], alb: { arn: 'arn:alb', state }, annotations };
    expect(attach({}, { listeners }, served)).toMatchObject({ kind });
  });

  it('are served by one that lacks capacity, and by one of unknown state', () => {
    for (const alb of [{ arn: 'arn:alb', state: 'active_impaired' }, { arn: 'arn:alb' }]) {
      expect(attach({}, { listeners }, { ports: [8080], alb })).toMatchObject({ kind: 'attached' });
    }
  });

  it('are attached as soon as the load balancer is active', async () => {
    const bench = await AttachBench.open();
    const app = draftApp('app');
    bench.attach(app);
    bench.record();
    const turn = (state: string): void => {
      const status = { ...bench.stored.status, alb: { arn: 'arn:alb', state } };
      bench.kube.server.applyStatus(bench.stored, status);
    };
    turn('provisioning');
    bench.heard.length = 0;
    turn('active');
    turn('deleted');
    expect(bench.heard).toEqual(['WebApp/web/app attached', 'WebApp/web/app waiting']);
  });
});
