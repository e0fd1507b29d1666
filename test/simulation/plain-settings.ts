import type { Settings } from './scenario.ts';

/** A world as simple as it can be. */
export const PLAIN: Settings = {
  replicas: 1,
  election: false,
  isClusterIdConfigured: true,
  budget: 'off',
  accountBudget: 'off',
  provisioningMs: 0,
  quota: 50,
  sweepMs: 300_000,
  concurrency: 1,
  wallSkewMs: 0,
};
