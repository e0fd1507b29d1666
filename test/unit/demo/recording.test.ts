import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { drawRecording } from '../../demo/recording.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('a recording', () => {
  it('shows each line at its time, and cuts long silences', () => {
    const drawn = drawRecording([
      { text: '$ kubectl get <all>', atMs: 500 },
      { text: '✓ done', atMs: 60_500 },
    ]);
    expect(drawn).toContain('>$ kubectl get &lt;all&gt;</text>');
    expect(drawn).toMatch(/<text class="ok" y="\d+" style="animation-name:r1">✓ done/);
    // 500 ms, then 1.5 s in place of a minute, then 6 s of rest
    expect(drawn).toContain('@keyframes r0{0%{opacity:0}6.25%{opacity:1}}');
    expect(drawn).toContain('@keyframes r1{0%{opacity:0}25.00%{opacity:1}}');
    expect(drawn).toContain('animation-duration:8000ms');
  });

  it('moves up once the rows are full', () => {
    const lines = Array.from({ length: 30 }, (_, row) => ({ text: `line ${row}`, atMs: row }));
    const [, scroll = ''] = /@keyframes scroll\{(.*)\}\n/.exec(drawRecording(lines)) ?? [];
    expect([...scroll.matchAll(/translateY\(-(\d+)px\)/g)].map(([, px]) => px)).toEqual([
      '17',
      '34',
      '51',
      '68',
    ]);
  });
});

describe('docs/demo.svg', () => {
  const titles = globSync('test/demo/*-scenes.ts', { cwd: ROOT }).flatMap((file) => {
    const source = readFileSync(resolve(ROOT, file), 'utf8');
    return [...source.matchAll(/stage\.step\(\s*(['"])(.*?)\1/g)].map(([, , title]) => title ?? '');
  });
  const drawn = readFileSync(resolve(ROOT, 'docs/demo.svg'), 'utf8');

  it.each(titles)('shows the step: %s', (title) => {
    expect(drawn).toContain(`>✓ ${title.replaceAll('&', '&amp;')} (`);
  });

  it('knows the steps', () => expect(titles.length).toBeGreaterThanOrEqual(15));
});
