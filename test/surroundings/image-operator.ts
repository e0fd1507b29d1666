import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { residentMB } from '../bench/resident-memory.ts';
import { findFreePort } from '../control-plane/free-port.ts';
import { readImageRun } from './image.ts';
import { type OperatorProcess, startOperatorProcess } from './operator-process.ts';

const DEPLOYMENT = resolve(import.meta.dirname, '../../deploy/base/deployment.yaml');
/**
 * V8 takes half of a container's memory for its heap (Heap::HeapSizeFromPhysicalMemory in
 * https://chromium.googlesource.com/v8/v8/+/refs/heads/main/src/heap/heap.cc; not measured in a container).
 */
const HEAP_SHARE = 0.5;
const SAMPLE_MS = 200;
const MB_PER_MIB = (1024 * 1024) / 1e6;

/** The bundle as a container of the Deployment runs it, but for the limit, which is asserted instead. */
export interface ImageOperator {
  readonly operator: OperatorProcess;
  readonly metricsPort: number;
  readonly healthPort: number;
  /** Most resident memory so far, in MB. */
  peakMB(): number;
  stop(): Promise<void>;
}

export async function startImageOperator(
  entry: string,
  environment: Readonly<Record<string, string>>,
): Promise<ImageOperator> {
  const image = await readImageRun();
  const heapMiB = (await readMemoryLimitMB()) * (HEAP_SHARE / MB_PER_MIB);
  const [metricsPort, healthPort] = [await findFreePort(), await findFreePort()];
  const operator = startOperatorProcess({
    entry,
    nodeFlags: [...image.nodeFlags, `--max-old-space-size=${Math.round(heapMiB)}`],
    environment: {
      ...image.environment,
      ...environment,
      ALBRIDGE_METRICS_ADDRESS: `127.0.0.1:${metricsPort}`,
      ALBRIDGE_HEALTH_ADDRESS: `127.0.0.1:${healthPort}`,
    },
  });
  let peakMB = 0;
  const sample = async (): Promise<void> => {
    peakMB = Math.max(peakMB, await residentMB(operator.pid).catch(() => 0));
  };
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  const stop = async (): Promise<void> => {
    clearInterval(timer);
    await operator.stop();
  };
  return { operator, metricsPort, healthPort, peakMB: () => peakMB, stop };
}

/** What the Deployment limits a container to, in MB. */
export async function readMemoryLimitMB(): Promise<number> {
  const { spec } = parse(await readFile(DEPLOYMENT, 'utf8'));
  const limit = spec.template.spec.containers[0].resources.limits.memory as string;
  return Number(/^(\d+)Mi$/.exec(limit)?.[1]) * MB_PER_MIB;
}
