/** As much as a screen shows. */
const MOST_LINES = 40;
const WIDTH = 150;
/** Where the text of each column begins; it may run on to the right, where nothing else stands. */
const COLUMNS = { people: 10, operator: 34, AWS: 58, cluster: 82 } as const;

const PEOPLE: ReadonlySet<string> = new Set(['user', 'somebody', 'setup']);
/** As `describeCommit` has it. */
const COMMIT = /^(\w+) (\S+ \S+)@\d+ generation \S+ \[[^\]]*\] ?(.*)$/;

type Column = keyof typeof COLUMNS;

interface Entry {
  readonly atMs: number;
  readonly column: Column;
  readonly text: string;
  /** The lowest stay where there are too many. */
  readonly rank: 0 | 1 | 2;
  /** What it must mention to be shown, if anything: an event of the world as a whole concerns everybody. */
  readonly isAboutAll: boolean;
}

/**
 * The trace of a failed run on one screen: what people, the operator, AWS and the cluster did with the
 * objects that the violation names, and what struck the processes.
 */
export function timeline(trace: readonly string[]): readonly string[] {
  const violation = trace.find((line) => / VIOLATION /.test(line)) ?? '';
  const concerned = objectsIn(violation, trace);
  const entries = trace
    .flatMap((line) => entryOf(line, concerned) ?? [])
    .filter(({ text, isAboutAll }) => isAboutAll || concerned.some((key) => mentions(text, key)))
    .filter(isNews());
  const kept = newest(entries);
  const left = entries.length - kept.length;
  return [
    header(),
    ...kept.map(lineOf),
    ...(left > 0 ? [`${left} events more are in the trace`] : []),
    ...(violation === ''
      ? []
      : [`${String(timeOf(violation)).padStart(8)}  >>> ${textOf(violation)}`]),
  ];
}

/** The objects that people act on whose names the violation begins with; all of them if it names none. */
function objectsIn(violation: string, trace: readonly string[]): readonly string[] {
  const actedOn = new Set(
    trace.flatMap((line) => (/ people .*"at":"([^"]+)"/.exec(line) ?? []).slice(1)),
  );
  const named = [...actedOn].filter((key) => mentions(violation, key));
  return named.length > 0 ? named : [...actedOn];
}

/** Also by what belongs to it: `web/frontend` by `web/frontend-config`. */
function mentions(text: string, key: string): boolean {
  const at = text.indexOf(key);
  return at >= 0 && !/[a-z0-9]/.test(text[at + key.length] ?? '');
}

function entryOf(line: string, concerned: readonly string[]): Entry | undefined {
  const text = textOf(line);
  const atMs = timeOf(line);
  const [who = '', what = ''] = text.split(' ', 2);
  const rest = text.slice(who.length + 1);
  if (who === 'people')
    return { atMs, column: 'people', text: stepOf(rest), rank: 0, isAboutAll: false };
  if (who === 'fault')
    return { atMs, column: 'cluster', text: faultOf(rest), rank: 0, isAboutAll: true };
  if (/^(ADDED|MODIFIED|DELETED)$/.test(what)) return commitOf(atMs, who, rest);
  if (!who.startsWith('replica-')) return undefined;
  return what === 'aws' ? callOf(atMs, text, concerned) : deedOf(atMs, who, rest);
}

function stepOf(json: string): string {
  const { atMs: _atMs, ...step } = JSON.parse(json) as Readonly<Record<string, object>>;
  const [[kind, action] = ['', {}]] = Object.entries(step);
  const { do: what, at, ...more } = action as { readonly do: string; readonly at: string };
  return `${kind} ${what} ${at} ${plain(more)}`.trim();
}

function faultOf(json: string): string {
  const { kind, ...more } = JSON.parse(json) as { readonly kind: string };
  return `fault: ${kind} ${plain({ ...more, atMs: undefined, fromMs: undefined })}`.trim();
}

/** What people write is what they did, which is shown already. */
function commitOf(atMs: number, by: string, rest: string): Entry | undefined {
  const [, type = '', what = '', said = ''] = COMMIT.exec(rest) ?? [];
  const state = stateOf(said);
  const entry = { atMs, text: `${what} ${type.toLowerCase()} ${state}`.trim(), isAboutAll: false };
  if (by.startsWith('replica-')) return { ...entry, column: 'operator', rank: 1 };
  const isTold = PEOPLE.has(by) || (type === 'MODIFIED' && state === '');
  return isTold ? undefined : { ...entry, column: 'cluster', rank: 2 };
}

/** The first condition. */
function stateOf(said: string): string {
  if (said.startsWith('being deleted')) return 'being deleted';
  return said.replace(/,.*/, '').replace(' undefined', '');
}

/** AWS knows an object by its name alone. Reads are left out, but for those that it refuses. */
function callOf(atMs: number, text: string, concerned: readonly string[]): Entry | undefined {
  const [, operation = '', input = ''] = / aws (\w[\w ]*\w):? ?(.*)$/.exec(text) ?? [];
  const isRefused = !input.startsWith('{');
  if (operation.startsWith('Describe') && !isRefused) return undefined;
  const isAboutAll = isRefused || concerned.some((key) => input.includes(key.split('/')[1] ?? ''));
  return { atMs, column: 'AWS', text: `${operation} ${input}`, rank: 1, isAboutAll };
}

/** How a process lived, and what it logged. */
function deedOf(atMs: number, who: string, rest: string): Entry | undefined {
  const entry = { atMs, column: 'operator', text: `${who} ${rest}`.replace('  ', ' ') } as const;
  if (/^(begins|is killed|has ended|is stopped|goes on)$/.test(rest)) {
    return { ...entry, rank: 0, isAboutAll: true };
  }
  const [, key = '', level = '', message = ''] = /^(\S*) (info|warn|error) (.*)$/.exec(rest) ?? [];
  if (message === '' || /^(controller started|watching again)/.test(message)) return undefined;
  if (key === '') return { ...entry, rank: level === 'error' ? 0 : 1, isAboutAll: true };
  return { ...entry, text: `${key}: ${message}`, rank: 1, isAboutAll: false };
}

/** Whether it does not just repeat what was last said of the same object. */
function isNews(): (entry: Entry) => boolean {
  const last = new Map<string, string>();
  return ({ text }) => {
    const about = text.split(' ', 2).join(' ');
    const isSame = last.get(about) === text;
    last.set(about, text);
    return !isSame;
  };
}

/** What people did and what struck stays, of the rest the newest. */
function newest(entries: readonly Entry[]): readonly Entry[] {
  const ranked = entries
    .map((entry, at) => ({ entry, at }))
    .toSorted((a, b) => a.entry.rank - b.entry.rank || b.at - a.at);
  return ranked
    .slice(0, MOST_LINES)
    .toSorted((a, b) => a.at - b.at)
    .map(({ entry }) => entry);
}

function header(): string {
  const names = Object.entries(COLUMNS);
  return names.reduce((line, [name, from]) => line.padEnd(from) + name, '      ms');
}

function lineOf({ atMs, column, text }: Entry): string {
  return `${String(atMs).padStart(8)}`.padEnd(COLUMNS[column]).concat(text).slice(0, WIDTH);
}

function timeOf(line: string): number {
  return Math.round(Number.parseFloat(line) * 1000);
}

function textOf(line: string): string {
  return line.slice(line.indexOf(' ') + 1);
}

/** `{"replicas":6}` as `replicas 6`. */
function plain(fields: object): string {
  return JSON.stringify(fields)
    .slice(1, -1)
    .replaceAll('"', '')
    .replaceAll(/([\w])[:]/g, '$1 ');
}
