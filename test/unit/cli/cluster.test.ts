import { describe, expect, it } from 'vitest';
import { restrictToReads } from '../../../src/cli/cluster.ts';
import type { KubeRequest } from '../../../src/kube/client/kube-transport.ts';

describe('the cluster of a command', () => {
  const sent: KubeRequest[] = [];
  const transport = restrictToReads({
    request: async (request) => {
      sent.push(request);
      return { status: 200, headers: {}, body: (async function* () {})() };
    },
  });

  const reads: readonly KubeRequest[] = [
    { method: 'GET', path: '/version' },
    { method: 'PATCH', path: '/api/v1/namespaces/a/pods/b', query: { dryRun: 'All' } },
    { method: 'POST', path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews' },
    { method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews' },
  ];

  it.each(reads)('is asked by $method $path', async (request) => {
    await transport.request(request);
    expect(sent.at(-1)).toBe(request);
  });

  const writes: readonly KubeRequest[] = [
    { method: 'DELETE', path: '/api/v1/namespaces/a/pods/b' },
    { method: 'POST', path: '/api/v1/namespaces/a/pods/b/eviction' },
    { method: 'PUT', path: '/apis/authorization.k8s.io/v1/other', query: { dryRun: 'none' } },
  ];

  it.each(writes)('never gets $method $path', async (request) => {
    const before = sent.length;
    await expect(transport.request(request)).rejects.toThrow(/was not sent$/);
    expect(sent.length).toBe(before);
  });
});
