import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Cluster, loadCluster } from '../../src/kube/client/credentials.ts';
import { KubeClient } from '../../src/kube/client/kube-client.ts';
import { kubeMetrics } from '../../src/kube/client/kube-metrics.ts';
import type { KubeRequest } from '../../src/kube/client/kube-transport.ts';
import { UndiciTransport } from '../../src/kube/client/undici-transport.ts';
import { systemClock } from '../../src/system-clock.ts';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts';
import { transportOptions } from '../fakes/transport-options.ts';
import { connect } from './kube-access.ts';

const READ: KubeRequest = { method: 'GET', path: '/api/v1/namespaces/default' };

let directory: string;
let proxy: TcpProxy;
const opened: (() => Promise<void>)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-transport-'));
  const { url, caPem, adminToken } = inject('controlPlane');
  await writeFile(join(directory, 'ca.crt'), caPem);
  await writeFile(join(directory, 'token'), `${adminToken}\n`);
  proxy = await startTcpProxy(Number(new URL(url).port));
});

afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

afterAll(async () => {
  await proxy.stop();
  await rm(directory, { recursive: true, force: true });
});

interface InPod {
  readonly client: KubeClient;
  /** Over the same connections. */
  readonly hastyClient: KubeClient;
  readonly cluster: Cluster;
}

/** As in a pod: service account files, and the API server behind the proxy. */
function inPod(): InPod {
  const cluster = loadCluster(
    {
      serviceHost: '127.0.0.1',
      servicePort: String(proxy.port),
      serviceAccountDir: directory,
    },
    systemClock,
  );
  const transport = new UndiciTransport(cluster, {
    ...transportOptions('albridge/test'),
    connections: 8,
  });
  opened.push(() => transport.close());
  const options = { transport, clock: systemClock, metrics: new RecordingMetrics() };
  return {
    client: new KubeClient(options),
    hastyClient: new KubeClient({ ...options, deadlineMs: 5000 }),
    cluster,
  };
}

describe('the transport against a real API server', () => {
  it('makes 200 calls over at most 8 TLS connections, and 50 in a row over two', async () => {
    const { client } = inPod();
    const before = proxy.accepted();
    for (let call = 0; call < 50; call++) await client.request(READ);
    expect(proxy.accepted() - before).toBeLessThanOrEqual(2);

    await Promise.all(Array.from({ length: 200 }, () => client.request(READ)));

    expect(proxy.accepted() - before).toBeLessThanOrEqual(8);
  });

  it('recovers from silently broken connections (behaviour 6)', async () => {
    const { client, hastyClient } = inPod();
    await Promise.all(Array.from({ length: 10 }, () => client.request(READ)));
    expect(proxy.open()).toBeGreaterThan(3);

    proxy.swallow();

    await expect(hastyClient.request(READ)).rejects.toThrow('deadline of 5000 ms exceeded');
    await expect(client.request(READ)).resolves.toMatchObject({ kind: 'Namespace' });
    proxy.cut();
  });

  it('repeats a read whose connection was reset', async () => {
    const { client } = inPod();
    await client.request(READ);

    proxy.cut();

    await expect(client.request(READ)).resolves.toMatchObject({ kind: 'Namespace' });
  });

  it('reads a replaced token after a 401, and the call succeeds (behaviour 25)', async () => {
    const { adminToken } = inject('controlPlane');
    await writeFile(join(directory, 'token'), 'revoked');
    const { client, cluster } = inPod();
    await cluster.credentials();
    await writeFile(join(directory, 'token'), `${adminToken}\n`);
    let sent = 0;

    const call = client.request({ ...READ, beforeSend: () => sent++ });

    await expect(call).resolves.toMatchObject({ kind: 'Namespace' });
    expect(sent).toBe(2);
  });

  it('is 401 where the new token is no better', async () => {
    const { adminToken } = inject('controlPlane');
    await writeFile(join(directory, 'token'), 'revoked');
    const { client } = inPod();

    await expect(client.request(READ)).rejects.toMatchObject({ status: 401 });
    await writeFile(join(directory, 'token'), `${adminToken}\n`);
  });

  it('refuses a server whose certificate it cannot check', async () => {
    const { url } = inject('controlPlane');
    const cluster = loadCluster(
      { serviceHost: '127.0.0.1', servicePort: new URL(url).port, serviceAccountDir: directory },
      systemClock,
    );
    const untrusting = { ...cluster, credentials: async () => ({ headers: {}, tls: {} }) };
    const transport = new UndiciTransport(untrusting, {
      ...transportOptions('albridge/test'),
      connections: 8,
    });
    opened.push(() => transport.close());

    await expect(transport.request(READ)).rejects.toThrow(/certificate/);
  });
});

describe('a server that answers Retry-After (behaviour 8)', () => {
  it('is obeyed, and every call goes through in the end', async () => {
    const { client, metrics, transport } = connect(await createThrottledUser());
    opened.push(() => transport.close());
    const refusals = (): number => metrics.valueOf(kubeMetrics.requests, { code: '429' }) ?? 0;
    // Slow enough that calls at once meet on the server.
    const slow = { method: 'GET', path: '/openapi/v2' } as const;

    // The server learns of the level a moment later.
    const startedMs = performance.now();
    while (refusals() === 0 && performance.now() - startedMs < 120_000) {
      const calls = Array.from({ length: 4 }, () => client.request(slow));
      for (const call of calls) await expect(call).resolves.toHaveProperty('swagger');
    }

    expect(refusals()).toBeGreaterThan(0);
  });
});

/** A ServiceAccount for which API priority and fairness has one seat, and no queue. */
async function createThrottledUser(): Promise<string> {
  const { kubectl, serviceAccountKubeconfig } = accessCluster(inject('controlPlane'));
  await kubectl(['create', 'serviceaccount', 'throttled']);
  await kubectl(['apply', '-f', '-'], { input: JSON.stringify(ONE_SEAT) });
  return serviceAccountKubeconfig('default', 'throttled');
}

/** A level without seats still serves one request at a time. */
const ONE_SEAT = {
  apiVersion: 'v1',
  kind: 'List',
  items: [
    {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'PriorityLevelConfiguration',
      metadata: { name: 'one-seat' },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 0,
          lendablePercent: 0,
          borrowingLimitPercent: 0,
          limitResponse: { type: 'Reject' },
        },
      },
    },
    {
      apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
      kind: 'FlowSchema',
      metadata: { name: 'one-seat' },
      spec: {
        matchingPrecedence: 10,
        priorityLevelConfiguration: { name: 'one-seat' },
        rules: [
          {
            subjects: [
              {
                kind: 'ServiceAccount',
                serviceAccount: { namespace: 'default', name: 'throttled' },
              },
            ],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    },
  ],
};
