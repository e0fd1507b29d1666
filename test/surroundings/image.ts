import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';

/** The Dockerfile as it is written; nothing here builds an image. */

interface Instruction {
  readonly name: string;
  readonly text: string;
}

export type Stage = readonly Instruction[];

/** In the order of the file. */
export async function readStages(): Promise<readonly Stage[]> {
  const text = await readFile(resolve(import.meta.dirname, '../../Dockerfile'), 'utf8');
  const instructions = text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => ({
      name: line.split(' ', 1)[0] ?? '',
      text: line.slice(line.indexOf(' ') + 1),
    }));
  const starts = instructions.flatMap(({ name }, index) => (name === 'FROM' ? [index] : []));
  return starts.map((start, index) => instructions.slice(start, starts[index + 1]));
}

export function textsOf(stage: Stage | undefined, name: string): readonly string[] {
  return (stage ?? []).filter((one) => one.name === name).map(({ text }) => text);
}

/** How the image runs the bundle. */
export interface ImageRun {
  readonly environment: Readonly<Record<string, string>>;
  /** Between node and the bundle. */
  readonly nodeFlags: readonly string[];
}

export async function readImageRun(): Promise<ImageRun> {
  const image = (await readStages()).at(-1);
  const pairs = textsOf(image, 'ENV').flatMap((text) => text.trim().split(/ +/));
  const entry = JSON.parse(textsOf(image, 'ENTRYPOINT')[0] ?? '[]') as string[];
  return {
    environment: Object.fromEntries(pairs.map((pair) => pair.split('=', 2) as [string, string])),
    nodeFlags: entry.slice(1, -1),
  };
}
