// Lives here: HTML and SVG as text that cannot hold unescaped text of others.
// May import it: src/cli.
// Start with: this file.

import { escapeText } from '../output/escape.ts';

/** Text that is markup already. Only `markup` and `trustMarkup` make it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

type Value = string | number | undefined | Markup | readonly Markup[];

/** A template whose values are escaped, for content and for quoted attributes; undefined is empty. */
export function markup(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const texts = parts.map((part, index) => {
    return index < values.length ? part + printValue(values[index]) : part;
  });
  return new Markup(texts.join(''));
}

/** For constants of this program: a style sheet, a script. */
export function trustMarkup(text: string): Markup {
  return new Markup(text);
}

/** Empty. */
export const NO_MARKUP = new Markup('');

function printValue(value: Value): string {
  if (value === undefined) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map((one) => one.toString()).join('');
  return escapeMarkup(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes for HTML and XML, which does not allow every character:
 * https://www.w3.org/TR/xml/#charsets. Directional formatting is visible, as on a terminal.
 */
function escapeMarkup(text: string): string {
  return escapeText(text.toWellFormed())
    .replaceAll(/[\ufffe\uffff]/g, '\ufffd')
    .replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
