import type { UndiciTransportOptions } from '../../src/kube/client/undici-transport.ts';
import { systemClock } from '../../src/system-clock.ts';
import { SilentLogger } from './silent-logger.ts';

/** A real transport under a name of its own, over as many connections as a test may need. */
export function transportOptions(userAgent: string): UndiciTransportOptions {
  return { userAgent, clock: systemClock, log: new SilentLogger(), connections: 32 };
}
