import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { configMonitorReasons } from '../src/apis/config-monitor-reasons.ts';
import { immortalContainerReasons } from '../src/apis/immortal-container-reasons.ts';
import { myAppReasons } from '../src/apis/my-app-reasons.ts';
import { myIngressReasons } from '../src/apis/my-ingress-reasons.ts';
import { webAppReasons } from '../src/apis/web-app-reasons.ts';
import { kubeReasons } from '../src/kube/kube-reasons.ts';
import { type Setting, settings } from '../src/settings.ts';

/**
 * Writes the pages that repeat tables of the code: docs/reasons.md and docs/configuration.md.
 * `--check` writes nothing and ends with 1 where a page is out of date.
 */

interface Page {
  readonly path: string;
  readonly text: string;
}

interface Reason {
  readonly healedBy: string;
  readonly cause: string;
  readonly next: string;
}

const HEAD =
  '<!-- Written by docs/mirror.ts from the code; run `npm run gen` after a change there. -->\n';

export function desiredPages(): readonly Page[] {
  return [
    { path: resolve(import.meta.dirname, 'reasons.md'), text: reasonsPage() },
    { path: resolve(import.meta.dirname, 'configuration.md'), text: configurationPage() },
  ];
}

export async function stalePages(pages = desiredPages()): Promise<readonly Page[]> {
  const texts = await Promise.all(pages.map(({ path }) => readFile(path, 'utf8').catch(() => '')));
  return pages.filter((page, index) => page.text !== texts[index]);
}

function reasonsPage(): string {
  return `${HEAD}
# Reasons

Every condition, event and log line of a failure carries one of these reasons. The message says what
was seen and ends in what to do next. *Healed by a person*: Stalled=True and Ready=False; albridge
looks again every 1 to 5 minutes, and at once when the object is edited. *Healed by time*:
Reconciling=True; albridge repeats the pass with a growing, jittered delay.

## MyIngress

${reasonTable(myIngressReasons)}
## WebApp

${reasonTable(webAppReasons)}
## ImmortalContainer

${reasonTable(immortalContainerReasons)}
## MyApp

${reasonTable(myAppReasons)}
## ConfigMonitor

${reasonTable(configMonitorReasons)}
## Kubernetes

What the API server answers to the operator itself; most of them are seen in its log and in \`/readyz\`.

${reasonTable(kubeReasons)}`;
}

function reasonTable(reasons: Readonly<Record<string, Reason>>): string {
  const rows = Object.entries(reasons).map(([name, { healedBy, cause, next }]) => [
    `\`${name}\``,
    cause.replace(/\.$/, ''),
    healedBy === 'nobody' ? 'nothing to heal' : healedBy,
    next,
  ]);
  return table(['reason', 'cause', 'healed by', 'what to do next'], rows);
}

function configurationPage(): string {
  const rows = Object.values<Setting>(settings).map((row) => [
    `\`${row.name}\``,
    row.what,
    row.accepts,
    row.default === undefined ? (row.otherwise ?? '') : `\`${row.default}\``,
  ]);
  return `${HEAD}
# Configuration

The operator reads its settings from the environment once, at the start, and reports every fault at
once (exit code 78). \`npm start -- --help\` prints this table. AWS credentials come from the SDK's
own chain. In a cluster the ConfigMap \`albridge-settings\` sets them, except endpoints and proxies, which
are set on the Deployment: [install.md](install.md#behind-a-proxy).

${table(['variable', 'what', 'accepted', 'if not set'], rows)}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

async function main(): Promise<void> {
  const stale = await stalePages();
  if (process.argv.includes('--check')) {
    for (const { path } of stale) process.stderr.write(`${path} is out of date: npm run gen\n`);
    process.exitCode = stale.length > 0 ? 1 : 0;
    return;
  }
  for (const { path, text } of stale) await writeFile(path, text);
}

if (import.meta.main) await main();
