import { burst } from './burst.ts';
import { callsPerCreate } from './calls-per-create.ts';
import { configEdit, secretEdit } from './config-edit.ts';
import { createLatency } from './create-latency.ts';
import type { Figure } from './figure.ts';
import { idleMemory } from './idle-memory.ts';
import { idleWrites } from './idle-writes.ts';
import { largeAccount } from './large-account.ts';
import { largeRollout } from './large-rollout.ts';
import { manyMonitors, manyUsers } from './many-monitors.ts';
import { podSuccessor } from './pod-successor.ts';
import { restartCalls } from './restart-calls.ts';
import { rollout } from './rollout/rollout.ts';
import { startTime } from './start-time.ts';
import { stop } from './stop.ts';
import { sweepCalls } from './sweep-calls.ts';
import { exposeLatency } from './traffic/expose-latency.ts';
import { growth } from './traffic/growth.ts';
import { manyTargets } from './traffic/many-targets.ts';
import { targetLatency } from './traffic/target-latency.ts';
import { throughput } from './traffic/throughput.ts';
import { trafficCalls } from './traffic/traffic-calls.ts';
import { trafficLatency } from './traffic/traffic-latency.ts';
import { trafficMemory } from './traffic/traffic-memory.ts';
import { trafficRestartCalls } from './traffic/traffic-restart-calls.ts';
import { trafficScanCalls } from './traffic/traffic-scan-calls.ts';
import { unchangedPass } from './traffic/unchanged-pass.ts';
import { ui } from './ui.ts';
import { uiChromium } from './ui-chromium.ts';
import { webAppChildren } from './web-app-children.ts';

/** Everything that `npm run bench` measures, by the names that `--only` takes. */
export const figures: Readonly<Record<string, Figure>> = {
  createLatency,
  callsPerCreate,
  burst,
  sweepCalls,
  restartCalls,
  idleWrites,
  startTime,
  idleMemory,
  webAppChildren,
  ui,
  uiChromium,
  podSuccessor,
  configEdit,
  secretEdit,
  largeRollout,
  manyMonitors,
  manyUsers,
  largeAccount,
  stop,
  trafficCalls,
  trafficScanCalls,
  trafficRestartCalls,
  trafficLatency,
  exposeLatency,
  targetLatency,
  manyTargets,
  trafficMemory,
  growth,
  unchangedPass,
  throughput,
  rollout,
};
