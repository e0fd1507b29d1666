import { Writable } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { Stage } from '../../demo/stage.ts';

let written: string;
let nowMs: number;

beforeEach(() => {
  written = '';
  nowMs = 0;
});

function stageOn(isTTY: boolean): Stage {
  const out = new Writable({
    write(text, _, done): void {
      written += String(text);
      done();
    },
  });
  return new Stage(Object.assign(out, { isTTY }), () => nowMs);
}

function noteAt(stage: Stage, seconds: number, text: string): void {
  nowMs = seconds * 1000;
  stage.note(text);
}

/** What a build of the control plane reports. */
async function build(stage: Stage): Promise<void> {
  await stage.step('start', () => {
    noteAt(stage, 0, 'to fetch, once: etcd, kube-apiserver; about 5 min');
    noteAt(stage, 10, 'building etcd: 10 s');
    noteAt(stage, 20, 'building etcd: 20 s');
    noteAt(stage, 40, 'building etcd: 40 s');
    noteAt(stage, 41, 'built etcd in 41 s');
    return Promise.resolve();
  });
}

describe('the progress of a long step', () => {
  it('is a line for each thing in a log, and one more when it goes on for 30 s', async () => {
    await build(stageOn(false));
    expect(written.trimEnd().split('\n')).toEqual([
      '  to fetch, once: etcd, kube-apiserver; about 5 min',
      '  building etcd: 10 s',
      '  building etcd: 40 s',
      '  built etcd in 41 s',
      '✓ start (41.0 s)',
    ]);
  });

  it('explains itself once on a terminal, and then goes on in one line', async () => {
    await build(stageOn(true));
    const lines = written.split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/ {2}to fetch, once: etcd, kube-apiserver; about 5 min$/);
    expect(lines[1]).toContain('start');
  });
});
