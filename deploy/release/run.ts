import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endWithProcess } from './temporary.ts';

/** The release cannot be built; the message says why and what to do. */
export class Refusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Refusal';
  }
}

interface Surroundings {
  readonly cwd: string;
  /** Where the program is not there, or fails without a word. */
  readonly hint?: string;
  /** Where it fails. */
  readonly next?: string;
}

/** Runs a program and returns what it printed; throws a Refusal with its own words if it fails or is not there. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, hint = `install ${program}`, next }: Surroundings,
): Promise<string> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  endWithProcess(child);
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text;
    });
  }
  const [code] = (await once(child, 'close').catch((error: Error) => {
    throw new Refusal(`${program} cannot be started: ${error.message}; ${hint}`);
  })) as [number | null];
  if (code === 0) return printed.stdout.trimEnd();
  const said = findCause(printed.stderr) || `it said nothing; ${hint}`;
  throw new Refusal(
    `${program} ${args[0]} failed: ${said}${next === undefined ? '' : `; ${next}`}`,
  );
}

const NPM = /^npm error (?!A complete log of this run)(.+)$/gm;

/** The last line names it, but with npm, whose last one names a log: its first lines do. */
export function findCause(stderr: string): string {
  const [...lines] = stderr.matchAll(NPM);
  if (lines.length > 0)
    return lines
      .slice(0, 2)
      .map(([, line]) => line)
      .join('; ');
  return stderr.trim().split('\n').at(-1) ?? '';
}
