import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KubeObject, ResourceKind } from '../../src/core/objects/kube-object.ts';
import type { KubeClient } from '../../src/kube/client/kube-client.ts';
import { KubeError } from '../../src/kube/client/kube-error.ts';
import type { KubeResponse } from '../../src/kube/client/kube-transport.ts';
import { buildObjectPath } from '../../src/kube/client/resource-path.ts';
import { post, read } from '../envtest/kube-access.ts';

export const EVICTION_NAMESPACE = 'pod-eviction';

const POD: ResourceKind = { group: '', version: 'v1', kind: 'Pod', plural: 'pods' };
const BUDGET: ResourceKind = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  plural: 'poddisruptionbudgets',
};

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

type Pod = KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };
type Budget = KubeObject & {
  readonly status: {
    readonly disruptionsAllowed: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
  };
};

interface BudgetState {
  readonly allowed: number;
  readonly healthy?: number;
  readonly wanted?: number;
  /** The generation that its controller has seen. */
  readonly seen?: number;
  readonly policy?: 'IfHealthyBudget' | 'AlwaysAllow';
}

const ALLOWED = { status: 201 } as const;
const REFUSED = { status: 429, reason: 'TooManyRequests', cause: 'DisruptionBudget' } as const;

/**
 * The eviction of pods by any API server with EVICTION_NAMESPACE, without a controller manager and
 * without nodes: https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
 */
export function describePodEviction(title: string, open: () => Promise<KubeClient>): void {
  describe(title, () => {
    let client: KubeClient;
    let app: string;
    let count = 0;

    beforeAll(async () => {
      client = await open();
    });

    beforeEach(() => {
      app = `app-${++count}`;
    });

    async function patchStatus(
      kind: ResourceKind,
      object: KubeObject,
      status: object,
    ): Promise<void> {
      await client.request({
        method: 'PATCH',
        path: buildObjectPath(kind, object, 'status'),
        headers: { 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ status }),
      });
    }

    /** A pod on a node, where it stays until a kubelet says that it has ended. */
    async function pod(
      name: string,
      { phase = 'Running', isReady = true }: { phase?: string; isReady?: boolean } = {},
    ): Promise<Pod> {
      const created = await post<Pod>(client, POD, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${app}-${name}`, namespace: EVICTION_NAMESPACE, labels: { app } },
        spec: {
          nodeName: 'node-1',
          containers: [{ name: 'app', image: 'registry.example/app:1' }],
        },
      } as KubeObject);
      const ready = { type: 'Ready', status: isReady ? 'True' : 'False' };
      await patchStatus(POD, created, { phase, conditions: [ready] });
      return created;
    }

    async function budget(name: string, state: BudgetState): Promise<Budget> {
      const { allowed, healthy = 1, wanted = 1, seen = 1, policy } = state;
      const created = await post<Budget>(client, BUDGET, {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: `${app}-${name}`, namespace: EVICTION_NAMESPACE },
        spec: {
          minAvailable: 1,
          selector: { matchLabels: { app } },
          ...(policy && { unhealthyPodEvictionPolicy: policy }),
        },
      } as KubeObject);
      await patchStatus(BUDGET, created, {
        observedGeneration: seen,
        disruptionsAllowed: allowed,
        currentHealthy: healthy,
        desiredHealthy: wanted,
        expectedPods: healthy,
      });
      return created;
    }

    interface Answer {
      readonly status: number;
      readonly reason?: string;
      readonly cause?: string;
      readonly retryAfterMs?: number;
    }

    async function evict(target: Pod, uid = target.metadata.uid): Promise<Answer> {
      const { name, namespace } = target.metadata;
      try {
        // Not by `request`, which waits for as long as a refusal says and asks again.
        const answer = await client.stream({
          method: 'POST',
          path: `${buildObjectPath(POD, target)}/eviction`,
          body: JSON.stringify({
            apiVersion: 'policy/v1',
            kind: 'Eviction',
            metadata: { name, namespace },
            deleteOptions: { preconditions: { uid } },
          }),
        });
        expect(await bodyOf(answer)).toMatchObject({
          kind: 'Status',
          status: 'Success',
          code: 201,
        });
        return { status: 201 };
      } catch (error) {
        if (!(error instanceof KubeError)) throw error;
        const { status, reason, details, retryAfterMs } = error;
        const cause = details?.causes[0]?.reason;
        return {
          status,
          reason,
          ...(cause !== undefined && { cause }),
          ...(retryAfterMs !== undefined && { retryAfterMs }),
        };
      }
    }

    const isLeaving = async (target: Pod): Promise<boolean> =>
      (await read<Pod>(client, POD, target)).metadata.deletionTimestamp !== undefined;

    it('marks a pod that no budget selects, and says by whom it is disrupted', async () => {
      const one = await pod('one');
      expect(await evict(one)).toEqual(ALLOWED);
      expect(await isLeaving(one)).toBe(true);
      const { conditions = [] } = (await read<Pod>(client, POD, one)).status ?? {};
      expect(conditions).toContainEqual(
        expect.objectContaining({
          type: 'DisruptionTarget',
          status: 'True',
          reason: 'EvictionByEvictionAPI',
        }),
      );
    });

    it('is accepted again for a pod that is being deleted, whatever its budget', async () => {
      const one = await pod('one');
      await evict(one);
      await budget('none', { allowed: 0 });
      expect(await evict(one)).toEqual(ALLOWED);
    });

    it('answers 404 for a pod that is not there', async () => {
      const absent = { apiVersion: 'v1', kind: 'Pod', metadata: { name: `${app}-none` } };
      const metadata = { ...absent.metadata, namespace: EVICTION_NAMESPACE, uid: 'none' };
      expect(await evict({ ...absent, metadata })).toMatchObject({
        status: 404,
        reason: 'NotFound',
      });
    });

    it('leaves another pod of the name alone', async () => {
      const one = await pod('one');
      const answer = await evict(one, '0a0a0a0a-0000-4000-8000-000000000000');
      expect(answer).toMatchObject({ status: 409, reason: 'Conflict' });
      expect(await isLeaving(one)).toBe(false);
    });

    it('is refused by a budget that allows none', async () => {
      const one = await pod('one');
      await budget('none', { allowed: 0 });
      expect(await evict(one)).toEqual(REFUSED);
      expect(await isLeaving(one)).toBe(false);
    });

    it('is refused while the controller of the budget has not seen its newest form', async () => {
      const one = await pod('one');
      await budget('new', { allowed: 1, seen: 0 });
      expect(await evict(one)).toEqual({ ...REFUSED, retryAfterMs: 10_000 });
    });

    it('takes one from what the budget allows', async () => {
      const [one, two] = [await pod('one'), await pod('two')];
      const held = await budget('one', { allowed: 1, healthy: 2 });
      expect([await evict(one), await evict(two)]).toEqual([ALLOWED, REFUSED]);
      const { status } = await read<Budget>(client, BUDGET, held);
      expect(status.disruptionsAllowed).toBe(0);
      expect(Object.keys(status.disruptedPods ?? {})).toEqual([one.metadata.name]);
    });

    it('answers 500 where two budgets select the pod', async () => {
      const one = await pod('one');
      await budget('one', { allowed: 1 });
      await budget('two', { allowed: 1 });
      expect(await evict(one)).toMatchObject({ status: 500 });
      expect(await isLeaving(one)).toBe(false);
    });

    it.each(['Pending', 'Succeeded', 'Failed'])(
      'asks no budget for a pod that is %s',
      async (phase) => {
        const one = await pod('one', { phase, isReady: false });
        await budget('none', { allowed: 0 });
        expect(await evict(one)).toEqual(ALLOWED);
      },
    );

    it('takes a pod that is not ready from a budget that has what it wants', async () => {
      const one = await pod('one', { isReady: false });
      const held = await budget('none', { allowed: 0, healthy: 1, wanted: 1 });
      expect(await evict(one)).toEqual(ALLOWED);
      expect((await read<Budget>(client, BUDGET, held)).status.disruptedPods).toBeUndefined();
    });

    it('keeps a pod that is not ready for a budget that lacks some', async () => {
      const one = await pod('one', { isReady: false });
      await budget('none', { allowed: 0, healthy: 0, wanted: 1 });
      expect(await evict(one)).toEqual(REFUSED);
    });

    it('takes a pod that is not ready wherever the budget says always', async () => {
      const one = await pod('one', { isReady: false });
      await budget('none', { allowed: 0, healthy: 0, wanted: 1, policy: 'AlwaysAllow' });
      expect(await evict(one)).toEqual(ALLOWED);
    });
  });
}

async function bodyOf({ body }: KubeResponse): Promise<unknown> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return JSON.parse(text + decoder.decode());
}
