import { beforeEach, describe, expect, it } from 'vitest';
import {
  JsonLinesError,
  type JsonLinesOptions,
  readJsonLines,
} from '../../../../src/kube/watch/json-lines.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const skipped: number[] = [];
const onTooLong = (bytes: number): void => void skipped.push(bytes);
const clock = new ManualClock();
beforeEach(() => void skipped.splice(0));

async function* chunksOf(...chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function readAll(
  chunks: readonly Uint8Array[],
  options: JsonLinesOptions = { clock, onTooLong },
): Promise<unknown[]> {
  const values: unknown[] = [];
  for await (const value of readJsonLines(chunksOf(...chunks), options)) values.push(value);
  return values;
}

function cutEvery(bytes: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size));
  return chunks;
}

describe('readJsonLines', () => {
  const values = [{ name: 'grün 🌉' }, { name: '東京' }, ['a\nb'], 1];
  const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''));

  it.each([1, 2, 3, 5, 7, 64])('reads the same values from chunks of %i bytes', async (size) => {
    expect(await readAll(cutEvery(bytes, size))).toEqual(values);
  });

  it('reads many lines of one chunk, skips blank ones and takes a last line without newline', async () => {
    expect(await readAll([Buffer.from('1\n\n  \r\n2\n{"a":3}')])).toEqual([1, 2, { a: 3 }]);
  });

  it('hands a line on before the next one has arrived', async () => {
    const seen: unknown[] = [];
    async function* body(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('1\n2');
      expect(seen).toEqual([1]);
      yield Buffer.from('3\n');
    }
    for await (const value of readJsonLines(body(), { clock, onTooLong })) seen.push(value);
    expect(seen).toEqual([1, 23]);
  });

  const faults: Record<string, { chunks: string[]; why: string }> = {
    'a line that is not JSON': { chunks: ['1\n{"a":\n'], why: 'a proxy put its own text in' },
    'an end inside a line': { chunks: ['1\n{"a":1'], why: 'the stream was cut in good order' },
  };
  it.each(Object.entries(faults))(
    'throws on %s, after the lines before it',
    async (_, { chunks }) => {
      const seen: unknown[] = [];
      const reading = async (): Promise<void> => {
        const body = chunksOf(...chunks.map((chunk) => Buffer.from(chunk)));
        for await (const value of readJsonLines(body, { clock, onTooLong, maxLineBytes: 10 }))
          seen.push(value);
      };
      await expect(reading()).rejects.toThrow(JsonLinesError);
      expect(seen).toEqual([1]);
    },
  );

  it.each([1, 4, 64])(
    'skips a line that is too long, and reads the ones around it from chunks of %i bytes',
    async (size) => {
      const bytes = Buffer.from('1\n"01234567890"\n2\n"abcdefghijkl"');
      const read = await readAll(cutEvery(bytes, size), { clock, onTooLong, maxLineBytes: 10 });
      expect(read).toEqual([1, 2]);
      expect(skipped).toEqual([13, 14]);
    },
  );

  it('counts the cap per line, not per stream', async () => {
    const lines = Array.from({ length: 100 }, () => '"12345678"\n').join('');
    const read = await readAll([Buffer.from(lines)], { clock, onTooLong, maxLineBytes: 10 });
    expect(read).toHaveLength(100);
  });

  it('gives the event loop a turn after each 10 ms of a burst, and none for a lone line', async () => {
    let nowMs = 0;
    let turns = 0;
    const busyClock = {
      now: () => nowMs,
      random: () => 0,
      monotonicMs: () => nowMs,
      setTimer: (_: number, fire: () => void) => {
        turns += 1;
        queueMicrotask(fire);
        return () => {};
      },
    };
    const turnsOf = async (lines: string, workMs: number): Promise<number> => {
      turns = 0;
      const body = chunksOf(Buffer.from(lines), Buffer.from(lines));
      for await (const _ of readJsonLines(body, { clock: busyClock, onTooLong })) nowMs += workMs;
      return turns;
    };
    expect(await turnsOf('1\n'.repeat(10), 5)).toBe(9);
    const lone = chunksOf(Buffer.from('1\n'));
    turns = 0;
    for await (const _ of readJsonLines(lone, { clock: busyClock, onTooLong })) nowMs += 50;
    expect(turns).toBe(0);
  });

  it('returns the body when the reader stops early', async () => {
    let isReturned = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield Buffer.from('1\n2\n');
        yield Buffer.from('3\n');
      } finally {
        isReturned = true;
      }
    }
    for await (const value of readJsonLines(body(), { clock, onTooLong })) {
      if (value === 1) break;
    }
    expect(isReturned).toBe(true);
  });
});
