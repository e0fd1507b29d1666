import type { Command, CommandContext } from '../command.ts';
import { exitCodes } from '../errors.ts';
import { type ObjectEvent, readEvents } from '../objects/events.ts';
import { listTroubles, type Trouble } from '../objects/explain.ts';
import { formatAge, summarise } from '../objects/health.ts';
import { OUR_KINDS } from '../objects/kinds.ts';
import { type FoundObject, findObject } from '../objects/read.ts';
import { escapeText } from '../output/escape.ts';
import type { Style } from '../output/style.ts';
import { wrapLine, wrapTable } from '../output/wrap.ts';
import { withProgress } from '../progress.ts';

const MOST_EVENTS = 10;

/** `why NAME`: what is wrong with an object, and what to do. */
export const why: Command = {
  name: 'why',
  summary: 'explain why an object is not as desired, and what to do next',
  operands: {
    usage: '[KIND/]NAME',
    min: 1,
    max: 1,
    hints: OUR_KINDS.map(({ kind }) => `${kind.toLowerCase()}/`),
  },
  details:
    'Prints the conditions that are not as they should be, worst first, the cause and the next ' +
    'action of each, and the newest events about the object.',
  examples: [
    { line: 'why web -n shop', what: 'the object of this name, of whatever kind' },
    { line: 'why myingress/web -n shop -o yaml', what: 'the same for a script' },
  ],
  options: {},
  run: async (context) => {
    const { operands, cluster, signal, surroundings, output } = context;
    const [operand = ''] = operands;
    const work = async (): Promise<Answer> => {
      const found = await findObject(operand, context);
      const events = await readEvents(cluster(), found.object, { most: MOST_EVENTS, signal });
      return { found, troubles: listTroubles(found), events };
    };
    const answer = await withProgress(`reading ${escapeText(operand)}`, surroundings, work);
    output.print(toData(answer), (style) => drawAnswer(answer, style, context));
    return exitCodes.done;
  },
};

interface Answer {
  readonly found: FoundObject;
  readonly troubles: readonly Trouble[];
  /** Undefined: the caller may not list them. */
  readonly events: readonly ObjectEvent[] | undefined;
}

function toData({ found: { kind, object }, troubles, events }: Answer): unknown {
  const { namespace, name } = object.metadata;
  return { kind: kind.kind, namespace, name, troubles, events: events ?? null };
}

function drawAnswer(
  { found, troubles, events }: Answer,
  style: Style,
  context: CommandContext,
): string {
  const { kind, object } = found;
  const what = `${kind.kind} ${escapeText(`${object.metadata.namespace}/${object.metadata.name}`)}`;
  const { columns } = context.output;
  const well = `${what} is ${style.good('as desired')}: ${escapeText(summarise(object).message)}`;
  const body =
    troubles.length === 0
      ? `${wrapLine(well, { columns, indent: '  ' })}\n`
      : `${what} is ${style.bad('not as desired')}:\n\n${troubles.map((one) => drawTrouble(one, style, columns)).join('\n')}`;
  return body + drawEvents(events, style, context);
}

function drawTrouble(
  { conditions, reason, message, cause, next }: Trouble,
  style: Style,
  columns: number | undefined,
): string {
  const head = [conditions.join(', '), reason].filter((text) => text !== '').join(': ');
  const wrap = (text: string, indent: string): string => wrapLine(text, { columns, indent });
  const lines = [
    ...(head === '' ? [] : [style.bad(escapeText(head))]),
    wrap(`  ${escapeText(message)}`, '  '),
    ...(cause === undefined ? [] : [wrap(`  cause: ${cause}`, ' '.repeat(9))]),
    ...(next === undefined ? [] : [wrap(`  next:  ${escapeText(next)}`, ' '.repeat(9))]),
  ];
  return `${lines.join('\n')}\n`;
}

function drawEvents(
  events: readonly ObjectEvent[] | undefined,
  style: Style,
  { clock, output }: CommandContext,
): string {
  if (events === undefined) return '\nevents: you may not list them\n';
  if (events.length === 0) return '\nno events: they are kept for an hour\n';
  const rows = events.map(({ time, type, reason, note, count }) => [
    formatAge(time, clock.now()),
    type === 'Normal' ? type : style.warning(escapeText(type)),
    escapeText(reason),
    `${count > 1 ? `(${count} times) ` : ''}${escapeText(note)}`,
  ]);
  return `\n${wrapTable([['AGE', 'TYPE', 'EVENT', 'NOTE'], ...rows], output.columns)}`;
}
