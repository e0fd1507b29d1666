import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeApi } from '../surroundings/kube-api.ts';
import { isRead } from './bench-aws.ts';
import type { Figure } from './figure.ts';
import { postObjects } from './post-objects.ts';

const COUNT = 100;
const IDLE_MS = 60_000;
/** Sweeps run during the minute as well: they find nothing and write nothing. */
const ENVIRONMENT = {
  ALBRIDGE_SWEEP_INTERVAL: '10s',
  ALBRIDGE_LEADER_ELECTION: 'on',
  POD_NAME: 'bench',
  POD_NAMESPACE: 'albridge-system',
} as const;

export const idleWrites: Figure = {
  what: `writes in ${IDLE_MS / 1000} s after ${COUNT} objects are settled (measured once)`,
  quantities: {
    kubeWrites: { what: 'API server, Lease aside', unit: 'writes', bound: 0 },
    awsWrites: { what: 'AWS', unit: 'writes', bound: 0 },
    leaseWrites: { what: 'renewals of the Lease', unit: 'writes' },
  },
  measure: async (place, { say }) => {
    const { api, aws } = await place.real();
    const ground = await place.freshGround();
    const operator = await place.startOperator(ground, ENVIRONMENT);
    await postObjects(place, ground, { count: COUNT });
    await ground.ready.whenReady(COUNT);
    await sleep(5000);
    say(`${COUNT} objects are settled, counting for ${IDLE_MS / 1000} s`);
    aws.clearCalls();
    const before = await writesByResource(api);
    await sleep(IDLE_MS);
    const during = difference(await writesByResource(api), before);
    const awsWrites = aws.calls().filter((call) => !isRead(call)).length;
    await operator.stop();
    const leaseWrites = during.get('leases') ?? 0;
    const kubeWrites = sum(during) - leaseWrites;
    if (kubeWrites > 0) say(`written: ${JSON.stringify([...during])}`);
    return [{ kubeWrites, awsWrites, leaseWrites }];
  },
};

const MUTATING = /verb="(?:POST|PUT|PATCH|APPLY|DELETE|DELETECOLLECTION)"/;

/** apiserver_request_total; https://kubernetes.io/docs/reference/instrumentation/metrics/ */
async function writesByResource(api: KubeApi): Promise<ReadonlyMap<string, number>> {
  const { body } = await api.send({ method: 'GET', path: '/metrics' });
  const text = (body as { readonly message: string }).message;
  const writes = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (!line.startsWith('apiserver_request_total{') || !MUTATING.test(line)) continue;
    const resource = /resource="([^"]*)"/.exec(line)?.[1] ?? '';
    writes.set(resource, (writes.get(resource) ?? 0) + Number(line.split(' ').at(-1)));
  }
  if (sum(writes) === 0) throw new Error('the API server shows no writes at all');
  return writes;
}

function difference(
  after: ReadonlyMap<string, number>,
  before: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const grown = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return new Map(grown.filter(([, count]) => count > 0));
}

function sum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
