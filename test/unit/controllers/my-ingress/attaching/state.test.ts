import { describe, expect, it } from 'vitest';
import type { MyIngress, MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import {
  type AttachState,
  stateOf,
} from '../../../../../src/controllers/my-ingress/attaching/state.ts';
import { draftOf } from '../drafts.ts';
import { draftApp } from './app.ts';

const HTTP = { port: 80, protocol: 'HTTP', redirectToHTTPS: true } as const;
const HTTPS = { port: 443, protocol: 'HTTPS' } as const;
const ADMIN = { port: 8080, protocol: 'HTTP' } as const;

type Draft = Parameters<typeof draftApp>[1];

/** Served on these ports. */
function attach(draft: Draft, spec: Partial<MyIngressSpec>, ports: readonly number[]): AttachState {
  const app = draftApp('shop', draft);
  const decision = decideAttachments(spec, [app], new Map());
  const digest = decision.digests.get('WebApp/web/shop') ?? '';
  const ref = { kind: 'WebApp', namespace: 'web', name: 'shop' };
  const status = {
    attached: [{ ...ref, digest, reason: 'Attached' }],
    listeners: ports.map((port) => ({ port, arn: `arn:${port}` })),
  };
  const ingress = { ...draftOf('shared', spec), status } as unknown as MyIngress;
  return stateOf(ingress, app, decision);
}

describe('routes that are attached', () => {
  const listeners = [HTTP, HTTPS, ADMIN];

  it('have the URL of their first exact host on the HTTPS listener', () => {
    const draft = { hosts: ['*.example.com', 'Shop.example.com'], paths: ['/cart/*'] };
    const state = attach(draft, { listeners }, [80, 443, 8080]);
    expect(state).toEqual({ kind: 'attached', url: 'https://shop.example.com/cart/' });
  });

  it('have that of their own listener where they name one', () => {
    const state = attach({ listeners: [8080] }, { listeners }, [80, 443, 8080]);
    expect(state).toEqual({ kind: 'attached', url: 'http://shop.example.com:8080/' });
  });

  it('have none on a listener that is not there yet, and none by a pattern', () => {
    expect(attach({}, { listeners }, [80])).toEqual({ kind: 'attached' });
    expect(attach({}, { listeners }, [80, 8080])).toMatchObject({
      url: 'http://shop.example.com:8080/',
    });
    const hosts = ['*.example.com'];
    expect(attach({ hosts }, { listeners }, [443])).toEqual({ kind: 'attached' });
  });
});
