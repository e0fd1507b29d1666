import { inject, it, type TestContext } from 'vitest';
import type { Difference } from '../../localstack/difference.ts';
import { type DifferenceId, differences } from '../../localstack/differences.ts';
import { appendVerdict } from './account/recording.ts';
import { takeRefusals } from './account/within-run.ts';
import type { ProvidedBackend } from './setup.ts';

export type ServingBackend = Extract<ProvidedBackend, { kind: 'serving' }>;

/** The backend of this run; throws where there is none: guard with `skipWithoutBackend`. */
export function backendUnderTest(): ServingBackend {
  const backend = inject('awsBackend');
  if (backend.kind === 'missing') throw new Error(backend.why);
  return backend;
}

export const isMissing: boolean = inject('awsBackend').kind === 'missing';

type Body = (context: TestContext) => Promise<void>;

/**
 * A test of behaviour in which some backends differ from AWS. Where the table says that this one
 * does, the test still runs: if the body fails as the table says, it counts as skipped; if it
 * passes, the table is out of date and the test fails. Nothing but a failed expectation counts.
 */
export function itLikeAws(id: DifferenceId, title: string, body: Body): void {
  it(title, async (context) => {
    const instead = insteadOf(id);
    if (instead === undefined) return judged({ id, title }, () => body(context));
    await provesDifference(id, () => body(context));
    skip(context, id, instead);
  });
}

/** The same where proving the difference would take long: such a test is skipped outright. */
export function itLikeAwsIfAtAll(id: DifferenceId, title: string, body: Body): void {
  it(title, async (context) => {
    const instead = insteadOf(id);
    if (instead !== undefined) skip(context, id, instead);
    await body(context);
  });
}

/** In somebody's account what AWS did is kept, whatever it did. */
async function judged(
  row: { readonly id: DifferenceId; readonly title: string },
  body: () => Promise<void>,
): Promise<void> {
  const { account } = backendUnderTest();
  if (account === undefined) return body();
  const note = (holds: boolean): void =>
    appendVerdict(account.recordFile, { ...row, holds, refusals: takeRefusals() });
  takeRefusals();
  try {
    await body();
    note(true);
  } catch (error) {
    if ((error as Error).name === 'AssertionError') note(false);
    throw error;
  }
}

function insteadOf(id: DifferenceId): string | undefined {
  const { likes } = backendUnderTest();
  const { instead }: Difference = differences[id];
  return likes === undefined ? undefined : instead[likes];
}

async function provesDifference(id: DifferenceId, body: () => Promise<void>): Promise<void> {
  try {
    await body();
  } catch (error) {
    if ((error as Error).name === 'AssertionError') return;
    throw error;
  }
  throw new Error(`localstack/differences.ts lists "${id}", and the backend does what AWS does`);
}

function skip(context: TestContext, id: string, instead: string): never {
  return context.skip(`${id}: ${instead}`);
}
