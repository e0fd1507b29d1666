import { type Difference, differences } from '../differences.ts';
import { type BackendName, backendNames } from './backend.ts';

/** The table of localstack/README.md, in Markdown; `node localstack/backends/difference-table.ts` prints it. */
export function differenceTable(): string {
  const head = ['AWS', 'source', ...backendNames];
  const rows = Object.entries<Difference>(differences).map(([id, { aws, source, instead }]) => [
    `**${id}**: ${aws}`,
    sourceLink(source),
    ...backendNames.map((name: BackendName) => instead[name] ?? 'as AWS'),
  ]);
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
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
