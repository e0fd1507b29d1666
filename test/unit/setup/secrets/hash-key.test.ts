import { describe, expect, it } from 'vitest';
import type { Leadership } from '../../../../src/core/ports/leadership.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { identifyKey, obtainHashKey } from '../../../../src/setup/secrets/hash-key.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { type Answer, ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

const KEY = Buffer.alloc(32, 'a');
const OTHER = Buffer.alloc(32, 'b');
const PATH = '/api/v1/namespaces/albridge-system/secrets';

const found = (key: Buffer): Answer => ({
  status: 200,
  json: { data: { key: key.toString('base64') } },
});
const missing = refuse(404, 'NotFound');
const refused = refuse(403, 'Forbidden');
const taken = refuse(409, 'AlreadyExists');

function refuse(status: number, reason: string): Answer {
  const details = { name: 'albridge-hash-key', kind: 'secrets' };
  return { status, json: { kind: 'Status', message: reason, code: status, reason, details } };
}

function obtain(answers: readonly Answer[], leadership: Leadership = { isLeader: () => true }) {
  const clock = new ManualClock();
  const log = new SilentLogger();
  const troubles: string[] = [];
  const transport = new ScriptedTransport((_, index) => answers[index] ?? 'hang');
  const stopping = new AbortController();
  const key = obtainHashKey({
    client: new KubeClient({ transport, clock, metrics: new RecordingMetrics(), leadership }),
    ...{ clock, log, leadership, signal: stopping.signal },
    namespace: 'albridge-system',
    draw: () => KEY,
    onTrouble: (sentence) => troubles.push(sentence),
  });
  const sent = (): readonly string[] =>
    transport.requests.map(({ method, path }) => `${method} ${path}`);
  return { clock, log, troubles, transport, key, sent, stop: () => stopping.abort() };
}

describe('the key by which Secrets are hashed', () => {
  it('is created where there is none', async () => {
    const { key, transport, sent } = obtain([missing, { status: 201, json: {} }, found(KEY)]);
    expect(await key).toEqual(KEY);
    const one = `GET ${PATH}/albridge-hash-key`;
    expect(sent()).toEqual([one, `POST ${PATH}`, one]);
    expect(JSON.parse(transport.requests[1]?.body ?? '')).toMatchObject({
      metadata: { name: 'albridge-hash-key', namespace: 'albridge-system' },
      type: 'albridge.io/hash-key',
      immutable: true,
      data: { key: KEY.toString('base64') },
    });
  });

  it('is that of another process which was first', async () => {
    const { key } = obtain([missing, taken, found(OTHER)]);
    expect(await key).toEqual(OTHER);
  });

  it.each<[string, Leadership]>([
    ['a standby', { isLeader: () => false }],
    ['an observer', { isLeader: () => true, isObserver: true }],
  ])('is not created by %s, which waits for it', async (_name, leadership) => {
    const { key, clock, sent, troubles } = obtain([missing, found(KEY)], leadership);
    await clock.advance(6_000);
    expect(await key).toEqual(KEY);
    expect(sent().filter((call) => call.startsWith('POST'))).toEqual([]);
    expect(troubles).toHaveLength(1);
  });

  it('is asked for again within six seconds while the right is missing, which is logged once', async () => {
    const { key, clock, log, troubles } = obtain([refused, refused, found(KEY)]);
    await clock.advance(12_000);
    expect(await key).toEqual(KEY);
    expect(troubles[0]).toContain('could not get the Secret albridge-hash-key');
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('of another length is none', async () => {
    const { key, clock, troubles } = obtain([found(Buffer.from('short')), found(KEY)]);
    await clock.advance(6_000);
    expect(await key).toEqual(KEY);
    expect(troubles[0]).toContain('it has no key of 32 bytes; delete it');
    expect(troubles[0]).not.toContain('short');
  });

  it('is no longer asked for after a stop', async () => {
    const { key, stop } = obtain([]);
    stop();
    await expect(key).rejects.toThrow();
  });

  it('is known by eight digits that do not show it', () => {
    expect(identifyKey(KEY)).toMatch(/^[0-9a-f]{8}$/);
    expect(identifyKey(KEY)).not.toBe(identifyKey(OTHER));
  });
});
