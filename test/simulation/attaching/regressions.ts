import type { Regression } from '../regression.ts';

/** Of what attaches to a MyIngress. */
export const ATTACHING_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'serves what an older spec of a WebApp asked of a newer MyIngress': {
    why: 'the simulation took what the two specs had never asked at one moment for what was never allowed; their watches are two',
    seed: 3200005749,
    settings: { provisioningMs: 2000, sweepMs: 60000 },
    steps: [
      { atMs: 1000, webApp: { do: 'squat', at: 'web/front', kind: 'Service' } },
      { atMs: 1000, attach: { do: 'pods', at: 'api/alpha', pods: 3 } },
      {
        atMs: 4692,
        myIngress: {
          do: 'create',
          at: 'web/shared',
          spec: {
            subnets: ['subnet-a', 'subnet-b'],
            listeners: [{ port: 80, protocol: 'HTTP' }],
            allowedNamespaces: { from: 'All' },
            backends: [{ name: 'own', service: { name: 'front', port: 'http' } }],
            rules: [{ name: 'own', hosts: ['own.example.org'], forward: [{ backend: 'own' }] }],
          },
        },
      },
      {
        atMs: 15971,
        webApp: {
          do: 'create',
          at: 'web/front',
          spec: {
            image: 'registry.example/app:1',
            expose: {
              ingress: { name: 'shared', namespace: 'web' },
              hosts: ['shop.example.org'],
              paths: null,
              listener: null,
            },
          },
        },
      },
      {
        atMs: 37255,
        webApp: {
          do: 'create',
          at: 'api/alpha',
          spec: {
            image: 'registry.example/app:1',
            expose: {
              ingress: { name: 'shared', namespace: 'web' },
              hosts: ['shop.example.org'],
              paths: ['/cart'],
              listener: null,
            },
          },
        },
      },
      {
        atMs: 57519,
        webApp: {
          do: 'edit',
          at: 'api/alpha',
          change: {
            expose: {
              ingress: { name: 'shared', namespace: 'web' },
              hosts: ['*.example.org'],
              paths: ['*'],
              listener: 8080,
            },
          },
        },
      },
      {
        atMs: 77965,
        webApp: {
          do: 'edit',
          at: 'api/alpha',
          change: {
            expose: {
              ingress: { name: 'shared', namespace: 'web' },
              hosts: ['*.example.org'],
              paths: null,
              listener: null,
            },
          },
        },
      },
      {
        atMs: 124892,
        webApp: {
          do: 'edit',
          at: 'web/front',
          change: {
            expose: {
              ingress: { name: 'shared' },
              hosts: ['shop.example.org', '*.example.org'],
              paths: ['/cart/*', '/c*', '/x'],
              listener: null,
            },
          },
        },
      },
      { atMs: 126676, myIngress: { do: 'delete', at: 'web/shared' } },
      {
        atMs: 134965,
        myIngress: {
          do: 'create',
          at: 'web/shared',
          spec: {
            subnets: ['subnet-a', 'subnet-b'],
            listeners: [
              { port: 80, protocol: 'HTTP' },
              { port: 8080, protocol: 'HTTP' },
            ],
            allowedNamespaces: { from: 'Selector', selector: { matchLabels: { team: 'b' } } },
          },
        },
      },
    ],
    faults: [{ kind: 'apiDown', fromMs: 106425, forMs: 39450 }],
  },
};
