import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';

/**
 * `node test/gates/lint.ts [root]`: runs oxlint over the project and fails on a finding, and also
 * if oxlint read fewer files than there are: a linter that reads nothing finds nothing.
 */
interface LintReport {
  readonly diagnostics: readonly Finding[];
  readonly number_of_files: number;
}

interface Finding {
  readonly message: string;
  readonly code?: string;
  readonly help?: string;
  readonly filename: string;
  readonly labels: readonly { readonly span: { readonly line: number; readonly column: number } }[];
}

const root = resolve(process.argv[2] ?? `${import.meta.dirname}/../..`);
const sources = globSync(['*.{ts,mjs}', '{src,test,localstack,crds,deploy}/**/*.{ts,mjs}'], {
  cwd: root,
});
const report = lint();
const faults = [...report.diagnostics.map(describe), ...unreadFiles()];
for (const fault of faults) process.stdout.write(`${fault}\n`);
process.stdout.write(`${report.number_of_files} files read, ${faults.length} findings\n`);
process.exitCode = faults.length > 0 ? 1 : 0;

function lint(): LintReport {
  const oxlint = resolve(import.meta.dirname, '../../node_modules/.bin/oxlint');
  const run = spawnSync(oxlint, ['--type-aware', '--format', 'json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  try {
    return JSON.parse(run.stdout) as LintReport;
  } catch (cause) {
    throw new Error(`oxlint gave no report: ${run.stdout}${run.stderr}`, { cause });
  }
}

function describe(finding: Finding): string {
  const { line, column } = finding.labels[0]?.span ?? { line: 1, column: 1 };
  const help = finding.help === undefined ? '' : ` (${finding.help})`;
  return `${finding.filename}:${line}:${column} ${finding.code ?? 'error'}: ${finding.message}${help}`;
}

function unreadFiles(): readonly string[] {
  if (sources.length > 0 && report.number_of_files >= sources.length) return [];
  return [`oxlint read ${report.number_of_files} files, but there are ${sources.length} sources`];
}
