import type { MyIngress } from '../../apis/my-ingress.ts';
import { type Command, type CommandContext, commonOptions } from '../command.ts';
import { composeGraph } from '../drawing/graph.ts';
import { placeGraph } from '../drawing/place.ts';
import { captionDrawing, drawFile } from '../drawing/svg.ts';
import { CommandError, exitCodes, UsageError } from '../errors.ts';
import { joinAttachedRoutes } from '../objects/attached-routes.ts';
import { growObject, readTargets } from '../objects/grow.ts';
import { formatAge, type Health, summarise } from '../objects/health.ts';
import { OUR_KINDS } from '../objects/kinds.ts';
import {
  ASK_FOR_VIEW,
  findObject,
  type Listing,
  listOurs,
  type OurObject,
} from '../objects/read.ts';
import { drawTree } from '../objects/tree.ts';
import { escapeText } from '../output/escape.ts';
import type { Style } from '../output/style.ts';
import { formatTable, shorten } from '../output/table.ts';
import { withProgress } from '../progress.ts';

/** `status [KIND/NAME]`: all objects as a table, or one as a tree. */
export const status: Command = {
  name: 'status',
  summary: 'list all objects of albridge, or show one with everything below it',
  operands: {
    usage: '[KIND/NAME]',
    min: 0,
    max: 1,
    hints: OUR_KINDS.map(({ kind }) => `${kind.toLowerCase()}/`),
  },
  details:
    'Without an argument: every object of every kind in the namespace. With one: its load ' +
    'balancer, listeners, rules, backends and targets, or its pods. KIND is optional where the ' +
    'name is unique.',
  examples: [
    { line: 'status -A', what: 'every object of the cluster' },
    { line: 'status -n shop', what: 'those of one namespace' },
    { line: 'status myingress/web -n shop', what: 'one object, down to its targets' },
    { line: 'status -A -o json', what: 'for a script' },
    { line: 'status myingress/web -o svg > web.svg', what: 'a drawing, for a ticket' },
  ],
  options: {
    output: {
      ...commonOptions.output,
      choices: [...commonOptions.output.choices, 'svg'],
      help: 'table, json, yaml, or svg: the drawing of one MyIngress (default table)',
    },
  },
  run: async (context) => {
    const [operand] = context.operands;
    if (context.output.format === 'svg') return drawObject(operand, context);
    return operand === undefined ? listObjects(context) : showObject(operand, context);
  },
};

interface Row extends Health {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly createdAt: string | undefined;
}

async function listObjects(context: CommandContext): Promise<number> {
  const { cluster, signal, surroundings, output } = context;
  const access = cluster();
  const listings = await withProgress('reading the objects of all kinds', surroundings, () =>
    listOurs(access, signal),
  );
  const lacking = describeLacking(listings);
  if (listings.every((listing) => 'lack' in listing)) {
    throw new CommandError(`nothing to show: ${lacking}; ${advise(listings, access.namespace)}`);
  }
  const rows = listings.flatMap((listing) =>
    'objects' in listing ? listing.objects.map(describeRow) : [],
  );
  const unavailable = listings.flatMap((listing) =>
    'lack' in listing ? [{ kind: listing.kind.kind, why: listing.lack }] : [],
  );
  output.print({ objects: rows, unavailable }, (style) => drawRows(rows, style, context));
  if (rows.length === 0 && output.format === 'table') {
    const where =
      access.namespace === undefined ? 'the cluster' : `the namespace ${access.namespace}`;
    surroundings.stderr.write(`no objects of albridge in ${escapeText(where)}\n`);
  }
  if (lacking !== '') surroundings.stderr.write(`not listed: ${lacking}\n`);
  return exitCodes.done;
}

const LACKS = {
  'not installed': { ofSeveral: 'not installed', next: 'install the CRDs (docs/install.md)' },
  'you may not list it': { ofSeveral: 'you may not list them', next: ASK_FOR_VIEW },
} as const;

function advise(listings: readonly Listing[], namespace: string | undefined): string {
  const lacks = new Set(listings.flatMap((one) => ('lack' in one ? [one.lack] : [])));
  const isElsewhere = namespace === undefined && lacks.has('you may not list it');
  const advice = [...lacks].map((lack): string => LACKS[lack].next);
  return [...advice, ...(isElsewhere ? ['name one namespace with -n'] : [])].join(', or ');
}

/** `MyApp, WebApp (not installed)`. */
function describeLacking(listings: readonly Listing[]): string {
  const kinds = new Map<keyof typeof LACKS, string[]>();
  for (const listing of listings) {
    if (!('lack' in listing)) continue;
    kinds.set(listing.lack, [...(kinds.get(listing.lack) ?? []), listing.kind.kind]);
  }
  return [...kinds]
    .map(([lack, names]) => {
      return `${names.join(', ')} (${names.length > 1 ? LACKS[lack].ofSeveral : lack})`;
    })
    .join(', ');
}

function describeRow(object: OurObject): Row {
  const { namespace = '', name, creationTimestamp } = object.metadata;
  return { kind: object.kind, namespace, name, ...summarise(object), createdAt: creationTimestamp };
}

/** Of a message, where the output is not a terminal. */
const MESSAGE_CHARACTERS = 100;
/** Of a message in the narrowest terminal. */
const LEAST_CHARACTERS = 20;

function drawRows(
  rows: readonly Row[],
  style: Style,
  { clock, output, flags }: CommandContext,
): string {
  if (rows.length === 0) return '';
  const hasNamespaces = flags.isOn('all-namespaces');
  const head = ['KIND', ...(hasNamespaces ? ['NAMESPACE'] : []), 'NAME', 'READY', 'REASON', 'AGE'];
  const cells = rows.map((row) => [
    row.kind,
    ...(hasNamespaces ? [escapeText(row.namespace)] : []),
    escapeText(row.name),
    paintReady(row, style),
    escapeText(row.reason),
    formatAge(row.createdAt, clock.now()),
  ]);
  const width = measureWidth([head, ...cells]);
  const room = output.columns === undefined ? MESSAGE_CHARACTERS : output.columns - width;
  const messages = rows.map(({ message }) =>
    shorten(escapeText(message), Math.max(LEAST_CHARACTERS, room)),
  );
  const body = cells.map((line, index) => [...line, messages[index] ?? '']);
  return formatTable([[...head, 'MESSAGE'], ...body]);
}

/** Characters up to where a further column would begin. */
function measureWidth(lines: readonly (readonly string[])[]): number {
  const table = formatTable(lines.map((line) => [...line, '|']));
  return (table.split('\n', 1)[0] ?? '').length - 1;
}

function paintReady({ ready }: Row, style: Style): string {
  if (ready === 'True') return style.good(ready);
  return ready === 'False' ? style.bad(ready) : style.warning(escapeText(ready));
}

async function showObject(operand: string, context: CommandContext): Promise<number> {
  const tree = await withProgress(
    `reading ${escapeText(operand)}`,
    context.surroundings,
    async () => growObject(await findObject(operand, context), context),
  );
  context.output.print(tree, (style) => drawTree(tree, style, context.output.columns));
  return exitCodes.done;
}

async function drawObject(operand: string | undefined, context: CommandContext): Promise<number> {
  if (operand === undefined)
    throw new UsageError('a drawing shows one MyIngress: albridge status NAME -o svg');
  const { kind, object } = await findObject(operand, context);
  if (kind.kind !== 'MyIngress')
    throw new UsageError(`only a MyIngress has a drawing, and ${operand} is a ${kind.kind}`);
  const [ingress, targets] = await Promise.all([
    joinAttachedRoutes(object as MyIngress, context),
    readTargets(object, context),
  ]);
  const graph = composeGraph(ingress, targets);
  const drawing = drawFile(placeGraph(graph), captionDrawing(ingress));
  context.output.print(undefined, () => drawing.toString());
  return exitCodes.done;
}
