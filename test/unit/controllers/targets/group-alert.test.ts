import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Key } from '../../../../src/core/objects/kube-object.ts';
import type { MetricDefinition } from '../../../../src/core/ports/metrics.ts';
import { servedBy, TargetsBench } from './targets-bench.ts';

const MINUTE_MS = 60_000;
const RULES = new URL('../../../../deploy/alerts/rules.yaml', import.meta.url);
const EXPR = /^(?:sum|max) by \(job\) \((\w+)(?:\{state="(\w+)"\})?\) > (\d+)$/;

/** What Prometheus evaluates, with one installation: whether the expression of the alert is true now. */
function readAlert(bench: TargetsBench): boolean {
  const { groups } = parse(readFileSync(RULES, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Record<string, string>[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  const rule = rules.find((one) => one['alert'] === 'AlbridgeTargetsUnhealthy');
  const [, name = '', state, bound] = EXPR.exec(rule?.['expr'] ?? '') ?? [];
  bench.targets.refreshMetrics();
  const labels = state === undefined ? {} : { state };
  return (bench.metrics.valueOf({ name } as MetricDefinition, labels) ?? 0) > Number(bound);
}

it('AlbridgeTargetsUnhealthy is silent where every four minutes another group is made, and is healthy within five', async () => {
  const bench = new TargetsBench();
  const isTrue: boolean[] = [];
  for (let minute = 0; minute < 40; minute++) {
    if (minute % 4 === 0) {
      const name = `preview${minute / 4}`;
      const service = { name, port: 'http' };
      bench.runPods({ [`10.0.0.${10 + minute}`]: 'ready' }, name);
      const key: Key = `web/${name}`;
      bench.targets.publish(key, [servedBy(bench.group(name), { service, isNew: true })]);
    }
    // AWS has provisioned its balancer, and has checked five times.
    await bench.clock.advance(MINUTE_MS / 2);
    if (minute >= 4 && minute % 4 === 0) bench.check(`preview${minute / 4 - 1}`, 'healthy');
    await bench.clock.advance(MINUTE_MS / 4);
    isTrue.push(readAlert(bench));
    await bench.clock.advance(MINUTE_MS / 4);
  }
  const longest = isTrue
    .join(' ')
    .split('false')
    .map((run) => run.trim().split(' ').length);
  expect(Math.max(...longest)).toBeLessThan(15);
});
