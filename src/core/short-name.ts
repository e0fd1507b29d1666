import { createHash } from 'node:crypto';

/** The longest value of a label, and the longest DNS label. */
const MAX_LABEL_LENGTH = 63;

/**
 * `name` where it is short enough; else its head and eight hex digits of its SHA-256, so that long
 * names of the same beginning stay apart. What it gives is frozen: objects out there carry it.
 */
export function shortened(name: string, maxLength = MAX_LABEL_LENGTH): string {
  if (name.length <= maxLength) return name;
  const head = name.slice(0, maxLength - HASH_LENGTH - 1).replace(/[-.]+$/, '');
  return `${head}-${createHash('sha256').update(name).digest('hex').slice(0, HASH_LENGTH)}`;
}

const HASH_LENGTH = 8;
