import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { coreReasons, startReasons } from '../src/apis/core-reasons.ts';
import type { Grant } from '../src/aws/client/operation-traits.ts';
import {
  type AwsOperation,
  getBuckets,
  getIamAction,
  getTraits,
  operations,
} from '../src/aws/client/operations.ts';
import type { Reason } from '../src/cli/objects/kinds.ts';
import { type Setting, settings } from '../src/config/settings.ts';
import { kubeReasons } from '../src/kube/client/kube-reasons.ts';
import { argoCdSettings } from './argocd-settings.ts';
import { budgetFileSection } from './budget-file.ts';
import { fillTables } from './charts.ts';
import { fillHelp } from './command-help.ts';
import { readDefinitions } from './fields/definitions.ts';
import { writeFieldPage } from './fields/field-page.ts';
import { writeJsonSchema } from './fields/json-schema.ts';
import { metricsPage } from './metrics.ts';
import { reasonsByKind } from './reasons.ts';

/**
 * Writes the pages that repeat tables of the code, docs/reasons.md, docs/configuration.md,
 * docs/aws-operations.md and docs/metrics.md, the tables of docs/performance.md that repeat the numbers of charts, the
 * help in docs/command-line.md, the fields of each kind in docs/reference and docs/schemas, and the settings of Argo CD.
 * `--check` writes nothing and ends with 1 where a page is out of date.
 */

interface Page {
  readonly path: string;
  readonly text: string;
}

const HEAD =
  '<!-- Written by docs/mirror.ts from the code; run `npm run gen` after a change there. -->\n';

export function desiredPages(): readonly Page[] {
  return [
    { path: resolve(import.meta.dirname, 'reasons.md'), text: reasonsPage() },
    { path: resolve(import.meta.dirname, 'configuration.md'), text: configurationPage() },
    { path: resolve(import.meta.dirname, 'aws-operations.md'), text: operationsPage() },
    { path: resolve(import.meta.dirname, 'metrics.md'), text: `${HEAD}${metricsPage()}` },
    { path: resolve(import.meta.dirname, 'performance.md'), text: performancePage() },
    { path: resolve(import.meta.dirname, 'command-line.md'), text: commandLinePage() },
    ...fieldPages(),
    {
      path: resolve(import.meta.dirname, '../deploy/argocd/argocd-cm.yaml'),
      text: argoCdSettings(),
    },
  ];
}

/** For each kind its fields as a page, and as a JSON schema for editors. */
function fieldPages(): readonly Page[] {
  return readDefinitions().flatMap((definition) => {
    const place = (name: string): string =>
      resolve(import.meta.dirname, name.replace('KIND', definition.kind.toLowerCase()));
    return [
      { path: place('reference/KIND.md'), text: `${HEAD}${writeFieldPage(definition)}` },
      { path: place('schemas/KIND.json'), text: writeJsonSchema(definition) },
    ];
  });
}

export async function stalePages(pages = desiredPages()): Promise<readonly Page[]> {
  const texts = await Promise.all(pages.map(({ path }) => readFile(path, 'utf8').catch(() => '')));
  return pages.filter((page, index) => page.text !== texts[index]);
}

function reasonsPage(): string {
  const kinds = Object.entries(reasonsByKind).map(([kind, { reasons, further }]) => {
    const rows = Object.entries(further).map(([name, cause]) => [`\`${name}\``, cause]);
    const events = table(['event, or reason of another condition', 'what it says'], rows);
    return `## ${kind}\n\n${reasonTable(reasons)}\n${events}`;
  });
  return `${HEAD}
# Reasons

Every condition, event and log line of a failure carries one of these reasons. The message says what
was observed and ends in what to do next. In the first table of a kind are the reasons of Ready,
Reconciling and Stalled; each is an event too when it changes, unless an event of the same pass has said it
already (\`CreatedALB\` instead of \`Provisioning\`). *Healed by a person*: Stalled=True and
Ready=False; albridge checks again every 1 to 5 minutes, and at once when the object is edited. *Healed
by time*: Reconciling=True; albridge repeats a failed pass with a growing, jittered delay; a pass that waits
for something is repeated after a stated time, without backoff ([retries.md](retries.md#a-pass)). *Nothing to heal*:
the object is as desired, or a person has paused or suspended it.

${kinds.join('\n')}
## Every kind

${reasonTable(coreReasons)}
## Kubernetes

What the API server answers to the operator itself; most of them appear in its log and in \`/readyz\`.

${reasonTable(kubeReasons)}
## Start

The process ends with exit code 78 and one line for each problem: a setting that cannot be read
([configuration.md](configuration.md)), \`ClusterNotConfigured\`, or one of these.

${table(['reason', 'cause', 'what to do next'], startRows())}
With exit code 1 and a line at error it ends where a controller cannot be set up (\`startup failed\`: report that line,
it is a defect of albridge) and where it lost its Lease (\`lost the lease\`: the API server did not answer for 10 s, or
the process was paused). Kubernetes starts it again.
`;
}

function startRows(): readonly (readonly string[])[] {
  return Object.entries(startReasons).map(([name, { cause, next }]) => [
    `\`${name}\``,
    cause,
    next,
  ]);
}

function reasonTable(reasons: Readonly<Record<string, Reason>>): string {
  const rows = Object.entries(reasons).map(([name, { healedBy, cause, next }]) => [
    `\`${name}\``,
    cause.replace(/\.$/, ''),
    healedBy === 'nobody' ? 'nothing to heal' : healedBy,
    linkPages(next),
  ]);
  return table(['reason', 'cause', 'healed by', 'what to do next'], rows);
}

/** The texts are messages of the program too, which name a page by its path. */
function linkPages(text: string): string {
  return text.replaceAll(/\bdocs\/([\w-]+\.md(?:#[\w-]+)?)/g, '[$1]($1)');
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
are set on the Deployment: [install.md](install.md#behind-a-proxy). A key of the ConfigMap that is not in this table has no
effect and is not reported (the chart refuses it).

The SDK reads variables of its own, which are set on the Deployment. One of them may be in \`albridge-settings\`:
\`AWS_EC2_METADATA_DISABLED\`, \`true\` or \`false\`. The overlays
but \`kubectl-proxy\`, and the chart, set it to \`true\`, so that a pod without a role does not use that of its node ([iam.md](iam.md)).
The file of limits for \`ALBRIDGE_AWS_BUDGET\` is described [below](#budget-file).

${table(['variable', 'what', 'accepted', 'if not set'], rows)}${budgetFileSection()}`;
}

const GRANTED_IF: Readonly<Record<Grant['onlyIf'], string>> = {
  nothing: 'always: AWS knows no conditions on it',
  taggedRequest: 'the call carries our cluster tag',
  taggedRequestOnOurs: 'the call carries our cluster tag, and so does the parent',
  resource: 'always: AWS knows no conditions on it',
  taggedResource: 'the resource carries our cluster tag',
  tagging: 'it is a create call with our cluster tag, or the resource carries it',
};

function operationsPage(): string {
  const rows = (Object.keys(operations) as AwsOperation[]).map((operation) => {
    const { isIdempotent, grant, alsoNeeds = [], absent } = getTraits(operation);
    return [
      `\`${getIamAction(operation)}\``,
      getBuckets(operation).join(', '),
      isIdempotent ? 'yes' : 'only if AWS refused it outright',
      codes(absent),
      GRANTED_IF[grant.onlyIf],
      codes(alsoNeeds),
    ];
  });
  return `${HEAD}
# Operations of AWS

Everything that albridge asks of AWS, from the one table of the code that budget, retries, metrics and
the IAM policy derive from. *Buckets*: the token buckets of [ALBRIDGE_AWS_BUDGET](configuration.md#budget-file) that
one call pays into. *Repeated*: whether a request without an answer is sent again within its pass
([retries.md](retries.md)). *Absent*: the failures that prove that the resource does not exist; no
other does. *Allowed if*: the condition of the policy ([iam.md](iam.md)). *Also needs*: what
AWS requires of the caller besides.

${table(['operation', 'buckets', 'repeated', 'absent', 'allowed if', 'also needs'], rows)}`;
}

function performancePage(): string {
  const read = (path: string): string => readFileSync(resolve(import.meta.dirname, path), 'utf8');
  return fillTables(read('performance.md'), read);
}

function commandLinePage(): string {
  return fillHelp(readFileSync(resolve(import.meta.dirname, 'command-line.md'), 'utf8'));
}

function codes(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
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
    if (stale.length > 0) process.exitCode = 1;
    return;
  }
  for (const { path, text } of stale) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

if (import.meta.main) await main();
