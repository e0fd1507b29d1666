import type { ClientRequest } from 'node:http';
import { request } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { DeadlineExceeded, startDeadline } from '../../src/core/ports/clock.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import { kubeMetrics } from '../../src/kube/client/kube-metrics.ts';
import type { KubeRequest, KubeResponse } from '../../src/kube/client/kube-transport.ts';
import { systemClock } from '../../src/system-clock.ts';
import { accessCluster, type ClusterAccess } from '../control-plane/cluster-access.ts';
import { startTcpProxy, type TcpProxy } from '../fakes/tcp-proxy.ts';
import { whenServed } from './crd-api.ts';
import {
  type Connection,
  type ConnectionOptions,
  connect,
  type Editor,
  editIn,
  eventually,
  type Following,
  follow,
} from './reflector-harness.ts';

let cluster: ClusterAccess;
let admin: Connection;
let proxy: TcpProxy;
const opened: { readonly stop: () => Promise<void> }[] = [];

beforeAll(async () => {
  cluster = accessCluster(inject('controlPlane'));
  admin = connect(cluster);
  proxy = await startTcpProxy(Number(new URL(cluster.url).port));
});

afterEach(async () => {
  proxy.restore();
  for (const one of opened.splice(0)) await one.stop();
});

afterAll(async () => {
  await proxy.stop();
  await admin.close();
});

function open(options: ConnectionOptions = {}): Connection {
  const connection = connect(cluster, options);
  opened.unshift({ stop: connection.close });
  return connection;
}

function start(...args: Parameters<typeof follow>): Following {
  const following = follow(...args);
  opened.unshift({ stop: () => following.reflector.stop() });
  return following;
}

async function namespaceOf(name: string): Promise<Editor> {
  return await editIn(admin.client, name);
}

async function kubectl(args: readonly string[], input?: string): Promise<string> {
  const result = await cluster.kubectl(args, input === undefined ? {} : { input });
  expect(result.stderr).toBe('');
  return result.stdout;
}

describe('a reflector against the API server', () => {
  it('behaviour 1: shows 1,200 objects once each before it is synced, over one request', async () => {
    const editor = await namespaceOf('reflector-many');
    await editor.createMany('many', 1200);
    const connection = open();
    const { cache, reflector, seen } = start(connection.client, { namespace: 'reflector-many' });
    await reflector.synced;
    expect(cache.list()).toHaveLength(1200);
    expect(seen).toHaveLength(1200);
    expect(new Set(seen).size).toBe(1200);
    expect(connection.asked).toEqual(['watch-list']);
    await editor.remove('many-7');
    await eventually(() => expect(cache.list()).toHaveLength(1199));
    expect(connection.asked).toEqual(['watch-list']);
  });

  it('holds objects stamped, lean and frozen, and reads its own writes by resourceVersion', async () => {
    const editor = await namespaceOf('reflector-own');
    const { cache, reflector } = start(open().client, { namespace: 'reflector-own' });
    await reflector.synced;
    const created = await editor.create('mine', { a: '1' });
    const written = created.metadata.resourceVersion ?? '';
    expect(await cache.hasReached(written, AbortSignal.timeout(120_000))).toBe(true);
    const held = cache.get('reflector-own/mine');
    expect(held).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
    expect(held?.metadata).not.toHaveProperty('managedFields');
    expect(Object.isFrozen(held?.metadata.labels)).toBe(true);
    const future = `${written}0000`;
    expect(await cache.hasReached(future, AbortSignal.timeout(50))).toBe(false);
  });

  it('behaviour 3: is moved by bookmarks although its selector matches nothing', async () => {
    const editor = await namespaceOf('reflector-bookmarks');
    // The server sends a bookmark also shortly before it ends a watch.
    const connection = open({
      onRequest: (request) => ({ ...request, query: { ...request.query, timeoutSeconds: '4' } }),
    });
    const { reflector } = start(connection.client, {
      namespace: 'reflector-bookmarks',
      labelSelector: 'app=nothing',
    });
    await reflector.synced;
    await eventually(() => expect(connection.asked.length).toBeGreaterThan(1));
    const churned = await editor.create('churn');
    const version = Number(churned.metadata.resourceVersion);
    let edits = 0;
    await eventually(async () => {
      // A watch gets no bookmark for what was written before the server opened it, only for what follows.
      await editor.set('churn', { edits: `${++edits}` });
      const last = Number(connection.asked.at(-1)?.split('@')[1]);
      expect(last).toBeGreaterThanOrEqual(version);
    });
    expect(connection.asked.filter((word) => !word.startsWith('watch@'))).toEqual(['watch-list']);
  });

  it('behaviour 7: continues from its position after its connections were reset', async () => {
    const editor = await namespaceOf('reflector-cut');
    await editor.createMany('old', 3);
    const connection = open({ port: proxy.port });
    const { reflector, changes, seen } = start(connection.client, { namespace: 'reflector-cut' });
    await reflector.synced;
    seen.length = 0;
    proxy.cut();
    await editor.create('meanwhile');
    await editor.remove('old-1');
    await eventually(() => expect(changes()).toEqual(['added meanwhile', 'deleted old-1']));
    expect(connection.asked[0]).toBe('watch-list');
    expect(connection.asked.slice(1).every((word) => /^(?:version|watch@\d+)$/.test(word))).toBe(
      true,
    );
    expect(reflector.findFault()).toBeUndefined();
  });

  it('behaviour 6: leaves a half-open connection 5 s after the watch was to end', async () => {
    const editor = await namespaceOf('reflector-silent');
    const connection = open({ port: proxy.port });
    const { reflector, changes } = start(connection.client, {
      namespace: 'reflector-silent',
      watchSeconds: 2,
    });
    await reflector.synced;
    proxy.swallow();
    await editor.create('unheard');
    // Unless told otherwise, a watch is to end after 30 s at the earliest.
    await eventually(() => expect(changes()).toEqual(['added unheard']), 20_000);
    expect(connection.asked.filter((word) => word === 'watch-list')).toHaveLength(1);
  });

  it('behaviour 6: leaves a half-open connection as soon as another request proves the path dead', async () => {
    const editor = await namespaceOf('reflector-proved');
    const connection = open({ port: proxy.port });
    const { reflector, changes } = start(connection.client, { namespace: 'reflector-proved' });
    await reflector.synced;
    const read = { method: 'GET', path: '/api/v1/namespaces/default' } as const;
    await connection.client.request(read);
    proxy.swallow();
    await editor.create('unheard');
    const limit = startDeadline(systemClock, 5_000);
    await expect(
      connection.client.request({ ...read, signal: limit.signal }),
    ).rejects.toBeInstanceOf(DeadlineExceeded);
    // On its own the watch would notice after 35 s at the earliest.
    await eventually(() => expect(changes()).toEqual(['added unheard']), 10_000);
    await expect(connection.client.request(read)).resolves.toMatchObject({ kind: 'Namespace' });
  });

  it('behaviour 9: names a right that it lacks, and recovers without a restart when it is granted', async () => {
    const editor = await namespaceOf('reflector-rights');
    await editor.create('a');
    const connection = open({ user: 'reflector-rights', port: proxy.port });
    const { reflector, log, changes } = start(connection.client, {
      namespace: 'reflector-rights',
    });
    await eventually(() => {
      expect(reflector.findFault()).toMatch(
        /^watch configmaps in namespace reflector-rights: .*cannot watch resource "configmaps"/,
      );
    });
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    await grantReading('reflector-rights');
    await reflector.synced;
    expect(reflector.findFault()).toBeUndefined();
    expect(changes()).toEqual(['added a']);

    await kubectl(['delete', 'rolebinding', 'reader', '-n', 'reflector-rights']);
    await untilAnswered(403, 'reflector-rights');
    proxy.cut();
    await eventually(() => {
      expect(reflector.findFault()).toMatch(/cannot list resource "configmaps"/);
    });
    await editor.create('b');
    await grantReading('reflector-rights');
    await eventually(() => expect(changes()).toEqual(['added a', 'added b']));
    expect(reflector.findFault()).toBeUndefined();
    // It goes on from where it was.
    expect(connection.asked.at(-1)).toMatch(/^watch@/);
  });

  it('waits for a kind that is not installed yet', async () => {
    const late = { group: 'late.example.com', version: 'v1', kind: 'Late', plural: 'lates' };
    const connection = open();
    const { reflector, cache } = start(connection.client, { kind: late });
    await eventually(() =>
      expect(reflector.findFault()).toMatch(/^watch lates\.late\.example\.com: .*install/),
    );
    await kubectl(['apply', '-f', '-'], JSON.stringify(definitionOf(late)));
    await reflector.synced;
    expect(reflector.findFault()).toBeUndefined();
    await whenServed(cluster, late);
    const object = { apiVersion: 'late.example.com/v1', kind: 'Late', metadata: { name: 'one' } };
    await kubectl(['apply', '-n', 'default', '-f', '-'], JSON.stringify(object));
    await eventually(() => expect(cache.get('default/one')).toMatchObject({ kind: 'Late' }));
    await kubectl(['delete', 'crd', 'lates.late.example.com']);
    await eventually(() => expect(cache.list()).toEqual([]));
  });

  it('behaviour 8: is turned away by priority and fairness, obeys Retry-After, lists nothing', async () => {
    const editor = await namespaceOf('reflector-flow');
    await grantReading('reflector-flow');
    await untilAnswered(200, 'reflector-flow');
    const connection = open({ user: 'reflector-flow', port: proxy.port });
    const { reflector, changes } = start(connection.client, { namespace: 'reflector-flow' });
    await reflector.synced;
    await kubectl(['apply', '-f', '-'], JSON.stringify(oneSeatFor('reflector-flow')));
    await untilJudgedByOwnSchema('reflector-flow');
    const seat = await occupySeat('reflector-flow');
    opened.unshift(seat);
    const askedBefore = connection.asked.length;
    proxy.cut();
    await eventually(() => expect(reflector.findFault()).toMatch(/answered 429/));
    const turnedAwayAt = connection.asked.length - 1;
    await editor.create('a');
    await seat.stop();
    await eventually(() => expect(changes()).toEqual(['added a']));
    await kubectl(['delete', 'flowschema,prioritylevelconfiguration', 'reflector-flow']);
    // The watch follows at once where its position was confirmed.
    const roundsAtMs = connection.askedAtMs.filter(
      (_, index) => index >= turnedAwayAt && connection.asked[index] === 'version',
    );
    for (const [index, at] of roundsAtMs.slice(1).entries()) {
      expect(at - (roundsAtMs[index] ?? 0)).toBeGreaterThanOrEqual(990);
    }
    expect(connection.asked[0]).toBe('watch-list');
    const askedAfter = connection.asked.slice(askedBefore);
    expect(askedAfter.filter((word) => !/^(?:version|watch@\d+)$/.test(word))).toEqual([]);
  });

  it('behaviour 10: continues when a subscriber throws', async () => {
    const editor = await namespaceOf('reflector-throws');
    const { cache, reflector, changes, metrics } = start(open().client, {
      namespace: 'reflector-throws',
    });
    cache.subscribe(() => {
      throw new Error('broken mapper');
    });
    await reflector.synced;
    await editor.create('a');
    await editor.create('b');
    await eventually(() => expect(changes()).toEqual(['added a', 'added b']));
    expect(metrics.valueOf(kubeMetrics.subscriberErrors, { name: 'configmaps' })).toBe(2);
  });

  it('behaviour 11: stops at any moment of its life with no request and no callback after', async () => {
    const editor = await namespaceOf('reflector-stop');
    await editor.createMany('old', 50);
    const stopAfterMs = [0, 1, 2, 4, 8, 16, 32, 64, 500];
    for (const afterMs of stopAfterMs) {
      const own = await startTcpProxy(Number(new URL(cluster.url).port));
      const connection = connect(cluster, { port: own.port });
      const { reflector, seen } = follow(connection.client, { namespace: 'reflector-stop' });
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await reflector.stop();
      const [asked, told] = [connection.asked.length, seen.length];
      await editor.set('old-0', { at: `${afterMs}` });
      await eventually(() => expect(own.open()).toBe(0));
      expect([connection.asked.length, seen.length]).toEqual([asked, told]);
      await connection.close();
      await own.stop();
    }
  });
});

async function grantReading(namespace: string): Promise<void> {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: { name: 'reader', namespace },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch', 'create'] }],
  };
  const binding = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'reader', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: namespace }],
  };
  const list = { apiVersion: 'v1', kind: 'List', items: [role, binding] };
  await kubectl(['apply', '-f', '-'], JSON.stringify(list));
}

function definitionOf(kind: {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}): object {
  const schema = { openAPIV3Schema: { type: 'object' } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      scope: 'Namespaced',
      names: { kind: kind.kind, plural: kind.plural },
      versions: [{ name: kind.version, served: true, storage: true, schema }],
    },
  };
}

/** A priority level that serves this user's requests one by one and turns the others away. */
function oneSeatFor(user: string): object {
  const subjects = [{ kind: 'User', user: { name: user } }];
  const resourceRules = [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true },
  ];
  const level = {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'PriorityLevelConfiguration',
    metadata: { name: user },
    spec: {
      type: 'Limited',
      limited: {
        nominalConcurrencyShares: 0,
        borrowingLimitPercent: 0,
        limitResponse: { type: 'Reject' },
      },
    },
  };
  const schema = {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: user },
    spec: {
      priorityLevelConfiguration: { name: user },
      matchingPrecedence: 2,
      rules: [{ subjects, resourceRules }],
    },
  };
  return { apiVersion: 'v1', kind: 'List', items: [level, schema] };
}

/**
 * Makes the server busy for this user, by a write whose body never ends. Where another request has the
 * seat in that moment, the write is turned away, and the server never says so, since it waits for the
 * body first: it is sent again until the seat is taken.
 */
async function occupySeat(user: string): Promise<{ readonly stop: () => Promise<void> }> {
  const probe = open({ user });
  let sent = sendEndlessWrite(user);
  await eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 100)); // the write is there first
    const answered = await statusOfList(probe, user);
    if (answered !== 429) {
      sent.destroy();
      sent = sendEndlessWrite(user);
    }
    expect(answered).toBe(429);
  });
  return {
    stop: async () => {
      sent.destroy();
    },
  };
}

function sendEndlessWrite(user: string): ClientRequest {
  const sent = request(new URL(`/api/v1/namespaces/${user}/configmaps`, cluster.url), {
    method: 'POST',
    ca: cluster.caPem,
    headers: {
      authorization: `Bearer ${cluster.adminToken}`,
      'impersonate-user': user,
      'content-type': 'application/json',
      'content-length': 1000,
    },
  });
  sent.on('error', () => {});
  sent.write('{');
  return sent;
}

/** Waits until the user of a namespace is answered `status` when it lists there. */
async function untilAnswered(status: number, user: string): Promise<void> {
  const probe = open({ user });
  await eventually(async () => {
    expect(await statusOfList(probe, user)).toBe(status);
  });
}

/**
 * Waits until the flow schema named like the user is in force: what is sent before takes no seat.
 * https://kubernetes.io/docs/concepts/cluster-administration/flow-control/#diagnostics
 */
async function untilJudgedByOwnSchema(user: string): Promise<void> {
  const uid = await kubectl(['get', 'flowschema', user, '-o', 'jsonpath={.metadata.uid}']);
  const probe = open({ user });
  await eventually(async () => {
    const response = await probe.client.stream(listBy(user));
    await discard(response);
    expect(response.headers['x-kubernetes-pf-flowschema-uid']).toBe(uid);
  });
}

function statusOfList({ client }: Connection, user: string): Promise<number | undefined> {
  return client.stream(listBy(user)).then(discard, statusOf);
}

function listBy(user: string): KubeRequest {
  return { method: 'GET', path: `/api/v1/namespaces/${user}/configmaps` };
}

async function discard({ status, body }: KubeResponse): Promise<number> {
  for await (const _ of body);
  return status;
}

function statusOf(error: unknown): number | undefined {
  return error instanceof KubeError ? error.status : undefined;
}
