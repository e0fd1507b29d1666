import type { OperatorProcess } from '../surroundings/operator-process.ts';

/** Of the lines that loop-delay.ts wrote from the one with this number on. */
export function longestDelayMs(operator: OperatorProcess, first: number): number {
  const delays = operator.log
    .slice(first)
    .filter(({ msg }) => msg === 'event loop')
    .map(({ longestMs }) => Number(longestMs));
  if (delays.length === 0) throw new Error('the operator did not tell of its event loop');
  return Math.max(...delays);
}
