import type { AwsWorld } from '../aws-world.ts';
import { networkAsOf } from '../ec2/network.ts';
import type { FaultEffect } from '../faults/fault-script.ts';
import type { Input } from '../input-fields.ts';
import type { Operation } from '../operations.ts';
import { trafficAsOf } from '../traffic/traffic.ts';
import { AwsFault } from './aws-fault.ts';
import { BrokenAnswer } from './broken-answer.ts';

/** One request that has arrived and is not carried out yet. */
export interface Exchange {
  /** The scripted fault that it meets. `delay` and `hold` are for the caller to wait on. */
  readonly effect: FaultEffect | undefined;
  /**
   * Carries the request out, once. Returns the SDK-shaped output; throws AwsFault for an error
   * answer and BrokenAnswer where no answer arrives.
   */
  run(): unknown;
}

/** A request that arrived, with where to note its outcome. */
export interface Arrival {
  readonly input: Input;
  readonly note: (outcome: string) => void;
}

/** An operation to execute, and the fault under which it runs. */
export interface Work {
  readonly world: AwsWorld;
  readonly operation: Operation;
  readonly effect: FaultEffect | undefined;
  /** Throws AwsFault where a policy does not allow it. */
  readonly authorize: () => void;
}

/** An exchange that ends in this fault before any operation sees it. */
export function refusedExchange(arrival: Arrival, fault: AwsFault): Exchange {
  const refuse = (): never => {
    throw fault;
  };
  return { effect: undefined, run: () => noted(arrival, refuse) };
}

/** An exchange that carries out the operation as the effect allows. */
export function exchangeOf(arrival: Arrival, work: Work): Exchange {
  const run = (): unknown => {
    work.authorize();
    return carryOut(work, arrival.input);
  };
  return { effect: work.effect, run: () => noted(arrival, run) };
}

function noted(arrival: Arrival, run: () => unknown): unknown {
  try {
    const output = run();
    arrival.note('ok');
    return output;
  } catch (error) {
    arrival.note(outcomeOf(error));
    throw error;
  }
}

function outcomeOf(error: unknown): string {
  if (error instanceof AwsFault) return error.code;
  return error instanceof BrokenAnswer ? error.kind : 'crashed';
}

function carryOut({ world, operation, effect }: Work, input: Input): unknown {
  switch (effect?.kind) {
    case 'error':
      throw new AwsFault(effect.code, effect.message, effect.status);
    case 'dropBeforeApply':
      throw new BrokenAnswer('connectionLost', false);
    case 'html500':
      throw new BrokenAnswer('html500', false);
    case 'lostResponse':
      throw new BrokenAnswer(
        'connectionLost',
        isAccepted(() => operation.run(world, input)),
      );
    case 'staleReads':
      return runAsOf({ world, operation }, input, world.clock.now() - effect.ageMs);
    case 'delay':
    case 'hold':
    case undefined:
      return operation.run(world, input);
  }
}

function runAsOf(
  { world, operation }: Pick<Work, 'world' | 'operation'>,
  input: Input,
  atMs: number,
): unknown {
  if (operation.kind === 'write') return operation.run(world, input);
  const past = {
    ...world,
    balancers: world.balancers.asOf(atMs),
    traffic: trafficAsOf(world.traffic, atMs),
    network: networkAsOf(world.network, atMs),
    clock: { now: () => atMs },
  };
  return operation.run(past, input);
}

function isAccepted(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof AwsFault) return false;
    throw error;
  }
}
