import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RULES } from '../../deploy/alerts.ts';
import { type CommandResult, runCommand } from '../control-plane/run-command.ts';
import { locatePrometheus } from './debian-prometheus.ts';
import type { Labels, Sample, Scrape } from './exposition.ts';

/** A series of a test of rules, with a value for each minute. */
export interface Series extends Pick<Sample, 'name' | 'labels'> {
  /** https://prometheus.io/docs/prometheus/latest/configuration/unit_testing_rules/#series */
  readonly values: string;
}

/** When which alerts fire, and no others; in minutes. */
export interface Expected {
  readonly atMinutes: number;
  readonly firing: readonly string[];
}

export const MINUTES = 240;

/** Runs promtool with the rules; its output on a failure names expression, expected and received. */
export async function testRules(
  directory: string,
  series: readonly Series[],
  expected: readonly Expected[],
): Promise<CommandResult> {
  const test = {
    interval: '1m',
    input_series: series.map(({ name, labels, values }) => ({
      series: `${name}{${formatLabels({ job: 'albridge', instance: 'one', ...labels })}}`,
      values,
    })),
    promql_expr_test: expected.map(({ atMinutes, firing }) => ({
      expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${atMinutes}m`,
      exp_samples: firing.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    })),
  };
  const file = join(directory, 'test.yaml');
  const whole = { rule_files: [RULES], evaluation_interval: '1m', tests: [test] };
  await writeFile(file, JSON.stringify(whole));
  return runPromtool(['test', 'rules', file]);
}

export async function runPromtool(args: readonly string[]): Promise<CommandResult> {
  const { path } = await locatePrometheus('promtool');
  return runCommand(path, args, { env: {} });
}

/** The series of the last scrape, each going on as it went between the two; times count from 1970. */
export function extrapolate([before, after]: readonly [Scrape, Scrape]): readonly Series[] {
  const minutes = (after.atSeconds - before.atSeconds) / 60;
  return after.samples.map(({ name, labels, value }) => {
    const isTime = name.endsWith('_timestamp_seconds');
    const [earlier] = before.find(name, labels);
    const slope = (value - (earlier?.value ?? value)) / minutes;
    const first = isTime ? value - after.atSeconds : value;
    const perMinute = isTime ? 60 : slope;
    return {
      name,
      labels,
      values: `${first.toFixed(6)}+${Math.max(0, perMinute).toFixed(6)}x${MINUTES}`,
    };
  });
}

function formatLabels(labels: Labels): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
}
