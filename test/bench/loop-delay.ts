import { monitorEventLoopDelay } from 'node:perf_hooks';

/**
 * Loaded into an operator before its own code: tells once a second, as a line of its log, for how
 * long its event loop was not served at most.
 */

const RESOLUTION_MS = 1;

const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delays.enable();
setInterval(() => {
  const longestMs = Math.max(0, delays.max / 1e6 - RESOLUTION_MS);
  delays.reset();
  process.stdout.write(`${JSON.stringify({ level: 'bench', msg: 'event loop', longestMs })}\n`);
}, 1000).unref();
