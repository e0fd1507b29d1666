import { Program } from '../surroundings/program.ts';

/** What a demo must leave. */
export const NOTHING = { processes: [], files: [] };

const started: Program[] = [];

export async function startDemo(
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const program = await Program.start('test/demo/main.ts', args, environment);
  started.push(program);
  return program;
}

/** Call after each test. */
export async function discardDemos(): Promise<void> {
  for (const program of started.splice(0)) await program.discard();
}
