import type { Clock } from '../core/ports/clock.ts';

/** The process around a command line. */
export interface Surroundings {
  readonly env: Environment;
  /** Undefined: there is none. */
  readonly homeDirectory: string | undefined;
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export interface TextStream {
  readonly isTTY?: boolean | undefined;
  /** Characters in a line of the terminal. */
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** The options as given. */
export class Flags {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values;
  }

  /** The value of an option of type string. */
  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  isOn(name: string): boolean {
    return this.#values[name] === true;
  }
}
