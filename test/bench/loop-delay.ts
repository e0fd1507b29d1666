import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/**
 * Loaded into an operator before its own code: tells once a second, as a line of its log, for how
 * long its event loop was not served at most, and how long a garbage collection took at most.
 */

const RESOLUTION_MS = 1;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
let gcMs = 0;
new PerformanceObserver((list) => {
  gcMs = Math.max(gcMs, ...list.getEntries().map(({ duration }) => duration));
}).observe({ entryTypes: ['gc'] });
setInterval(() => {
  const longestMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
  delays.reset();
  const line = { level: 'bench', msg: 'event loop', longestMs, gcMs };
  gcMs = 0;
  process.stdout.write(`${JSON.stringify(line)}\n`);
}, 1000).unref();
