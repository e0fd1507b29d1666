import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plantProject } from './planted-project.ts';

const root = resolve(import.meta.dirname, '../../..');

/** One fault for each step; what the step then says of it. */
const faults: Readonly<Record<string, { file: string; content: string; says: string }>> = {
  'format, order of imports': {
    file: 'src/core/format.ts',
    content: 'export const a = "double"\n',
    says: 'src/core/format.ts format',
  },
  'lint, layer rules': {
    file: 'src/core/lint.ts',
    content: "import '../kube/k.ts';\n",
    says: 'src/core/lint.ts:1:1 albridge(core-knows-nobody)',
  },
  types: {
    file: 'src/core/types.ts',
    content: "export const a: number = 'text';\n",
    says: 'src/core/types.ts(1,14): error TS2322',
  },
  'dead code, dependencies': {
    file: 'src/core/dead.ts',
    content: 'export const nobodyUsesThis = 1;\n',
    says: 'src/core/dead.ts',
  },
  'types mirror the CRDs': {
    file: 'src/apis/types/my-ingress.ts',
    content: 'export const edited = 1;\n',
    says: 'src/apis/types/my-ingress.ts is out of date',
  },
  'docs mirror the code': {
    file: 'docs/reasons.md',
    content: 'edited\n',
    says: 'docs/reasons.md is out of date',
  },
  'unit tests': {
    file: 'test/unit/bad.test.ts',
    content: "import { expect, it } from 'vitest';\n\nit('fails', () => expect(1).toBe(2));\n",
    says: '0 passed, 1 failed',
  },
};

/** The pages, and what they are written from. */
const DOCUMENTED = ['docs', 'crds', 'deploy/argocd', 'src'];

describe('npm run check', () => {
  const planted = Object.values(faults).map(({ file, content }) => [file, content]);
  using project = plantProject(Object.fromEntries(planted) as Record<string, string>);
  for (const path of DOCUMENTED) {
    cpSync(join(root, path), join(project.directory, path), { recursive: true, force: false });
  }
  const { status, stdout } = spawnSync(process.execPath, ['test/gates/check.ts'], {
    cwd: project.directory,
    encoding: 'utf8',
    env: { ...process.env, NO_COLOR: '1' },
  });
  const sections = new Map(
    stdout.split(/^(?=[✓✗] )/m).map((section) => {
      const [, mark, name = ''] = /^([✓✗]) (.+) \d+\.\d s$/m.exec(section) ?? [];
      return [name, { mark, section }];
    }),
  );

  it.each(Object.entries(faults))('runs and fails the step: %s', (name, { says }) => {
    expect(sections.get(name)?.mark).toBe('✗');
    expect(sections.get(name)?.section).toContain(says);
  });

  it('has no step without a planted fault', () => {
    expect([...sections.keys()]).toEqual(Object.keys(faults));
  });

  it('fails at the end and says what has failed', () => {
    expect(status).toBe(1);
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(
      `check failed: ${Object.keys(faults).join('; ')}`,
    );
  });
});
