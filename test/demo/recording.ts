/** A line of a program's output, and when it came. */
export interface RecordedLine {
  readonly text: string;
  /** ms since the program started. */
  readonly atMs: number;
}

const COLUMNS = 126;
const ROWS = 26;
const ROW_PX = 17;
const COLUMN_PX = 7.3;
const PAD_PX = 14;
/** A longer silence is cut to this: nobody watches a control plane start. */
const LONGEST_PAUSE_MS = 1500;
const REST_MS = 6000;

/**
 * Draws a terminal that plays the lines at their pace, again and again, as one SVG without a script:
 * each line appears by an animation of its own, and the text moves up once the rows are full.
 */
export function drawRecording(lines: readonly RecordedLine[]): string {
  const times = shortenPauses(lines.map(({ atMs }) => atMs));
  const totalMs = (times.at(-1) ?? 0) + REST_MS;
  const [width, height] = [COLUMNS * COLUMN_PX + 2 * PAD_PX, ROWS * ROW_PX + 2 * PAD_PX];
  const rows = lines.map(({ text }, row) => drawLine(text, row));
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="npm run demo, recorded">`,
    '<style>',
    'text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#d6deeb;white-space:pre}',
    '.ok{fill:#7fd88f}.command{fill:#82aaff}',
    ...times.map((atMs, row) => keyframesOfRow(row, atMs / totalMs)),
    keyframesOfScroll(times, totalMs),
    `.t text{animation-duration:${totalMs}ms;animation-iteration-count:infinite;animation-timing-function:step-end}`,
    `.t{animation:scroll ${totalMs}ms step-end infinite}`,
    '</style>',
    `<rect width="100%" height="100%" rx="8" fill="#011627"/>`,
    `<svg x="${PAD_PX}" y="${PAD_PX}" width="${width - 2 * PAD_PX}" height="${ROWS * ROW_PX}"><g class="t">`,
    ...rows,
    '</g></svg>',
    '</svg>',
  ].join('\n')}\n`;
}

function shortenPauses(atMs: readonly number[]): readonly number[] {
  let [previousMs, shownMs] = [0, 0];
  return atMs.map((ms) => {
    shownMs += Math.min(ms - previousMs, LONGEST_PAUSE_MS);
    previousMs = ms;
    return Math.round(shownMs);
  });
}

function drawLine(text: string, row: number): string {
  const shown = text.length > COLUMNS ? `${text.slice(0, COLUMNS - 1)}…` : text;
  const kind = text.startsWith('✓')
    ? ' class="ok"'
    : text.startsWith('$')
      ? ' class="command"'
      : '';
  return `<text${kind} y="${(row + 1) * ROW_PX - 4}" style="animation-name:r${row}">${escapeXml(shown)}</text>`;
}

function keyframesOfRow(row: number, share: number): string {
  return `@keyframes r${row}{0%{opacity:0}${percent(share)}{opacity:1}}`;
}

function keyframesOfScroll(times: readonly number[], totalMs: number): string {
  const moves = times.flatMap((atMs, row) =>
    row < ROWS
      ? []
      : [`${percent(atMs / totalMs)}{transform:translateY(-${(row - ROWS + 1) * ROW_PX}px)}`],
  );
  return `@keyframes scroll{0%{transform:none}${moves.join('')}}`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(2)}%`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
