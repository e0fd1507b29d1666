import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metricsPage } from '../../../docs/metrics.ts';
import type { MetricDefinition } from '../../../src/core/ports/metrics.ts';
import { metricDefinitions } from '../../../src/setup/metrics.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** Names of metrics in the files that declare definitions. */
function listDeclared(): readonly string[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .map((path) => readFileSync(resolve(ROOT, path), 'utf8'))
    .filter((text) => text.includes('satisfies Record<string, MetricDefinition>'))
    .flatMap((text) => [...text.matchAll(/^ {4}name: '([a-z0-9_]+)',$/gm)])
    .map(([, name = '']) => name);
}

describe('docs/metrics.md', () => {
  it('has a section for each metric that the source declares', () => {
    const declared = listDeclared();
    const sections = [...metricsPage().matchAll(/^## (.+)$/gm)].map(([, name = '']) => name);
    expect(declared.length).toBeGreaterThan(40);
    expect(sections.toSorted()).toEqual(declared.toSorted());
  });

  it('shows type, labels, help and use', () => {
    const depth = {
      type: 'gauge',
      name: 'tea_depth',
      help: 'Cups.',
      use: 'You are thirsty.',
      labels: ['pot', 'room'],
    } as const satisfies MetricDefinition;
    expect(metricsPage([{ depth }])).toContain(
      '## tea_depth\n\nGauge, by `pot`, `room`. Cups. *When to look:* You are thirsty.\n',
    );
  });

  it('describes each metric in sentences', () => {
    const all = metricDefinitions.flatMap((group) => Object.values(group));
    for (const { help, use = '.', name } of all) {
      expect(help, name).toMatch(/^\S.{8,}\.$/);
      expect(use, name).toMatch(/\.$/);
    }
  });
});

/** Of ours, which Node's own metrics are not. */
const NAME =
  /\b(?:albridge|aws_api|controller_runtime|workqueue|rest_client|reflector|leader_election)_[a-z0-9_]*[a-z0-9]\b/g;

it('no page, alert or panel names a metric that the source does not declare', () => {
  const all = metricDefinitions.flatMap((group) => Object.values(group));
  const declared = all.flatMap(({ name, type }) =>
    type === 'histogram' ? [name, `${name}_bucket`, `${name}_sum`, `${name}_count`] : name,
  );
  const known = new Set<string>(declared);
  const places = ['README.md', 'docs/**/*.md', 'deploy/{alerts,dashboards}/*'];
  const named = globSync(places, { cwd: ROOT }).flatMap((path) => {
    const names = readFileSync(resolve(ROOT, path), 'utf8').match(NAME) ?? [];
    return names.map((name) => ({ path, name }));
  });
  expect(new Set(named.map(({ path }) => path)).size).toBeGreaterThan(5);
  expect(named.filter(({ name }) => !known.has(name))).toEqual([]);
});
