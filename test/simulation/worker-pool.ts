import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Job } from './job.ts';
import type { JobResult } from './worker.ts';

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url));
/** A worker always has its next job at hand. */
const JOBS_AHEAD = 2;

/** Worker processes, one for each core. */
export class WorkerPool {
  readonly #mutation: string | undefined;
  readonly #children: ChildProcess[] = [];

  constructor(mutation: string | undefined) {
    this.#mutation = mutation;
  }

  /** Runs the jobs until none is left, or `onResult` says false; rejects if a worker dies. */
  async run(jobs: readonly Job[], onResult: (result: JobResult) => boolean): Promise<void> {
    const queue = [...jobs];
    const wanted = Math.min(availableParallelism(), jobs.length);
    while (this.#children.length < wanted) this.#children.push(this.#start());
    await Promise.all(this.#children.map((child) => work(child, queue, onResult)));
  }

  close(): void {
    for (const child of this.#children.splice(0)) child.kill();
  }

  #start(): ChildProcess {
    const args = this.#mutation === undefined ? [] : [this.#mutation];
    return fork(WORKER, args, { serialization: 'advanced' });
  }
}

function work(
  child: ChildProcess,
  queue: Job[],
  onResult: (result: JobResult) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let underWay = 0;
    const feed = (): void => {
      for (let job = next(); job !== undefined; job = next()) {
        underWay += 1;
        child.send(job);
      }
      if (underWay === 0) finish();
    };
    const next = (): Job | undefined => (underWay < JOBS_AHEAD ? queue.shift() : undefined);
    const onMessage = (message: JobResult | 'ready'): void => {
      if (message === 'ready') return;
      underWay -= 1;
      if (!onResult(message)) queue.length = 0;
      feed();
    };
    const onExit = (code: number | null): void => reject(new Error(`a worker has died: ${code}`));
    const finish = (): void => {
      child.off('message', onMessage).off('exit', onExit);
      resolve();
    };
    child.on('message', onMessage).on('exit', onExit);
    feed();
  });
}
