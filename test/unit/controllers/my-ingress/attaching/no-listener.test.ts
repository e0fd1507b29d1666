import { expect, it } from 'vitest';
import type { MyIngress, MyIngressSpec } from '../../../../../src/apis/my-ingress.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import type { Joined } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { MINUTE_MS, World } from '../world.ts';
import { draftApp } from './app.ts';

const FIXED = { fixedResponse: { statusCode: 404 } };
const HTTP = { port: 80, protocol: 'HTTP' } as const;
const HTTPS = { port: 443, protocol: 'HTTPS' } as const;
const NO_CERTIFICATE = 'arn:aws:acm:us-east-1:000000000000:certificate/none';

const DENIED = {
  kind: 'error',
  code: 'AccessDeniedException',
  status: 400,
  message: 'no',
} as const;

function join(object: MyIngress): Joined {
  const attached = decideAttachments(object.spec, [draftApp('app')], { held: new Map() });
  return { ...object, spec: { ...object.spec, attached } };
}

interface Case {
  readonly spec: Partial<MyIngressSpec>;
  readonly arrange?: (world: World) => void;
  readonly reason: string;
}

const CASES: Readonly<Record<string, Case>> = {
  'because its port is held': {
    spec: { listeners: [HTTP], defaultAction: FIXED },
    arrange: (world) => {
      const fixed = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '200' } };
      const LoadBalancerArn = world.balancer().arn;
      const held = { LoadBalancerArn, Port: 80, Protocol: 'HTTP', DefaultActions: [fixed] };
      world.outOfBand('CreateListener', held);
    },
    reason: 'PortConflict',
  },
  'because AWS Certificate Manager cannot be read': {
    spec: { listeners: [HTTPS], defaultAction: FIXED },
    arrange: (world) => world.fault('ListCertificates', DENIED, { times: 10_000 }),
    reason: 'AccessDenied',
  },
  'because AWS refuses it': {
    spec: { listeners: [{ ...HTTPS, certificates: [NO_CERTIFICATE] }], defaultAction: FIXED },
    reason: 'CertificateNotFound',
  },
};

it.each(Object.entries(CASES))(
  'an object is not attached to a listener that is not there %s',
  async (_, { spec, arrange, reason }) => {
    const world = World.started({ join });
    await world.applied('shop');
    arrange?.(world);
    await world.edited('shop', spec, MINUTE_MS);
    expect(world.condition('shop')).toBe(`False ${reason}`);
    expect(world.object('shop').status.attached).toMatchObject([{ name: 'app', reason }]);
    expect(world.condition('shop', 'AttachmentsAccepted')).toBe(`False ${reason}`);
  },
);
