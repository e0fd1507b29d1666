import type { Series } from './line-chart.ts';

/**
 * What others measured, on another day and against another stand-in: 2 cores, a real API server 1.36.4, moto
 * behind a proxy that counts. One internal load balancer with a listener, a rule and a target group each.
 */
export const PEERS_CAPTION =
  'Others: 2 cores, API server 1.36.4, moto as AWS, measured on another day, 2026-11-21';

/** A drift scan of this many seconds is what the bucket is divided by. */
const SCAN_INTERVAL_SECONDS = 300;
/**
 * Of reads, for an account and region:
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/userguide/elb-api-throttling.html
 */
const READS_PER_SECOND = 10;
const MB_PER_MIB = 2 ** 20 / 1e6;

const CONTROLLER = { name: 'AWS Load Balancer Controller', version: '3.5.0' } as const;
const KOPF = { name: 'kopf', version: '1.44.6' } as const;
/** Of the 11 calls of a pass in which nothing differs, those to ELBv2, whose bucket the limit is. */
const CONTROLLER_READS = 8;

/** At its pace each object would have one read of the bucket in each interval of the drift scan. */
export function describeBucket(sizes: readonly number[]): Series {
  return {
    name: "AWS's limit on reads",
    note: `${READS_PER_SECOND} a second for all, over ${SCAN_INTERVAL_SECONDS / 60} minutes`,
    points: sizes.map((size) => [size, (READS_PER_SECOND * SCAN_INTERVAL_SECONDS) / size]),
    isLimit: true,
  };
}

export function describeControllerPass(sizes: readonly number[]): Series {
  return {
    name: CONTROLLER.name,
    note: `${CONTROLLER.version}, a pass in which nothing differs`,
    points: sizes.map((size) => [size, CONTROLLER_READS]),
  };
}

export const CONTROLLER_RESTART: Series = {
  name: CONTROLLER.name,
  note: `${CONTROLLER.version}, all reconciled once`,
  points: [
    [100, 1320],
    [300, 3939],
  ],
};

export const CONTROLLER_MEMORY: Series = {
  name: CONTROLLER.name,
  note: `${CONTROLLER.version}, at its peak`,
  points: [
    [0, 64 * MB_PER_MIB],
    [100, 86 * MB_PER_MIB],
    [300, 103 * MB_PER_MIB],
  ],
};

/** The article's handler creates a balancer and reads nothing. */
export const KOPF_MEMORY: Series = {
  name: KOPF.name,
  note: `${KOPF.version}, a handler that only creates`,
  points: [
    [0, 65],
    [315, 76],
  ],
};
