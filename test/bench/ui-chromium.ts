import { setTimeout as sleep } from 'node:timers/promises';
import { Browser, type BrowserPage } from '../browser/browser.ts';
import type { UiProcess } from '../surroundings/ui-process.ts';
import type { BenchPlace, Ground } from './bench-place.ts';
import { type Figure, type Quantity, repeat, type Sample } from './figure.ts';
import { residentMB } from './resident-memory.ts';
import { median } from './statistics.ts';
import { createAll, serveUi, writeReason } from './ui.ts';

const COUNTS = [5, 5_000] as const;
const UPDATES = 20;
const SETTLE_MS = 5_000;

export const uiChromium: Figure = {
  what: `albridge ui in Chromium with ${COUNTS.join(' and ')} objects: first paint, an update, memory of the page`,
  quantities: Object.assign({}, ...COUNTS.map(describeQuantities)) as Figure['quantities'],
  measure: async (place, options) => {
    const grounds: Ground[] = [];
    for (const count of COUNTS) {
      options.say(`creating ${count} objects`);
      const ground = await place.freshGround();
      await createAll(ground, count);
      grounds.push(ground);
    }
    return repeat(options, async () => {
      const samples: Sample[] = [];
      for (const [index, ground] of grounds.entries())
        samples.push(await measureOnce(place, ground, COUNTS[index] ?? 0));
      return Object.assign({}, ...samples) as Sample;
    });
  },
};

function describeQuantities(count: number): Readonly<Record<string, Quantity>> {
  const what = (text: string): string => `${text}, ${count} objects`;
  return {
    [`paint${count}Ms`]: {
      what: what('process start -> first contentful paint'),
      unit: 'ms',
      bound: 1000,
    },
    [`open${count}Ms`]: { what: what('URL printed -> first contentful paint'), unit: 'ms' },
    [`whole${count}Ms`]: { what: what('process start -> all of them in the DOM'), unit: 'ms' },
    [`update${count}Ms`]: {
      what: what('status written -> in the DOM, p50'),
      unit: 'ms',
      bound: 200,
    },
    [`nodes${count}`]: { what: what('nodes of the page'), unit: '' },
    [`heap${count}MB`]: { what: what('JavaScript heap of the page'), unit: 'MB' },
    [`memory${count}MB`]: { what: what('resident memory of the process'), unit: 'MB' },
  };
}

async function measureOnce(place: BenchPlace, ground: Ground, count: number): Promise<Sample> {
  await place.bundle();
  const browser = await Browser.start();
  try {
    const page = await browser.openPage();
    const source = observe('wholeMs', `${count} objects`);
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source });
    const startedMs = getWallMs();
    const served = await serveUi(place, ground);
    try {
      const printedMs = getWallMs();
      await page.visit(served.url);
      const atMs = await readPaintMs(page);
      const took = { paintMs: atMs - startedMs, openMs: atMs - printedMs };
      const wholeMs = (await readMs(page, 'wholeMs')) - startedMs;
      const updateMs = await measureUpdates(page, (reason) => writeReason(place, ground, reason));
      const memory = await measureMemory(page, served);
      const named = Object.entries({ ...took, wholeMs, updateMs, ...memory });
      return Object.fromEntries(named.map(([name, value]) => [insertCount(name, count), value]));
    } finally {
      await served.stop();
    }
  } finally {
    await browser.close();
  }
}

/** `paintMs` as `paint5Ms`. */
function insertCount(name: string, count: number): string {
  return name.replace(/(Ms|MB)?$/, (unit) => `${count}${unit}`);
}

/** As in the page: https://www.w3.org/TR/hr-time-3/#dfn-time-origin */
function getWallMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Script that keeps in a variable of the page when it first has these words. */
function observe(name: string, words: string): string {
  return `(() => {
    window.${name} = 0;
    new MutationObserver((_, observer) => {
      if (!document.body?.textContent.includes(${JSON.stringify(words)})) return;
      window.${name} = performance.timeOrigin + performance.now();
      observer.disconnect();
    }).observe(document, { characterData: true, childList: true, subtree: true });
  })()`;
}

async function readMs(page: BrowserPage, name: string): Promise<number> {
  await page.until(`window.${name}`);
  return page.evaluate<number>(`window.${name}`);
}

/** https://www.w3.org/TR/paint-timing/#first-contentful-paint */
async function readPaintMs(page: BrowserPage): Promise<number> {
  const paint = `performance.getEntriesByName('first-contentful-paint')[0]`;
  await page.until(paint);
  return page.evaluate<number>(`performance.timeOrigin + ${paint}.startTime`);
}

async function measureUpdates(
  page: BrowserPage,
  write: (reason: string) => Promise<void>,
): Promise<number> {
  await page.until(`document.getElementById('state').textContent.startsWith('Live')`);
  const tookMs: number[] = [];
  for (let update = 0; update < UPDATES; update++) {
    const reason = `Update${getWallMs()}`.replace('.', 'x');
    await page.evaluate(observe('seenMs', reason));
    const writtenMs = getWallMs();
    await write(reason);
    tookMs.push((await readMs(page, 'seenMs')) - writtenMs);
  }
  return median(tookMs);
}

async function measureMemory(
  page: BrowserPage,
  { pid }: UiProcess,
): Promise<{ readonly nodes: number; readonly heapMB: number; readonly memoryMB: number }> {
  await sleep(SETTLE_MS);
  await page.send('HeapProfiler.collectGarbage');
  await page.send('Performance.enable');
  const { metrics } = await page.send('Performance.getMetrics');
  const listed = metrics as readonly { readonly name: string; readonly value: number }[];
  const find = (name: string): number => listed.find((one) => one.name === name)?.value ?? NaN;
  const heapMB = find('JSHeapUsedSize') / 1e6;
  return { nodes: find('Nodes'), heapMB, memoryMB: await residentMB(pid) };
}
