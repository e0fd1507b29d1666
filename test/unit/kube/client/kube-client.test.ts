import { describe, expect, it } from 'vitest';
import { DeadlineExceeded } from '../../../../src/core/ports/clock.ts';
import { restrictToStatus } from '../../../../src/core/ports/leadership.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { KubeError, NoAnswerError } from '../../../../src/kube/client/kube-error.ts';
import { kubeMetrics } from '../../../../src/kube/client/kube-metrics.ts';
import type { KubeRequest, KubeTransport } from '../../../../src/kube/client/kube-transport.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import {
  type Answer,
  jsonResponse,
  ScriptedStream,
  ScriptedTransport,
} from '../../../fakes/scripted-transport.ts';

const GET: KubeRequest = { method: 'GET', path: '/api/v1/namespaces/web' };
const PATCH: KubeRequest = { method: 'PATCH', path: '/api/v1/namespaces/web', body: '{}' };
const OK: Answer = { status: 200, json: { kind: 'Namespace' } };
const broken: Answer = { error: new Error('read ECONNRESET') };

function putOff(status: number, seconds: string): Answer {
  const json = { kind: 'Status', reason: 'TooManyRequests', message: 'later' };
  return { status, json, headers: { 'retry-after': seconds } };
}

function setUp(
  answers: readonly Answer[],
  isLeader?: () => boolean,
): {
  readonly client: KubeClient;
  readonly clock: ManualClock;
  readonly metrics: RecordingMetrics;
  readonly transport: ScriptedTransport;
} {
  const clock = new ManualClock();
  const metrics = new RecordingMetrics();
  const transport = new ScriptedTransport((_, index) => answers[index] ?? answers.at(-1) ?? OK);
  const leadership = isLeader && { leadership: { isLeader } };
  const client = new KubeClient({ transport, clock, metrics, ...leadership });
  return { client, clock, metrics, transport };
}

describe('a request', () => {
  it('gives the parsed body and counts the call', async () => {
    const { client, clock, metrics, transport } = setUp([OK]);

    await expect(client.request(GET)).resolves.toEqual({ kind: 'Namespace' });

    const labels = { code: '200', method: 'GET', host: 'apiserver' };
    expect(metrics.valueOf(kubeMetrics.requests, labels)).toBe(1);
    expect(metrics.observationsOf(kubeMetrics.requestSeconds, { verb: 'GET' })).toBe(1);
    expect(transport.requests[0]?.headers).toEqual({ accept: 'application/json' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('sends JSON unless the caller names another content type', async () => {
    const { client, transport } = setUp([OK]);

    await client.request(PATCH);
    await client.request({ ...PATCH, headers: { 'content-type': 'application/apply-patch+yaml' } });

    const types = transport.requests.map(({ headers }) => headers?.['content-type']);
    expect(types).toEqual(['application/json', 'application/apply-patch+yaml']);
  });

  it('throws what the Status says', async () => {
    const json = { kind: 'Status', reason: 'Conflict', message: 'modified' };
    const { client, clock } = setUp([{ status: 409, json }]);

    await expect(client.request(PATCH)).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
    expect(clock.pendingTimers).toBe(0);
  });

  it('throws KubeError for a 2xx answer that is not JSON', async () => {
    const stream = new ScriptedStream().pushBytes(Buffer.from('<html>')).end();
    const { client } = setUp([{ stream }]);

    await expect(client.request(GET)).rejects.toMatchObject({
      name: 'KubeError',
      reason: 'NotJson',
    });
  });

  it('ends at its deadline, also while the body hangs', async () => {
    const { client, clock, transport } = setUp(['hang', { stream: new ScriptedStream() }]);
    const hangs = [client.request(GET), client.request(GET)].map((call) =>
      expect(call).rejects.toBeInstanceOf(DeadlineExceeded),
    );

    await clock.advance(29_999);
    expect(transport.pending).toBe(2);
    await clock.advance(1);

    await Promise.all(hangs);
    expect(transport.pending).toBe(0);
  });

  it("rejects with the reason of the caller's signal", async () => {
    const { client } = setUp(['hang']);
    const controller = new AbortController();
    const call = client.request({ ...GET, signal: controller.signal });
    const reason = new Error('stopping');

    controller.abort(reason);

    await expect(call).rejects.toBe(reason);
  });
});

describe('a request that the server puts off', () => {
  it.each([
    ['429', 429, PATCH],
    ['503', 503, PATCH],
    ['429 of a read', 429, GET],
  ] as const)('is sent again after %s, when the server said', async (_, status, request) => {
    const { client, clock, transport } = setUp([putOff(status, '3'), OK]);
    const call = client.request(request);

    await clock.advance(2_999);
    expect(transport.requests).toHaveLength(1);
    await clock.advance(400);

    await expect(call).resolves.toEqual({ kind: 'Namespace' });
  });

  it('is given up after five repetitions', async () => {
    const { client, clock, transport } = setUp([putOff(429, '1')]);
    const call = client.request(PATCH);

    await expect(clock.finish(call)).rejects.toMatchObject({ status: 429, retryAfterMs: 1000 });
    expect(transport.requests).toHaveLength(6);
  });

  it('is given up at once where the wait is longer than ten seconds', async () => {
    const { client, transport } = setUp([putOff(429, '11')]);

    await expect(client.request(PATCH)).rejects.toMatchObject({ retryAfterMs: 11_000 });
    expect(transport.requests).toHaveLength(1);
  });

  it('stops waiting when the caller gives up', async () => {
    const { client, clock } = setUp([putOff(429, '5')]);
    const controller = new AbortController();
    const call = client.request({ ...PATCH, signal: controller.signal });
    await clock.settle();

    controller.abort(new Error('stopping'));

    await expect(call).rejects.toThrow('stopping');
    expect(clock.pendingTimers).toBe(0);
  });

  it.each([putOff(503, '1'), broken])(
    'is not sent again in the lane of watches: %j',
    async (answer) => {
      const { client, transport } = setUp([answer]);

      await expect(client.request({ ...GET, lane: 'watch' })).rejects.toThrow();
      expect(transport.requests).toHaveLength(1);
    },
  );

  it.each([429, 503, 500])('is not sent again after %i without Retry-After', async (status) => {
    const { client, transport } = setUp([{ status, json: {} }]);

    await expect(client.request(GET)).rejects.toBeInstanceOf(KubeError);
    expect(transport.requests).toHaveLength(1);
  });
});

describe('a broken connection', () => {
  it('is tried once more for a read', async () => {
    const { client, transport, metrics } = setUp([broken, OK]);

    await expect(client.request(GET)).resolves.toEqual({ kind: 'Namespace' });

    expect(transport.requests).toHaveLength(2);
    expect(metrics.valueOf(kubeMetrics.requests, { code: '<error>' })).toBe(1);
  });

  it('is an error the second time', async () => {
    const { client, transport } = setUp([broken]);

    await expect(client.request(GET)).rejects.toBeInstanceOf(NoAnswerError);
    expect(transport.requests).toHaveLength(2);
  });

  it('is an error at once for a write, which may have been done', async () => {
    const { client, transport } = setUp([broken, OK]);

    await expect(client.request(PATCH)).rejects.toThrow('no answer from the API server: read');
    expect(transport.requests).toHaveLength(1);
  });

  it('is an error also in the middle of the body', async () => {
    const stream = new ScriptedStream().pushBytes(Buffer.from('{"kind"')).break();
    const { client } = setUp([{ stream }]);

    await expect(client.request(PATCH)).rejects.toBeInstanceOf(NoAnswerError);
  });
});

describe('a write without the lease', () => {
  it('is not sent', async () => {
    const { client, transport } = setUp([OK], () => false);

    await expect(client.request(PATCH)).rejects.toMatchObject({ reason: 'LeadershipLost' });
    expect(transport.requests).toHaveLength(0);
  });

  it('is not sent again after the lease was lost while it waited', async () => {
    let isLeader = true;
    const { client, clock, transport } = setUp([putOff(429, '5'), OK], () => isLeader);
    const call = client.request(PATCH);
    await clock.settle();
    isLeader = false;

    await expect(clock.finish(call)).rejects.toMatchObject({ reason: 'LeadershipLost' });
    expect(transport.requests).toHaveLength(1);
  });

  it('is stopped at the last moment where the transport itself has waited', async () => {
    let isLeader = true;
    let sent = 0;
    const { clock, metrics } = setUp([]);
    const transport: KubeTransport = {
      request: async (request) => {
        isLeader = false;
        request.beforeSend?.();
        sent += 1;
        return jsonResponse(200, {});
      },
    };
    const leadership = { isLeader: () => isLeader };
    const client = new KubeClient({ transport, clock, metrics, leadership });

    await expect(client.request(PATCH)).rejects.toMatchObject({ reason: 'LeadershipLost' });
    expect(sent).toBe(0);
  });

  it('is not sent by a transport that never waits, and so never asks', async () => {
    const { clock, metrics } = setUp([]);
    let sent = 0;
    const transport: KubeTransport = {
      request: async () => {
        sent += 1;
        return jsonResponse(200, {});
      },
    };
    const leadership = { isLeader: () => false };
    const client = new KubeClient({ transport, clock, metrics, leadership });

    await expect(client.request(PATCH)).rejects.toMatchObject({ reason: 'LeadershipLost' });
    expect(sent).toBe(0);
  });

  it('is sent by an observer if it is one of status, and only then', async () => {
    const { clock, metrics, transport } = setUp([OK]);
    const leadership = restrictToStatus({ isLeader: () => true });
    const client = new KubeClient({ transport, clock, metrics, leadership });

    await expect(client.request(PATCH)).rejects.toMatchObject({ reason: 'InternalError' });
    await client.request({ ...PATCH, isStatus: true });
    await client.request(GET);

    expect(transport.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET']);
  });

  it('leaves reads alone', async () => {
    const { client } = setUp([OK], () => false);

    await expect(client.request(GET)).resolves.toEqual({ kind: 'Namespace' });
  });
});

describe('a stream', () => {
  const WATCH: KubeRequest = { ...GET, lane: 'watch' };

  it('has a deadline for its headers', async () => {
    const { client, clock } = setUp(['hang']);
    const opened = expect(client.stream(WATCH)).rejects.toBeInstanceOf(DeadlineExceeded);

    await clock.advance(30_000);

    await opened;
  });

  it('has none for its body, and ends with the signal of its caller', async () => {
    const stream = new ScriptedStream();
    const { client, clock, transport } = setUp([{ stream }]);
    const controller = new AbortController();
    const { body } = await client.stream({ ...WATCH, signal: controller.signal });
    const first = body[Symbol.asyncIterator]();
    const read = first.next();

    await clock.advance(3_600_000);
    stream.pushBytes(Buffer.from('late'));
    await expect(read).resolves.toMatchObject({ done: false });
    const next = expect(first.next()).rejects.toThrow('stopping');
    controller.abort(new Error('stopping'));

    await next;
    expect(transport.pending).toBe(0);
    expect(clock.pendingTimers).toBe(0);
  });

  it('throws at once where the server puts it off, for its caller decides', async () => {
    const { client, transport } = setUp([putOff(429, '1')]);

    await expect(client.stream(WATCH)).rejects.toMatchObject({ status: 429, retryAfterMs: 1000 });
    expect(transport.requests).toHaveLength(1);
  });
});
