import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type Cluster, loadCluster } from '../../src/kube/credentials.ts';
import { createKubeClient, type KubeClient } from '../../src/kube/kube-client.ts';
import { kubeMetrics } from '../../src/kube/kube-metrics.ts';
import type { KubeRequest } from '../../src/kube/kube-transport.ts';
import { createUndiciTransport } from '../../src/kube/undici-transport.ts';
import { systemClock } from '../../src/system-clock.ts';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { RecordingMetrics } from '../fakes/recording-metrics.ts';
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts';
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

/** As in a pod: service account files, and the API server behind the proxy. */
function inPod(deadlineMs = 30_000): { readonly client: KubeClient; readonly cluster: Cluster } {
  const cluster = loadCluster(
    {
      serviceHost: '127.0.0.1',
      servicePort: String(proxy.port),
      serviceAccountDir: directory,
    },
    systemClock,
  );
  const transport = createUndiciTransport(cluster, { userAgent: 'albridge/test' });
  opened.push(() => transport.close());
  const metrics = new RecordingMetrics();
  return {
    client: createKubeClient({ transport, clock: systemClock, metrics, deadlineMs }),
    cluster,
  };
}

describe('the transport against a real API server', () => {
  it('makes 200 calls over at most 16 TLS connections, and 50 in a row over two', async () => {
    const { client } = inPod();
    const before = proxy.accepted();
    for (let call = 0; call < 50; call++) await client.request(READ);
    expect(proxy.accepted() - before).toBeLessThanOrEqual(2);

    await Promise.all(Array.from({ length: 200 }, () => client.request(READ)));

    expect(proxy.accepted() - before).toBeLessThanOrEqual(16);
  });

  it('recovers from connections that died in silence (behaviour 6)', async () => {
    const { client } = inPod(700);
    await Promise.all(Array.from({ length: 10 }, () => client.request(READ)));
    expect(proxy.open()).toBeGreaterThan(3);

    proxy.swallow();

    await expect(client.request(READ)).rejects.toThrow('deadline of 700 ms exceeded');
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
    const transport = createUndiciTransport(untrusting, { userAgent: 'albridge/test' });
    opened.push(() => transport.close());

    await expect(transport.request(READ)).rejects.toThrow(/certificate/);
  });
});

describe('a server that puts off (behaviour 8)', () => {
  it('is obeyed, and the call goes through when it lets go', async () => {
    const { kubectl, serviceAccountKubeconfig } = accessCluster(inject('controlPlane'));
    await kubectl(['create', 'serviceaccount', 'throttled', '-n', 'default']);
    await kubectl(['apply', '-f', '-'], {
      input: rejectAll('system:serviceaccount:default:throttled'),
    });
    const { client, metrics, transport } = connect(
      await serviceAccountKubeconfig('default', 'throttled'),
    );
    opened.push(() => transport.close());
    const version = { method: 'GET', path: '/version' } as const;
    await vi.waitFor(
      () =>
        expect(client.stream(version)).rejects.toMatchObject({ status: 429, retryAfterMs: 1000 }),
      { timeout: 20_000, interval: 200 },
    );
    const asked = metrics.valueOf(kubeMetrics.requests, { code: '429' }) ?? 0;
    const call = client.request(version);
    await vi.waitFor(() =>
      expect(metrics.valueOf(kubeMetrics.requests, { code: '429' })).toBeGreaterThan(asked),
    );

    await kubectl(['delete', 'flowschema', 'reject-all']);

    await expect(call).resolves.toHaveProperty('gitVersion');
  });
});

/** API priority and fairness that has no seat for `user`. */
function rejectAll(user: string): string {
  const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
  const metadata = { name: 'reject-all' };
  const limited = {
    nominalConcurrencyShares: 0,
    lendablePercent: 0,
    borrowingLimitPercent: 0,
    limitResponse: { type: 'Reject' },
  };
  const [, , namespace, name] = user.split(':');
  const subject = { kind: 'ServiceAccount', serviceAccount: { namespace, name } };
  const items = [
    {
      apiVersion,
      kind: 'PriorityLevelConfiguration',
      metadata,
      spec: { type: 'Limited', limited },
    },
    {
      apiVersion,
      kind: 'FlowSchema',
      metadata,
      spec: {
        matchingPrecedence: 10,
        priorityLevelConfiguration: metadata,
        rules: [
          {
            subjects: [subject],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    },
  ];
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}
