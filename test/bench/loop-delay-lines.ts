import type { OperatorProcess } from '../surroundings/operator-process.ts';

/** Of the lines that loop-delay.ts wrote from the one with this number on. */
export function longestDelayMs(operator: OperatorProcess, first: number): number {
  return findLongest(operator, first, 'longestMs');
}

/** The same of a garbage collection, which is part of the delay. */
export function longestGcMs(operator: OperatorProcess, first: number): number {
  return findLongest(operator, first, 'gcMs');
}

function findLongest(operator: OperatorProcess, first: number, name: 'longestMs' | 'gcMs'): number {
  const lines = operator.log.slice(first).filter(({ msg }) => msg === 'event loop');
  if (lines.length === 0) throw new Error('the operator did not tell of its event loop');
  return Math.max(...lines.map((line) => Number(line[name])));
}
