import { defineConfig } from 'vitest/config';
import { removeCallersSettings } from './test/gates/clean-environment.ts';

// Every way of running vitest comes through this file, so no test ever sees a real account.
removeCallersSettings(process.env);

/** Who plays AWS in the suite of test/aws; `npm run test:aws` chooses another. */
const backends = (process.env['ALBRIDGE_TEST_AWS'] ?? 'embedded,localstack').split(',');

/** For a machine that is busy: a single wait of a test ends before, with better words. */
const slow = { testTimeout: 60_000, hookTimeout: 120_000 } as const;

/** Journeys of minutes: what somebody types from a clone to the last page, installs, upgrades and takes away. */
const journeys = ['documentation', 'rights', 'undeploy', 'upgrade'].map(
  (name) => `test/deploy/${name}.test.ts`,
);

/** Projects of one group run beside each other, and then have the same number of workers. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 60_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          exclude: ['test/simulation/scale/**'],
          // Each of them starts a process that is busy all the time.
          maxConcurrency: 2,
          sequence: { groupOrder: 1 },
          ...slow,
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'envtest',
          include: ['test/envtest/**/*.test.ts'],
          globalSetup: ['test/control-plane/global-setup.ts'],
          // Most of the time the tests wait for watches and leases.
          maxWorkers: 4,
          sequence: { groupOrder: 2 },
          ...slow,
          testTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'localstack',
          include: ['test/{localstack,demo,sandbox}/**/*.test.ts'],
          exclude: ['test/localstack/operator-bloated.test.ts', 'test/demo/interrupted.test.ts'],
          globalSetup: ['test/localstack/setup.ts'],
          // Most of the time the tests wait for processes, so more of them run than there are cores.
          maxWorkers: 4,
          maxConcurrency: 12,
          sequence: { groupOrder: 3 },
          ...slow,
          testTimeout: 180_000,
        },
      },
      {
        test: {
          // What takes minutes, for `npm run test:all`: all projects whose names begin with this.
          name: 'long',
          include: ['test/localstack/operator-bloated.test.ts', 'test/demo/interrupted.test.ts'],
          sequence: { groupOrder: 5 },
          ...slow,
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'long-deploy',
          include: journeys,
          globalSetup: ['test/deploy/setup.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 6 },
          ...slow,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          // An hour of thousands of balancers in as many minutes as the machine allows.
          name: 'long-simulation',
          include: ['test/simulation/scale/*.test.ts'],
          sequence: { groupOrder: 7 },
          ...slow,
          testTimeout: 600_000,
        },
      },
      ...backends.map((backend) => ({
        test: {
          name: `aws-${backend}`,
          // The embedded stand-in is compared with LocalStack, whose Python brings AWS's model.
          include: [`test/aws/${backend === 'localstack' ? '**/' : ''}*.test.ts`],
          globalSetup: ['test/aws/setup.ts'],
          maxWorkers: 2,
          maxConcurrency: 12,
          sequence: { groupOrder: 4 },
          ...slow,
          // AWS itself lets thirty creates wait for minutes.
          testTimeout: backend === 'account' ? 600_000 : 180_000,
          // A first start installs the backend.
          hookTimeout: 600_000,
        },
      })),
      {
        test: {
          name: 'deploy',
          include: ['test/deploy/**/*.test.ts'],
          exclude: journeys,
          globalSetup: ['test/deploy/setup.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 4 },
          ...slow,
          testTimeout: 600_000,
          hookTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'workloads',
          include: ['test/workloads/**/*.test.ts'],
          globalSetup: ['test/workloads/setup.ts'],
          // Most of the time the tests wait for controllers, so more of them run than there are cores.
          maxWorkers: 4,
          sequence: { groupOrder: 3 },
          ...slow,
          testTimeout: 180_000,
        },
      },
    ],
  },
});
