import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take minutes, the longest first. Where one of them begins last, a core waits for it in the end. */
const LONGEST = [
  'simulation/simulation',
  'localstack/readiness-gates',
  'deploy/guardrails',
  'deploy/kinds',
  'simulation/forging/forging',
  'deploy/overlays',
  'workloads/config-monitor-rows',
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
