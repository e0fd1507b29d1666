import type { Difference } from '../difference.ts';
import { differences } from '../differences.ts';
import { type BackendName, backendNames } from './backend.ts';

/** The table of localstack/README.md, in Markdown; `node localstack/backends/difference-table.ts` prints it. */
export function differenceTable(): string {
  const head = ['AWS', 'source', ...backendNames];
  const rows = Object.entries<Difference>(differences).map(([id, row]) => [
    `**${id}**: ${row.aws}`,
    sourceLink(row.source),
    ...backendNames.map((name) => cell(row, name)),
  ]);
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

function cell({ instead, unverified }: Difference, name: BackendName): string {
  if (instead[name] !== undefined) return instead[name];
  return unverified === undefined ? 'as AWS' : `unverified: ${unverified}`;
}

/** `[CreateLoadBalancer](https://.../API_CreateLoadBalancer.html)` */
function sourceLink(source: string): string {
  const page = source.replace(/\/$/, '').split('/').at(-1) ?? source;
  return `[${page.replace(/^API_/, '').replace(/\.html$/, '')}](${source})`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |\n`;
}

if (import.meta.main) process.stdout.write(differenceTable());
