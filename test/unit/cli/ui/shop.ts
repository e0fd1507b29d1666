import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { findKind } from '../../../../src/cli/objects/kinds.ts';
import type { FoundObject } from '../../../../src/cli/objects/read.ts';

type Spec = Partial<MyIngress['spec']>;

/** A MyIngress with a rule of each kind. `name` is its own, of a rule, a reason and a message. */
export function createIngress(name = 'web', spec: Spec = {}): MyIngress {
  const time = '2026-01-01T00:00:00Z';
  const backends = ['stable', 'canary'].map((one) => ({
    name: one,
    service: { name: one, port: 'http' },
  }));
  const conditions = [
    {
      ...{ type: 'Ready', status: 'False', reason: name, message: `about ${name}` },
      ...{ lastTransitionTime: time, observedGeneration: 1 },
    },
  ];
  return {
    ...{ apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyIngress' },
    metadata: { name, namespace: 'shop', uid: name, generation: 1, creationTimestamp: time },
    spec: {
      ...{ scheme: 'internet-facing', deletionPolicy: 'Delete', backends },
      listeners: [
        { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
        { port: 443, protocol: 'HTTPS', certificates: ['arn'] },
      ],
      rules: createRules(name),
      defaultAction: { fixedResponse: { statusCode: 404 } },
      ...spec,
    },
    status: {
      ...{ observedGeneration: 1, conditions },
      alb: { arn: 'arn:alb', name: 'web-alb', state: 'active', dns: name },
      listeners: [{ port: 443, arn: 'arn:443' }],
      backends: [{ name: 'stable', desired: 2, registered: 2, healthy: 2, message: name }],
    },
  } as unknown as MyIngress;
}

function createRules(name: string): readonly object[] {
  return [
    { name: 'old', paths: ['/old'], redirect: { statusCode: 301, path: '/new' } },
    {
      ...{ name: 'team', headers: [{ name: 'X-Team', regex: '^blue' }] },
      forward: [{ backend: 'canary', weight: 1 }],
    },
    {
      ...{ name, hosts: ['shop.example.com'], methods: ['GET'] },
      forward: [
        { backend: 'stable', weight: 90 },
        { backend: 'canary', weight: 10 },
      ],
    },
  ];
}

export function asFound(object: MyIngress): FoundObject {
  return { kind: findKind('myingress'), object };
}

/** Not in a page: they end texts, change their direction, or are none of XML's. */
export const FORBIDDEN = ['\u0000', '\u202e', '\uffff'];

/** Text that would do harm in HTML, XML, an attribute, a script, a URL, or on a terminal. */
export const HOSTILE = `"><script>alert(1)</script><img src=x onerror='alert(2)'>]]>&amp;\u0000\u202e\ud800\uffff{{7*7}}`;
