import type { Regression } from '../regression.ts';

/** Of MyIngress: what is registered, and when. */
export const TARGET_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'registers what was published while the object is being deleted': {
    why: 'the simulation took an edit during the deletion for the spec; the operator followed the last one rightly',
    seed: 3100000448,
    settings: { sweepMs: 60000, interfacesLingerMs: 0 },
    steps: [
      {
        atMs: 19576,
        myIngress: {
          do: 'create',
          at: 'web/shop',
          spec: {
            subnets: ['subnet-b', 'subnet-c'],
            scheme: 'internal',
            backends: [
              {
                name: 'web',
                service: { name: 'web', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '0' },
                healthCheck: { path: '/healthz', intervalSeconds: 10 },
              },
              {
                name: 'api',
                service: { name: 'web', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '5' },
              },
            ],
            defaultAction: { forward: [{ backend: 'web' }] },
          },
        },
      },
      {
        atMs: 20576,
        service: { do: 'apply', at: 'web/next', pods: 3, port: { name: 'http', port: 80 } },
      },
      {
        atMs: 59846,
        myIngress: {
          do: 'meddle',
          at: 'web/shop',
          meddling: { what: 'attribute', key: 'deletion_protection.enabled', value: 'true' },
        },
      },
      {
        atMs: 101285,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: {
            backends: [
              {
                name: 'web',
                service: { name: 'web', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '0' },
                healthCheck: { path: '/healthz', intervalSeconds: 10 },
              },
              {
                name: 'api',
                service: { name: 'next', port: 'http' },
                attributes: { 'deregistration_delay.timeout_seconds': '0' },
              },
            ],
          },
        },
      },
      { atMs: 117653, myIngress: { do: 'delete', at: 'web/shop' } },
      {
        atMs: 128142,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: {
            backends: [
              {
                name: 'web',
                service: { name: 'web', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '0' },
                healthCheck: { path: '/healthz', intervalSeconds: 10 },
              },
              {
                name: 'api',
                service: { name: 'absent', port: 80 },
                healthCheck: { path: '/healthz', intervalSeconds: 10 },
              },
            ],
          },
        },
      },
      { atMs: 169423, service: { do: 'recreate', at: 'web/next' } },
    ],
  },
  'sends no request to a target that has left its group before the group is used again': {
    why: 'the simulation took a target that had left before the first request for one that still gets some; no moment has both',
    seed: 3300003088,
    settings: {
      provisioningMs: 30000,
      isClusterIdConfigured: false,
      interfacesLingerMs: 20000,
      readinessGates: true,
    },
    steps: [
      {
        atMs: 6555,
        myIngress: {
          do: 'create',
          at: 'web/shop',
          spec: {
            subnets: ['subnet-b', 'subnet-c'],
            scheme: 'internal',
            securityGroups: ['sg-web'],
            backends: [
              {
                name: 'web',
                service: { name: 'next', port: 'http' },
                attributes: { 'deregistration_delay.timeout_seconds': '30' },
                healthCheck: { path: '/', intervalSeconds: 10 },
              },
            ],
            listeners: [
              { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
              {
                port: 443,
                protocol: 'HTTPS',
                certificates: [
                  'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000002',
                  'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000003',
                  'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000001',
                ],
              },
            ],
            rules: [
              {
                name: 'old',
                paths: ['/api/v1'],
                forward: [{ backend: 'web' }],
                rewrite: {
                  host: { regex: '^(.+)[.]example[.]com$', replace: '$1.internal' },
                  url: { regex: '^/api/(.*)$', replace: '/v2/$1' },
                },
              },
              {
                name: 'cart',
                hosts: ['*.example.com'],
                paths: ['/api/*'],
                forward: [{ backend: 'web' }],
              },
              {
                name: 'beta',
                hosts: ['api.example.com', 'other.test'],
                paths: ['/cart'],
                redirect: { statusCode: 302, path: '/moved', host: '#{host}' },
              },
              {
                name: 'shop',
                hosts: ['shop.example.com'],
                paths: ['/api/v?'],
                redirect: { statusCode: 302, path: '/moved', host: '#{host}' },
              },
              {
                name: 'health',
                hosts: ['*.example.com'],
                redirect: { statusCode: 302, path: '/moved', host: '#{host}' },
              },
              {
                name: 'all',
                hosts: ['shop.example.com'],
                paths: ['/api/v1'],
                fixedResponse: { statusCode: 410, body: 'gone' },
              },
            ],
          },
        },
      },
      {
        atMs: 7555,
        service: { do: 'apply', at: 'web/api', pods: 2, port: { name: 'http', port: 80 } },
      },
      {
        atMs: 42341,
        service: { do: 'apply', at: 'web/web', pods: 1, port: { name: 'http', port: 80 } },
      },
      {
        atMs: 43416,
        service: { do: 'apply', at: 'web/next', pods: 3, port: { name: 'http', port: 80 } },
      },
      { atMs: 58400, service: { do: 'roll', at: 'web/web' } },
      {
        atMs: 61125,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: {
            backends: [
              {
                name: 'web',
                service: { name: 'web', port: 'http' },
                attributes: { 'deregistration_delay.timeout_seconds': '30' },
                healthCheck: { path: '/ready', intervalSeconds: 10 },
                protocolVersion: 'HTTP2',
              },
            ],
          },
        },
      },
      { atMs: 92616, service: { do: 'scale', at: 'web/web', pods: 0 } },
      {
        atMs: 101586,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: { securityGroups: ['sg-web', 'sg-admin'], inbound: null },
        },
      },
      { atMs: 112326, service: { do: 'roll', at: 'web/next' } },
      { atMs: 129038, service: { do: 'fail', at: 'web/next' } },
      { atMs: 141786, service: { do: 'recover', at: 'web/next' } },
      {
        atMs: 161327,
        myIngress: {
          do: 'edit',
          at: 'web/shop',
          change: {
            backends: [
              {
                name: 'web',
                service: { name: 'next', port: 'http' },
                attributes: { 'deregistration_delay.timeout_seconds': '0' },
              },
              {
                name: 'api',
                service: { name: 'api', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '30' },
                healthCheck: { path: '/', intervalSeconds: 10 },
              },
              {
                name: 'next',
                service: { name: 'absent', port: 'http' },
                attributes: { 'deregistration_delay.timeout_seconds': '5' },
                healthCheck: { path: '/', intervalSeconds: 10 },
                protocol: 'HTTPS',
                stickiness: { durationSeconds: 60 },
                targetType: 'instance',
              },
              {
                name: 'canary',
                service: { name: 'next', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '5' },
                healthCheck: { path: '/ready', intervalSeconds: 10 },
                protocol: 'HTTPS',
              },
            ],
            listeners: [{ port: 80, protocol: 'HTTP' }],
            rules: [
              {
                name: 'api',
                paths: ['/api/v?'],
                redirect: { statusCode: 302, path: '/moved', host: '#{host}' },
              },
              {
                name: 'beta',
                hosts: ['api.example.com', 'other.test'],
                paths: ['/cart'],
                fixedResponse: { statusCode: 410, body: 'gone' },
              },
              {
                name: 'cart',
                hosts: ['*.example.com'],
                paths: ['/api/*'],
                forward: [{ backend: 'api' }],
                rewrite: { url: { regex: '^/api/(.*)$', replace: '/v2/$1' } },
              },
              {
                name: 'all',
                hosts: ['shop.example.com'],
                paths: ['/api/v1'],
                forward: [{ backend: 'canary' }],
                listeners: [80],
              },
            ],
            defaultAction: { forward: [{ backend: 'web' }] },
          },
        },
      },
    ],
  },
  'registers a new node by the node port that the watch of its Service still shows': {
    why: 'the model took the watches of nodes and of Services for one, which show the same moment',
    seed: 3700003277,
    settings: { isClusterIdConfigured: false, interfacesLingerMs: 20000 },
    steps: [
      {
        atMs: 4340,
        service: { do: 'apply', at: 'web/next', pods: 4, port: { name: 'http', port: 80 } },
      },
      {
        atMs: 8718,
        myIngress: {
          do: 'create',
          at: 'web/shop',
          spec: {
            subnets: ['subnet-a', 'subnet-b'],
            backends: [
              {
                name: 'web',
                service: { name: 'web', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '5' },
              },
              {
                name: 'api',
                service: { name: 'next', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '0' },
                healthCheck: { path: '/healthz', intervalSeconds: 10 },
                targetType: 'instance',
              },
              {
                name: 'next',
                service: { name: 'next', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '30' },
                protocol: 'HTTPS',
              },
              {
                name: 'canary',
                service: { name: 'next', port: 80 },
                attributes: { 'deregistration_delay.timeout_seconds': '5' },
                healthCheck: { path: '/ready', intervalSeconds: 10 },
                targetType: 'instance',
              },
            ],
            listeners: [
              { port: 80, protocol: 'HTTP' },
              { port: 8080, protocol: 'HTTP' },
              {
                port: 443,
                protocol: 'HTTPS',
                certificates: [
                  'arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-000000000001',
                ],
              },
            ],
            rules: [
              {
                name: 'images',
                paths: ['/api/v?'],
                forward: [{ backend: 'api' }],
                rewrite: { host: { regex: '^(.+)[.]example[.]com$', replace: '$1.internal' } },
              },
            ],
            defaultAction: { forward: [{ backend: 'web' }] },
          },
        },
      },
      {
        atMs: 198558,
        service: { do: 'apply', at: 'web/next', pods: 4, port: { name: 'web', port: 8000 } },
      },
      { atMs: 203025, node: { do: 'launch', node: 2 } },
    ],
    faults: [{ kind: 'apiDown', fromMs: 192831, forMs: 8715 }],
  },
};
