import type { Environment, TextStream } from '../surroundings.ts';

type Paint = (text: string) => string;

/** Colours on a terminal; the text as it is elsewhere. https://no-color.org */
export interface Style {
  readonly good: Paint;
  readonly warning: Paint;
  readonly bad: Paint;
  readonly dim: Paint;
}

export function chooseStyle(stream: TextStream, env: Environment): Style {
  const hasColours = stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint =
    (code: number): Paint =>
    (text) =>
      hasColours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text;
  return { good: paint(32), warning: paint(33), bad: paint(31), dim: paint(2) };
}
