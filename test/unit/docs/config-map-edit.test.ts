import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ConfigMonitorBench } from '../controllers/config-monitor/bench.ts';
import { trace } from './trace.ts';

const ROOT = new URL('../../../', import.meta.url);
const FOLDER = 'src/controllers/config-monitor';
/** The most files that an edit reads through; the bound moves down only. */
const MOST_FILES = 18;
const page = readFileSync(new URL('docs/architecture.md', ROOT), 'utf8');
const [, way = '', others = ''] =
  /^## The way of a ConfigMap edit$([^]*?)^## [^]*^## Other files$([^]*)/m.exec(page) ?? [];
const linked = listLinks(way);

function listLinks(text: string): readonly string[] {
  return [...text.matchAll(/\]\(\.\.\/(src\/[^)]+)\)/g)].map(([, path]) => path as string);
}

describe('the guided tour of a ConfigMap edit', () => {
  it('names the files of ConfigMonitor that run in one, and no other', async () => {
    const bench = new ConfigMonitorBench();
    await bench.start();
    await bench.configure('one');
    bench.cluster.deploy('frontend', 8, { app: 'frontend' });
    await bench.clock.advance(1_000);
    await bench.monitor();
    const ran = await trace(() => bench.change('two', 100_000));
    await bench.stop();
    expect(bench.cluster.evicted).toHaveLength(8);
    expect(ran.filter((path) => path.startsWith(FOLDER)).toSorted()).toEqual(linked.toSorted());
    expect(linked.length).toBeLessThanOrEqual(MOST_FILES);
  });

  it('and the page names each file of the folder once', () => {
    const files = readdirSync(fileURLToPath(new URL(FOLDER, ROOT)), {
      recursive: true,
      encoding: 'utf8',
    });
    const sources = files.filter((file) => file.endsWith('.ts'));
    const named = [...linked, ...listLinks(others).filter((path) => path.startsWith(`${FOLDER}/`))];
    expect(named.toSorted()).toEqual(sources.map((file) => `${FOLDER}/${file}`).toSorted());
  });
});
