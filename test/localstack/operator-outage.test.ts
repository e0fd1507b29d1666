import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../control-plane/free-port.ts';
import { isReady, type MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { OTHER_KINDS, OtherObjects } from '../surroundings/other-kinds.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;
let objects: MyIngresses;
let subnets: readonly string[];

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
  objects = await place.createNamespace('outage');
  subnets = place.network.articleSubnets;
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

describe('while the API server is away', () => {
  it('nothing is lost: all kinds are back within seconds of it, without a restart', async () => {
    const port = await findFreePort();
    const operator = await surroundings.startOperator({
      ALBRIDGE_HEALTH_ADDRESS: `127.0.0.1:${port}`,
      LOG_LEVEL: 'debug',
    });
    await objects.create('outage', { subnets });
    await objects.whenReady('outage');
    await surroundings.controlPlane.killApiServer();
    await until('every watch waits as long as it ever does', async () => isPatient(operator));
    expect(await readReadiness(port)).toBe(500);
    await surroundings.controlPlane.startApiServer();
    const startedMs = performance.now();
    await until('every watch', async () => (await readReadiness(port)) === 200, 30_000);
    expect(performance.now() - startedMs).toBeLessThan(MOST_AWAY_MS);
    expect(operator.log.some(({ msg }) => msg === 'watching again')).toBe(true);

    const others = new OtherObjects(place.api, objects.namespace);
    await objects.create('after', { subnets });
    await others.create('after');
    await objects.when('after', isReady);
    const all = OTHER_KINDS.map(({ kind }) => kind);
    await until('all kinds', async () => (await others.listReconciled()).length === all.length);
    expect(await place.standIn.balancersOf(objects.namespace, 'outage')).toHaveLength(1);
    await operator.stop();
  });
});

/** The longest delay before its jitter: src/kube/watch/recovery.ts. */
const LONGEST_DELAY_MS = 5333;
/** With its jitter, the delay is at most 8 s. */
const MOST_AWAY_MS = 10_000;

function isPatient({ log }: OperatorProcess): boolean {
  const delays = new Map<unknown, number>();
  for (const line of log) {
    if (line.msg === 'watch ended') delays.set(line['resource'], Number(line['delayMs']));
  }
  return (
    delays.size > OTHER_KINDS.length && [...delays.values()].every((ms) => ms >= LONGEST_DELAY_MS)
  );
}

async function readReadiness(port: number): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
}
