import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type DifferenceId, differences } from '../../../localstack/differences.ts';

/** A refusal as AWS words it. */
export interface Refusal {
  readonly operation: string;
  readonly code: string;
  readonly message: string;
}

/** Whether AWS does what one row of the table of differences says that it does. */
export interface Verdict {
  readonly id: DifferenceId;
  readonly title: string;
  readonly holds: boolean;
  /** What AWS answered meanwhile. */
  readonly refusals: readonly Refusal[];
}

/** What one run against AWS brought to light; account ids and names of principals are masked. */
export interface Recording {
  readonly recordedAt: string;
  readonly region: string;
  /** Of a stand-in that played AWS: then it proves nothing. */
  readonly endpoint?: string;
  /** The run was interrupted: it lacks what was not reached. */
  readonly isPartial?: true;
  readonly verdicts: readonly Verdict[];
  /** By the letters of questions.ts. */
  readonly answers: Readonly<Record<string, string>>;
}

/** What may be published of an answer. */
export function mask(text: string): string {
  return text
    .replace(/(?<!\d)\d{12}(?!\d)/g, '000000000000')
    .replace(
      /\b(assumed-role|role|user|federated-user)\/[\w+=,.@/-]+(?::[\w+=,.@/-]+)*/g,
      '$1/masked',
    )
    .replace(/\b(AKIA|ASIA)[A-Z0-9]{12,}\b/g, 'masked');
}

export function appendVerdict(file: string, verdict: Verdict): void {
  appendFileSync(file, `${mask(JSON.stringify(verdict))}\n`);
}

export function readVerdicts(file: string): readonly Verdict[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Verdict);
}

/** One sentence for each row of the table that AWS contradicts. */
export function contradictions({ verdicts }: Pick<Recording, 'verdicts'>): readonly string[] {
  return verdicts
    .filter(({ holds }) => !holds)
    .map(({ id, title, refusals }) => {
      const said = refusals.map(({ operation, code }) => `${operation}: ${code}`).join(', ');
      const row = Object.hasOwn(differences, id) ? differences[id].aws : 'the row is gone';
      return `${id} ("${row}"): not so in "${title}" (${said || 'no refusal'})`;
    });
}

/** Answers with the exit code. The verdicts in `directory` are deleted only once they are in `file`. */
export function keepRecording(
  recording: Recording,
  { file, directory, say }: { file: string; directory: string; say: (line: string) => void },
): number {
  try {
    writeFileSync(file, `${mask(JSON.stringify(recording, undefined, 2))}\n`);
  } catch (error) {
    say(`${file} cannot be written (${codeOf(error)}); the verdicts are in ${directory}`);
    return 1;
  }
  rmSync(directory, { recursive: true });
  say(`what AWS answered, without account ids: ${file}`);
  const wrong = contradictions(recording);
  for (const sentence of wrong) say(`localstack/differences.ts is wrong: ${sentence}`);
  return wrong.length === 0 ? 0 : 1;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
