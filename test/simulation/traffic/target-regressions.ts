import { PLAIN } from '../plain-settings.ts';
import type { Regression } from '../regression.ts';

/** Of MyIngress: what is registered, and when. */
export const TARGET_REGRESSIONS: Readonly<Record<string, Regression>> = {
  'registers what was published while the object is being deleted': {
    why: 'the simulation took an edit during the deletion for the spec; the operator followed the last one rightly',
    seed: 3100000448,
    scenario: {
      seed: 3100000448,
      settings: { ...PLAIN, sweepMs: 60000, interfacesLingerMs: 0 },
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
      faults: [],
    },
  },
};
