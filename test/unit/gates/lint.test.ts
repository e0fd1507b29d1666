import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plantProject } from './planted-project.ts';

interface Planting {
  readonly rule: string;
  readonly bad: string;
  /** Where it is planted; by default somewhere in src. */
  readonly file?: string;
}

const many = (count: number, line: string): string => `${line}\n`.repeat(count);
const nested = 'if (a) { if (a) { if (a) { if (a) { a(); } } } }';
const asked = Array.from({ length: 11 }, (_, i) => `if (n === ${i}) return ${i};`).join(' ');

/** Family of rules -> one planted violation. */
const plantings: Readonly<Record<string, Planting>> = {
  'a promise without an await': {
    rule: 'typescript(no-floating-promises)',
    bad: 'export function a(): void { Promise.resolve(1); }',
  },
  'a promise where a boolean is asked for': {
    rule: 'typescript(no-misused-promises)',
    bad: 'export function a(p: Promise<boolean>): number { return p ? 1 : 2; }',
  },
  'a switch that forgets a case': {
    rule: 'typescript(switch-exhaustiveness-check)',
    bad: "export function a(k: 'x' | 'y'): void { switch (k) { case 'x': break; } }",
  },
  'a thrown string': {
    rule: 'typescript(only-throw-error)',
    bad: "export function a(): never { throw 'text'; }",
  },
  any: { rule: 'typescript(no-explicit-any)', bad: 'export const a: any = 1;' },
  'a type imported as a value': {
    rule: 'typescript(consistent-type-imports)',
    bad: "import { Clock } from './clock.ts'; export const a = (c: Clock): Clock => c;",
  },
  'an export without return type': {
    rule: 'typescript(explicit-module-boundary-types)',
    bad: 'export function a() { return 1; }',
  },
  'a default export': { rule: 'import(no-default-export)', bad: 'export default 1;' },
  'the environment': { rule: 'node(no-process-env)', bad: "export const a = process.env['A'];" },
  'a long file': { rule: 'eslint(max-lines)', bad: many(251, 'export {};') },
  'a long test': {
    rule: 'eslint(max-lines)',
    file: 'test/long.test.ts',
    bad: many(401, 'export {};'),
  },
  'a long function': {
    rule: 'eslint(max-lines-per-function)',
    bad: `export function a(f: () => void): void {\n${many(40, 'f();')}}`,
  },
  'a function of many ways': {
    rule: 'eslint(complexity)',
    bad: `export function a(n: number): number { ${asked} return 99; }`,
  },
  'deep nesting': {
    rule: 'eslint(max-depth)',
    bad: `export function b(a: () => void): void { ${nested} }`,
  },
  'four parameters': {
    rule: 'eslint(max-params)',
    bad: 'export const a = (b: 1, c: 1, d: 1, e: 1): number => b + c + d + e;',
  },
  'Date.now': { rule: 'eslint(no-restricted-properties)', bad: 'export const a = Date.now();' },
  'Math.random': {
    rule: 'eslint(no-restricted-properties)',
    bad: 'export const a = Math.random();',
  },
  'AbortSignal.timeout': {
    rule: 'eslint(no-restricted-properties)',
    bad: 'export const a = AbortSignal.timeout(1);',
  },
  'new Date()': {
    rule: 'albridge(time-comes-from-the-clock)',
    bad: 'export const a = new Date();',
  },
  'a log message with a name in it': {
    rule: 'albridge(log-messages-are-constant)',
    bad: 'export function a(log: Console, b: string): void { log.info(`Deleted ${b}`); }',
  },
  'a log message of a private logger that is computed before': {
    rule: 'albridge(log-messages-are-constant)',
    bad: 'export class A { #log = console; a(b: string): void { this.#log.error(b); } }',
  },
  'a title of a test in words of its own': {
    rule: 'albridge(titles-are-plain)',
    file: 'test/title-tells.test.ts',
    bad: "import { it } from 'vitest'; it('tells of it', () => {});",
  },
  'a title of a table in words of its own': {
    rule: 'albridge(titles-are-plain)',
    file: 'test/title-told.test.ts',
    bad: "import { it } from 'vitest'; it.concurrent.each([1])(`is told ${1}`, () => {});",
  },
  'a title of a test with a look for a read': {
    rule: 'albridge(titles-are-plain)',
    file: 'test/title-look.test.ts',
    bad: "import { it } from 'vitest'; it('is looked at once', () => {});",
  },
  'a title of a group with wanted for desired': {
    rule: 'albridge(titles-are-plain)',
    file: 'test/title-wanted.test.ts',
    bad: "import { describe } from 'vitest'; describe('a wanted pod', () => {});",
  },
  'a script that runs before its last constant': {
    rule: 'albridge(scripts-run-last)',
    bad: "if (import.meta.main) await run();\nfunction run(): Promise<string> { return Promise.resolve(A); }\nconst A = 'a';",
  },
  'a script that runs in a block before a constant of its own type': {
    rule: 'albridge(scripts-run-last)',
    bad: "if (import.meta.main) { await run(); }\nfunction run(): Promise<string> { return Promise.resolve(A.b); }\nexport const A = { b: 'c' } as const;",
  },
  setTimeout: { rule: 'eslint(no-restricted-globals)', bad: 'setTimeout(() => undefined, 1);' },
  setInterval: { rule: 'eslint(no-restricted-globals)', bad: 'setInterval(() => undefined, 1);' },
  fetch: { rule: 'eslint(no-restricted-globals)', bad: "void fetch('http://a');" },
  'timers by import': {
    rule: 'eslint(no-restricted-imports)',
    bad: "import 'node:timers/promises';",
  },
  'chance by import': {
    rule: 'eslint(no-restricted-imports)',
    bad: "import { randomUUID } from 'node:crypto'; export const a = randomUUID();",
  },
  'a focused test': {
    rule: 'vitest(no-focused-tests)',
    file: 'test/focused.test.ts',
    bad: "import { it } from 'vitest'; it.only('a', () => undefined);",
  },
  'a suppression of everything': {
    rule: 'unicorn(no-abusive-eslint-disable)',
    bad: '// eslint-disable-next-line\nexport const a: any = 1;',
  },
};

const named = Object.entries(plantings).map(([name, planting], index) => ({
  name,
  file: planting.file ?? `src/core/planted-${index}.ts`,
  ...planting,
}));

/** Where the rules about time, chance and the environment end. */
const allowed: Readonly<Record<string, string>> = {
  'src/core/ports/clock.ts': 'export interface Clock { now(): number }',
  'src/system-clock.ts': 'export const a = [Date.now(), Math.random(), new Date()];',
  'src/kube/client/undici-transport.ts': 'export const a = setTimeout(() => undefined, 1);',
  'src/aws/client/sdk-api.ts': 'export const a = AbortSignal.timeout(1);',
  'src/config/config.ts': "export const a = process.env['A'];",
  'src/core/given-date.ts': 'export const a = (ms: number): Date => new Date(ms);',
  'src/core/logged.ts':
    "export const a = (log: Console): void => { const b = { log }; b.log.info('Deleted', 1); log.info(log ? 'c' : 'd'); };",
  'src/core/script.ts':
    "const A = 'a';\nif (import.meta.main) await run();\nfunction run(): Promise<string> { return Promise.resolve(A); }",
  'test/env.ts': "export const a = [process.env['A'], Date.now()];",
};

describe('lint rules', () => {
  using project = plantProject({
    ...allowed,
    ...Object.fromEntries(named.map(({ file, bad }) => [file, `${bad}\n`])),
  });
  const { code, lines } = project.lint();

  it('fail the linter', () => {
    expect(code).toBe(1);
  });

  it.each(named)('report $name', ({ file, rule }) => {
    const reported = lines.filter((line) => line.startsWith(`${file}:`));
    expect(reported.join('\n')).toContain(` ${rule}:`);
  });

  it.each(Object.keys(allowed))('leave %s alone', (file) => {
    expect(lines.filter((line) => line.startsWith(`${file}:`))).toEqual([]);
  });
});

describe('the linter as a gate', () => {
  it('passes a clean project, and says how much it has read', () => {
    using project = plantProject({ 'src/core/a.ts': 'export const a = 1;\n' });
    const { code, lines } = project.lint();
    expect({ code, last: lines.at(-1) }).toEqual({
      code: 0,
      last: expect.stringMatching(/^[1-9]\d* files read, 0 findings$/),
    });
  });

  it('fails where it has read fewer files than there are', () => {
    using project = plantProject({
      'src/core/a.ts': 'export const a = 1;\n',
      '.gitignore': 'src\n',
    });
    const { code, lines } = project.lint();
    expect(code).toBe(1);
    expect(lines.join('\n')).toMatch(/oxlint read \d+ files, but there are \d+ sources/);
  });

  it('fails where there is nothing to read', () => {
    using project = plantProject({});
    rmSync(join(project.directory, '.oxlintrc.json'));
    writeFileSync(join(project.directory, '.oxlintrc.json'), '{"ignorePatterns": ["**"]}');
    expect(project.lint().code).toBe(1);
  });

  it('fails where its configuration is broken', () => {
    using project = plantProject({ 'src/core/a.ts': 'export const a = 1;\n' });
    writeFileSync(join(project.directory, '.oxlintrc.json'), '{"rules": {"no-such-rule": "error"');
    expect(project.lint().code).toBe(1);
  });
});
