import type { Key } from './kube-object.ts';

/** Puts keys into the queue until it is stopped: a watch on children, a sweep, a poller. */
export type KeySource = (enqueue: Enqueue) => () => void;

export type Enqueue = (key: Key, options?: { priority?: number; afterMs?: number }) => void;
