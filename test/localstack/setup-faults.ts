import { randomUUID } from 'node:crypto';
import type { FaultEffect } from '../../localstack/embedded/faults/fault-script.ts';
import type { MyIngresses } from '../surroundings/my-ingresses.ts';
import type { StandInControl } from '../surroundings/stand-in-control.ts';

/** An error answer as AWS gives it. */
export function refusal(code: string, status: number): FaultEffect {
  return { kind: 'error', code, status, message: 'said by AWS' };
}

/** Refuses an operation until the faults are cleared. */
export async function refuse(
  standIn: StandInControl,
  operation: string,
  answer: FaultEffect,
): Promise<void> {
  await standIn.addFault({ operation, times: 1000, effect: answer });
}

/** A live look now, without a change of the spec. Gives the token that the status echoes then. */
export async function askForALook(objects: MyIngresses, name: string): Promise<string> {
  const token = randomUUID();
  await objects.annotate(name, { 'albridge.io/reconcile-requested-at': token });
  return token;
}

/** An object's name that tells what it is tried with. */
export function nameFor(what: string): string {
  return `web-${what.toLowerCase().replaceAll(/\W/g, '-')}`;
}
