import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long, the longest of each group first. Where one of them begins last, a core waits for it in the end. */
const LONGEST = [
  'unit/deploy/release',
  'unit/deploy/undeploy',
  'simulation/simulation',
  'deploy/guardrails',
  'deploy/kinds',
  'localstack/command-line',
  'localstack/readiness-gates',
  'workloads/my-ingress-examples',
  'deploy/policies',
  'deploy/overlays',
  'deploy/bad-input',
  'deploy/reference-pages',
  'sandbox/guides',
  'workloads/config-monitor',
  'workloads/config-monitor-rows',
  'localstack/operator-bloated',
  'demo/interrupted',
  'deploy/upgrade',
  'deploy/undeploy',
  'deploy/documentation',
  'simulation/planted-bugs',
  'simulation/forging/forging',
  'simulation/traffic/crash',
  'simulation/traffic/crash-settings',
].map((name) => `/test/${name}.test.ts`);

/** vitest's order, but for the longest files, each of which begins before all others of its group. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) => groupOf(one) - groupOf(other) || rankOf(one) - rankOf(other),
    );
  }
}

function groupOf({ project }: TestSpecification): number {
  return project.config.sequence.groupOrder;
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((ending) => moduleId.endsWith(ending));
  return rank < 0 ? LONGEST.length : rank;
}
