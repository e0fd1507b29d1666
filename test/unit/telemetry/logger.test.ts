import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { type Clock, MAX_TIMER_MS } from '../../../src/core/ports/clock.ts';
import type { Logger } from '../../../src/core/ports/logger.ts';
import { OperatorError } from '../../../src/core/reconcile/operator-error.ts';
import { createLogger, type LogLevel } from '../../../src/telemetry/logger.ts';

const clock: Clock = {
  now: () => Date.UTC(2026, 0, 2, 3, 4, 5, 6),
  monotonicMs: () => 0,
  setTimer: () => () => undefined,
  random: () => MAX_TIMER_MS,
};

function capture(level: LogLevel = 'info'): { log: Logger; lines: string[] } {
  const lines: string[] = [];
  const destination = new Writable({
    decodeStrings: false,
    write: (line: string, _encoding, done) => {
      lines.push(line);
      done();
    },
  });
  return { log: createLogger({ clock, level, destination }), lines };
}

function logged(fields: object): Record<string, unknown> {
  const { log, lines } = capture();
  log.error('it failed', fields as Record<string, unknown>);
  return JSON.parse(lines[0] ?? '') as Record<string, unknown>;
}

describe('createLogger', () => {
  it('writes one lean JSON object a line', () => {
    const { log, lines } = capture();
    log.child({ controller: 'myingress' }).info('Created ALB: x.elb', { name: 'shop' });
    expect(lines).toEqual([
      '{"level":"info","time":"2026-01-02T03:04:05.006Z","controller":"myingress","name":"shop","msg":"Created ALB: x.elb"}\n',
    ]);
  });

  it('keeps what is below the level to itself', () => {
    const { log, lines } = capture('error');
    log.debug('a');
    log.info('b');
    log.error('c');
    expect(lines).toHaveLength(1);
  });

  it('logs decisions where debug is asked for', () => {
    const { log, lines } = capture('debug');
    log.debug('a');
    expect(lines[0]).toContain('"level":"debug"');
  });

  it('shows reason and cause of our own errors', () => {
    const error = new OperatorError({
      reason: 'SubnetNotFound',
      message: 'create balancer web/shop',
      healedBy: 'person',
      cause: Object.assign(new Error('no subnet'), { $metadata: { requestId: 'req-1' } }),
    });
    expect(logged({ err: error })['err']).toMatchObject({
      type: 'OperatorError',
      reason: 'SubnetNotFound',
      healedBy: 'person',
      message: 'create balancer web/shop',
      cause: { message: 'no subnet', awsRequestId: 'req-1' },
    });
  });

  const secrets: Readonly<Record<string, { fields: object; why: string }>> = {
    'a header': {
      fields: { headers: { Authorization: 'hush' } },
      why: 'requests are logged by people in a hurry',
    },
    'a token deep down': {
      fields: { a: { b: [{ token: 'hush' }] } },
      why: 'kubeconfigs nest',
    },
    'AWS credentials': {
      fields: {
        credentials: { accessKeyId: 'hush', secretAccessKey: 'hush', sessionToken: 'hush' },
      },
      why: 'the SDK hangs them on its config',
    },
    'the data of a Secret': {
      fields: { object: { kind: 'Secret', data: { anything: 'hush' } } },
      why: 'its keys are not named like secrets',
    },
    'a bearer token in a sentence': {
      fields: { note: 'sent Bearer hushhushhush' },
      why: 'messages of foreign errors quote requests',
    },
    "a foreign error's second line": {
      fields: { err: new Error('HTTP-Code: 401\nBody: hush\nHeaders: hush') },
      why: 'client-node puts body and headers into the message',
    },
    "a foreign error's own fields": {
      fields: { err: Object.assign(new Error('x'), { $response: { body: 'hush' }, body: 'hush' }) },
      why: 'the SDK hangs the HTTP answer on its errors',
    },
    'a cause of a cause': {
      fields: { err: new Error('a', { cause: new Error('b\nhush') }) },
      why: 'adapters wrap',
    },
    'what a child carries': {
      fields: {},
      why: 'bindings are written on every line',
    },
  };
  it.each(Object.entries(secrets))('never writes %s', (_name, { fields }) => {
    const { log, lines } = capture();
    log.child({ password: 'hush' }).error('it failed', fields as Record<string, unknown>);
    expect(lines).toHaveLength(1);
    expect(lines[0]).not.toContain('hush');
  });

  it('keeps fields that only sound a little like secrets', () => {
    expect(logged({ tokens: 3, key: 'web/shop', secretName: 'tls' })).toMatchObject({
      tokens: 3,
      key: 'web/shop',
      secretName: 'tls',
    });
  });

  it('survives what cannot be written as JSON', () => {
    const ring: Record<string, unknown> = { big: 12n };
    ring['self'] = ring;
    expect(logged({ ring })).toMatchObject({ ring: { big: '12' }, msg: 'it failed' });
  });

  it('counts the items that it leaves out of a list', () => {
    const list = Array.from({ length: 1003 }, (_, index) => index);
    const { list: shown } = logged({ list }) as { readonly list: readonly unknown[] };
    expect(shown).toHaveLength(1001);
    expect(shown.at(-1)).toBe('and 3 more');
  });

  it('cuts a line that would be too large for a log, and counts there too', () => {
    const wide: Record<string, unknown> = {};
    for (let index = 0; index < 40; index++) wide[`ring${index}`] = wide;
    const errors = Array.from({ length: 1000 }, () => new Error('x'.repeat(1000)));
    for (const huge of [wide, { texts: Array(1000).fill('x'.repeat(2000)) }, { errors }]) {
      const { log, lines } = capture();
      log.error('it failed', huge);
      expect(lines[0]?.length).toBeLessThan(256_000);
      expect(lines[0]).toMatch(/\[cut\]|and \d+ more/);
    }
  });

  it('cuts a text of any length, and nothing after it', () => {
    expect(logged({ text: 'x'.repeat(1_000_000), port: 80 })).toMatchObject({ port: 80 });
    expect(String(logged({ text: 'x'.repeat(100_000) })['text']).length).toBeLessThan(3000);
  });
});
