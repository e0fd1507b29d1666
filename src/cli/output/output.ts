// Lives here: how a result is printed: JSON, YAML, tables, colours; text of others is escaped.
// May import it: src/cli.
// Start with: this file.

import { dumpYaml } from '../../kube/client/yaml.ts';
import type { Environment, TextStream } from '../surroundings.ts';
import { escapeDocument } from './escape.ts';
import { chooseStyle, type Style } from './style.ts';

/** `svg` is of the commands alone that say so. */
export type Format = 'table' | 'json' | 'yaml' | 'svg';

/** The one way of a result to stdout. */
export class Output {
  readonly format: Format;
  readonly style: Style;
  readonly #stream: TextStream;

  constructor(format: Format, stream: TextStream, env: Environment) {
    this.format = format;
    this.style = chooseStyle(stream, env);
    this.#stream = stream;
  }

  /** Characters in a line; undefined where the output is not a terminal, and lines may be long. */
  get columns(): number | undefined {
    return getColumns(this.#stream);
  }

  /**
   * `data` as JSON or YAML, or what `draw` makes of it for people. Text of others in what `draw`
   * returns is escaped by it (escape.ts).
   */
  print(data: unknown, draw: (style: Style) => string): void {
    this.#stream.write(this.#format(data, draw));
  }

  #format(data: unknown, draw: (style: Style) => string): string {
    switch (this.format) {
      case 'json':
        return escapeDocument(`${JSON.stringify(data, undefined, 2)}\n`);
      case 'yaml':
        return dumpYaml(data, escapeDocument);
      case 'table':
      case 'svg':
        return draw(this.style);
    }
  }
}

/** As `Output.columns`, of any stream. */
export function getColumns({ isTTY, columns }: TextStream): number | undefined {
  // A terminal without a size gives 0.
  return isTTY === true && columns !== 0 ? columns : undefined;
}
