import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { removeCallersSettings } from './test/gates/clean-environment.ts';
import { seedDraws } from './test/gates/draw-seed.ts';
import { LongestFirst } from './test/gates/longest-first.ts';

// Every way of running vitest comes through this file, so no test ever sees a real account.
removeCallersSettings(process.env);
// And each draws the same for the same commit.
seedDraws(process.env, import.meta.dirname, Date.now());

/** Who plays AWS in the suite of test/aws; `npm run test:aws` chooses another. */
const backends = (process.env['ALBRIDGE_TEST_AWS'] ?? 'embedded,localstack').split(',');

/** For a machine that is busy: a single wait of a test or of a hook, which starts servers, ends before, with better words. */
const slow = { testTimeout: 180_000, hookTimeout: 300_000 } as const;

/** Journeys of minutes: what somebody types from a clone to the last page, right or wrong, installs, upgrades and takes away. */
const journeys = [
  'bad-arguments',
  'documentation',
  'image-demo',
  'kstatus',
  'oldest-kubernetes',
  'reference-pages',
  'rights',
  'undeploy',
  'upgrade',
].map((name) => `test/deploy/${name}.test.ts`);

/** Minutes each: the whole demo, all guides, thousands of objects, hundreds of edits behind a slow API server, the suite for an account. */
const lengthy = [
  'demo/*',
  'localstack/{operator-{bloated,outage,slow-server},aws-account}',
  'monitoring/*',
  'sandbox/guides',
  'shells/*',
].map((name) => `test/${name}.test.ts`);

/** Tests of whole worlds, random ones or with a process that dies anywhere: `npm run check` has no time for them. */
const worlds = [
  'controllers/my-ingress/{adoption,crash,drift-scan,faults,late-edit,preview,random,undo}',
  'controllers/my-ingress/attaching/{certificates,quota}',
  'controllers/my-ingress/discovery/certificates',
  'controllers/my-ingress/graph/{full-rules,plan-properties,projection,embedded-plan,least-writes}',
  'controllers/my-ingress/listeners/transition',
  'controllers/my-ingress/traffic/{cut-short,deletion,forms,left-tags,listener-settings,random-life,restored,spent-budget}',
  'controllers/targets/random',
  'localstack/**/random-sequences',
  'simulation/{observe-mode,traffic-routing}',
].map((name) => `test/unit/${name}.test.ts`);

/** Minutes of one core each: 200 worlds with every crash point, every planted bug, every status field forged, every call of a create cut off, an hour of thousands of balancers. */
const exhaustive = ['fixed-worlds', 'forging/*', 'planted-bugs', 'scale/*', 'traffic/crash*'].map(
  (name) => `test/simulation/${name}.test.ts`,
);

/** Tests of programs, which they start, and of what waits for a second or more. */
const programs = [
  'bench/main',
  'cli/{account/refused-by-aws,adopt/observe-balancer,connection,main,streams}',
  'config/no-home',
  'control-plane/{locate,main,watchdog}',
  'deploy/{bundle,makefile,install-page,release,release-source,release-steps,undeploy,undeploy-reach}',
  'docs/{commands,site}',
  'gates/{all,check,layers,lint,node-version,run}',
  'main',
  'localstack/{http/other-controller,localstack-command,processes,test-aws-command}',
  'simulation/command',
  'surroundings/{pod-runner,repeater}',
  'telemetry/log-destination',
].map((name) => `test/unit/${name}.test.ts`);

/** Groups run in the order of their numbers; projects of one group beside each other, with the same number of workers. */
const computing = { maxWorkers: availableParallelism(), sequence: { groupOrder: 0 } } as const;
/**
 * Most of the time the tests wait for watches, leases and processes, so more of them run than there are cores.
 * The simulation, which computes, runs beside them: it takes what they leave.
 */
const waiting = { maxWorkers: 5, sequence: { groupOrder: 1 } } as const;

/** No file leaves anything behind in a module: each worker loads the source once. */
const shared = {
  isolate: false,
  testTimeout: 180_000,
  setupFiles: 'test/gates/seeded-draws.ts',
  ...computing,
} as const;

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          exclude: [...worlds, ...programs],
          ...shared,
        },
      },
      { test: { name: 'worlds', include: worlds, ...shared } },
      { test: { name: 'programs', include: programs, ...shared } },
      {
        test: {
          name: 'simulation',
          include: ['test/simulation/**/*.test.ts'],
          exclude: exhaustive,
          // Each of them starts a process that is busy all the time.
          maxConcurrency: 2,
          ...waiting,
          ...slow,
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'envtest',
          include: ['test/envtest/**/*.test.ts'],
          globalSetup: ['test/control-plane/global-setup.ts'],
          ...waiting,
          ...slow,
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'localstack',
          include: ['test/{localstack,sandbox}/**/*.test.ts'],
          exclude: lengthy,
          globalSetup: ['test/localstack/setup.ts'],
          maxConcurrency: 12,
          ...waiting,
          ...slow,
          testTimeout: 300_000,
        },
      },
      {
        test: {
          // What takes minutes, for `npm run test:all`: all projects whose names begin with this.
          name: 'long',
          include: lengthy,
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
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
          sequence: { groupOrder: 3 },
          ...slow,
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'long-helm',
          include: ['test/helm/*.test.ts'],
          globalSetup: ['test/deploy/setup.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
          ...slow,
          testTimeout: 600_000,
          // The first one builds helm.
          hookTimeout: 1_800_000,
        },
      },
      {
        test: {
          // Finds Chromium, where it is not installed, in Debian's packages: 125 MB.
          name: 'long-browser',
          include: ['test/browser/*.test.ts'],
          sequence: { groupOrder: 5 },
          ...slow,
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'long-simulation',
          include: exhaustive,
          maxWorkers: 2,
          maxConcurrency: 2,
          sequence: { groupOrder: 4 },
          ...slow,
          testTimeout: 600_000,
        },
      },
      ...backends.map((backend) => ({
        test: {
          name: `aws-${backend}`,
          // The embedded stand-in is compared with LocalStack, whose Python brings AWS's model.
          include: [
            `test/aws/${backend === 'localstack' ? '**/' : ''}*.test.ts`,
            ...(backend === 'moto' ? ['test/aws/fidelity/*comparison.test.ts'] : []),
          ],
          globalSetup: ['test/aws/setup.ts'],
          maxConcurrency: 12,
          ...waiting,
          // Somebody pays for an account, and AWS throttles it.
          ...(backend === 'account' && { maxWorkers: 2 }),
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
          ...waiting,
          ...slow,
          testTimeout: 600_000,
        },
      },
      {
        test: {
          name: 'workloads',
          include: ['test/workloads/**/*.test.ts'],
          globalSetup: ['test/workloads/setup.ts'],
          ...waiting,
          ...slow,
          testTimeout: 300_000,
        },
      },
    ],
  },
});
