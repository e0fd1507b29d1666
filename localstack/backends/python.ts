import { type CommandResult, runCommand } from '../../test/control-plane/run-command.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The oldest version that LocalStack's open runtime runs on. */
const OLDEST_MINOR = 10;
/** The system's own first, then those that stand beside an older one. */
const CANDIDATES = ['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python'];
const QUESTION = 'import sys; print(sys.version_info[0], sys.version_info[1], sys.executable)';

export interface Python {
  readonly path: string;
  /** `3.11` */
  readonly version: string;
}

/** There is no Python that the backend could run on; the message is one sentence for a person. */
export class PythonMissing extends Error {
  constructor() {
    super(
      `LocalStack's open runtime and moto need Python 3.${OLDEST_MINOR} or newer, and there is none on the PATH; install it, or use the embedded stand-in`,
    );
    this.name = 'PythonMissing';
  }
}

/** The first Python on the PATH of `env` that is new enough. Throws PythonMissing. */
export async function findPython(env: Environment): Promise<Python> {
  for (const candidate of CANDIDATES) {
    const python = parse(await ask(candidate, env));
    if (python !== undefined) return python;
  }
  throw new PythonMissing();
}

/** A shim of a version manager may be on the PATH and refuse to run: that is no Python either. */
async function ask(candidate: string, env: Environment): Promise<string> {
  const defined = Object.entries(env).filter((entry): entry is [string, string] => !!entry[1]);
  const failed: CommandResult = { code: -1, stdout: '', stderr: '' };
  const result = await runCommand(candidate, ['-c', QUESTION], {
    env: Object.fromEntries(defined),
  }).catch(() => failed);
  return result.code === 0 ? result.stdout : '';
}

function parse(answer: string): Python | undefined {
  const [, major = '', minor = '', path = ''] = /^(\d+) (\d+) (.+)$/m.exec(answer) ?? [];
  if (major !== '3' || Number(minor) < OLDEST_MINOR) return undefined;
  return { path, version: `${major}.${minor}` };
}
