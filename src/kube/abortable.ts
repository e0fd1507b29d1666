/** What `work` gives, or the signal's reason if it aborts first; `work` itself goes on unheard. */
export async function untilAborted<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return work;
  signal.throwIfAborted();
  const released = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    const fail = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', fail, { once: true, signal: released.signal });
  });
  return Promise.race([work, aborted]).finally(() => released.abort());
}
