import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** A comment, or a text in quotes; a comment goes first, where a quote in it would begin a text. */
const PIECE =
  /\/\/.*|\/\*[^]*?\*\/|'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|(?<=[(,=:&|!?] ?)\/(?![/*])(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/g;

/** A text that begins as a command does. Of another one only the whole is a word: prose runs nothing. */
const COMMAND = /^(?:kubectl|helm|npm|npx|node|albridge|aws) /;

/** The texts of a source of TypeScript, without its comments. */
function textsOf(source: string): readonly string[] {
  return [...source.matchAll(PIECE)].flatMap(([, single, double, template]) => {
    const text = single ?? double ?? template;
    return text === undefined ? [] : [text];
  });
}

/** The words that a test can give to a program: its texts, and those of what it imports. */
export function wordsOf(path: string): ReadonlySet<string> {
  const source = readFileSync(path, 'utf8');
  if (!path.endsWith('.ts')) return new Set(source.replaceAll(/^#.*$/gm, '').split(/[\s'"]+/));
  const near = textsOf(source).filter((text) => /^\.\.?\/.*\.ts$/.test(text));
  const files = near.map((name) => resolve(dirname(path), name)).filter(existsSync);
  const texts = [source, ...files.map((file) => readFileSync(file, 'utf8'))].flatMap(textsOf);
  return new Set(texts.flatMap((text) => (COMMAND.test(text) ? text.split(/\s+/) : [text])));
}

/** A block of commands, as a test finds it. */
interface Found {
  readonly page: string;
  readonly section?: string | undefined;
  readonly text: string;
}

/** Shorter texts stand in every block. */
const SHORTEST = 8;

/**
 * Whether a test pastes a block: it reads the page, and takes all blocks whose mark names it, or has the block's heading
 * or a part of its text. A comment or a string alone pastes nothing.
 */
export function pastes(path: string, { page, section, text }: Found): boolean {
  const code = readFileSync(path, 'utf8').replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
  const calls = code.matchAll(/\b(?:blocksOf|readBlocks)\(\s*'([^']+)'/g);
  if (!code.includes('await blocksOf(') || ![...calls].some(([, named]) => named === page))
    return false;
  if (code.includes('notRun') && code.includes('.startsWith(MARK)')) return true;
  return textsOf(code).some(
    (one) => one === section || (one.length >= SHORTEST && text.includes(one)),
  );
}
