import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DEFAULT_LIMITS, parseBudgetLimits } from '../../../src/aws/budget/budget-limits.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');
const page = readFileSync(resolve(DOCS, 'configuration.md'), 'utf8');
const [, section = ''] = /^## Budget file\n([^]*)/m.exec(page) ?? [];

const blocksOf = (language: string): readonly string[] =>
  [...section.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, text = '']) => text,
  );

interface Volumes {
  readonly volumes: readonly { readonly name: string; readonly configMap: { name: string } }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

describe('the budget file of docs/configuration.md', () => {
  it('is one that the operator reads, with larger limits than the default', () => {
    const [example = '', ...more] = blocksOf('json');
    expect(more).toEqual([]);
    const parsed = parseBudgetLimits(example);
    expect(parsed).toMatchObject({ kind: 'limits' });
    if (parsed.kind !== 'limits') return;
    for (const name of ['account', 'reads', 'writes'] as const) {
      expect(parsed.limits[name].burst).toBe(2 * DEFAULT_LIMITS[name].burst);
      expect(parsed.limits[name].perSecond).toBe(2 * DEFAULT_LIMITS[name].perSecond);
    }
    expect(parsed.limits.intensive).toBe(DEFAULT_LIMITS.intensive);
  });

  it('has a row for each bucket', () => {
    const names = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(DEFAULT_LIMITS));
  });

  it('is mounted where the setting expects it, by kustomize and by Helm', () => {
    const [kustomization, values] = blocksOf('yaml').map((text) => parse(text) as object);
    const { configMapGenerator, patches } = kustomization as {
      readonly configMapGenerator: readonly [{ readonly name: string; readonly files: string[] }];
      readonly patches: readonly [{ readonly patch: string }];
    };
    expect(configMapGenerator[0].files).toEqual(['budget.json']);
    const { spec } = (parse(patches[0].patch) as { spec: { template: { spec: Pod } } }).spec
      .template;
    const [operator] = spec.containers;
    const byKustomize = { volumes: spec.volumes, volumeMounts: operator.volumeMounts };
    const { settings, ...byHelm } = values as Volumes & { settings: Record<string, string> };
    expect(byKustomize).toEqual(byHelm);
    expect(byHelm.volumes[0]?.configMap.name).toBe(configMapGenerator[0].name);
    const path = `${byHelm.volumeMounts[0]?.mountPath}/budget.json`;
    expect(settings['ALBRIDGE_AWS_BUDGET']).toBe(path);
    expect(section).toContain(`- ALBRIDGE_AWS_BUDGET=${path}`);
  });

  it.each(['alerts.md', 'reasons.md', 'sizing.md', 'aws-operations.md'])(
    'is what %s sends its reader to',
    (name) => {
      const text = readFileSync(resolve(DOCS, name), 'utf8');
      expect(text).toContain('](configuration.md#budget-file)');
      expect(text).not.toMatch(/ALBRIDGE_AWS_BUDGET[^|\n]*\]\(configuration\.md\)/);
    },
  );
});

interface Pod extends Pick<Volumes, 'volumes'> {
  readonly containers: readonly [Pick<Volumes, 'volumeMounts'>];
}
