/** The run was ended from outside, in good order. */
export class Interrupted extends Error {
  constructor(signal: string) {
    super(`${signal}: stopping what was started`);
    this.name = 'Interrupted';
  }
}

/** Rejects with Interrupted at the first signal to stop; a second one then ends the process at once. */
export function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.once(signal, () => reject(new Interrupted(signal)));
    }
  });
}
