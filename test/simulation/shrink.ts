import { runScenario } from './run-scenario.ts';
import type { Scenario, Settings } from './scenario.ts';

const MOST_RUNS = 300;

/** What a world needs least; each is tried once. */
const PLAINER: readonly Partial<Settings>[] = [
  { replicas: 1, election: false },
  { budget: 'off', accountBudget: 'off' },
  { isClusterIdConfigured: true },
  { wallSkewMs: 0 },
  { provisioningMs: 0 },
  { concurrency: 1 },
];

/** The smallest scenario found that breaks the same promise as `scenario` does. */
export async function shrink(scenario: Scenario, invariant: string): Promise<Scenario> {
  let runs = 0;
  const breaks = async (candidate: Scenario): Promise<boolean> => {
    if (runs++ >= MOST_RUNS) return false;
    return (await runScenario(candidate)).violation?.invariant === invariant;
  };
  let smallest = scenario;
  for (let before: Scenario | undefined; before !== smallest; ) {
    before = smallest;
    smallest = await withLess(smallest, 'faults', breaks);
    smallest = await withLess(smallest, 'steps', breaks);
  }
  for (const plainer of PLAINER) {
    const candidate = { ...smallest, settings: { ...smallest.settings, ...plainer } };
    if (await breaks(candidate)) smallest = candidate;
  }
  return smallest;
}

/** Leaves out ever smaller runs of the list for as long as the promise stays broken. */
async function withLess(
  scenario: Scenario,
  part: 'faults' | 'steps',
  breaks: (candidate: Scenario) => Promise<boolean>,
): Promise<Scenario> {
  let smallest = scenario;
  for (
    let size = Math.ceil(scenario[part].length / 2);
    size >= 1;
    size = size > 1 ? Math.ceil(size / 2) : 0
  ) {
    for (let at = smallest[part].length - size; at >= 0; at -= size) {
      const list: readonly unknown[] = smallest[part];
      const candidate = { ...smallest, [part]: list.toSpliced(at, size) };
      if (await breaks(candidate)) smallest = candidate;
    }
  }
  return smallest;
}
