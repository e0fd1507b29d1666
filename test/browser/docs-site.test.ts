import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../control-plane/run-command.ts';
import { Browser, type BrowserPage } from './browser.ts';

const ROOT = resolve(import.meta.dirname, '../..');

let directory = '';
let front = '';
let browser: Browser;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-docs-'));
  const out = join(directory, 'site');
  front = pathToFileURL(join(out, 'docs/README.html')).href;
  const build = resolve(ROOT, 'docs/site/main.ts');
  const env = { PATH: process.env['PATH'] ?? '' };
  const { code, stderr } = await runCommand(process.execPath, [build, '--out', out], { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  browser = await Browser.start();
});

afterAll(async () => {
  await browser?.close();
  await rm(directory, { recursive: true, force: true });
});

/** What does not fit into the window; text in a table or in a block of code scrolls there. */
const WIDE = `(() => {
  const root = document.documentElement;
  if (root.scrollWidth <= root.clientWidth) return [];
  const all = [...document.querySelectorAll('body *')].filter((one) => !one.closest('pre, table'));
  return all
    .filter((one) => one.getBoundingClientRect().right > root.clientWidth)
    .map((one) => one.tagName + ' ' + one.textContent.slice(0, 60));
})()`;

/** Follows each link of the navigation as a click does; gives the titles, and what is wrong on which page. */
async function walk(page: BrowserPage): Promise<{ titles: string[]; faults: object[] }> {
  await page.visit(front);
  const count = await page.evaluate<number>(`document.querySelectorAll('nav a').length`);
  const [titles, faults]: [string[], object[]] = [[], []];
  for (let at = 0; at < count; at++) {
    const url = await page.evaluate<string>(`document.querySelectorAll('nav a')[${at}].href`);
    await page.evaluate(`document.querySelectorAll('nav a')[${at}].click()`);
    await page.until(
      `document.readyState === 'complete' && location.href === ${JSON.stringify(url)}`,
    );
    const marked = await page.evaluate<string>(`document.querySelector('[aria-current]')?.href`);
    const wide = await page.evaluate<readonly string[]>(WIDE);
    const broken = await page.evaluate<readonly string[]>(
      '[...document.images].filter((one) => one.naturalWidth === 0).map((one) => one.src)',
    );
    if (marked !== url || wide.length + broken.length > 0)
      faults.push({ url, marked, wide, broken });
    titles.push(await page.evaluate<string>(`document.querySelector('main h1').innerText`));
  }
  return { titles, faults };
}

/** Those that the site does not answer itself. */
function listForeign(page: BrowserPage): readonly string[] {
  const site = front.slice(0, -'docs/README.html'.length);
  return page.listRequests().filter((url) => !url.startsWith(site));
}

describe('the site of docs in Chromium, from disk', () => {
  it.each([
    [1280, 'light'],
    [400, 'dark'],
  ] as const)(
    'at %i pixels (%s) every page of the navigation fits, and nothing is missing',
    async (width, scheme) => {
      const page = await browser.openPage({ width });
      await page.prefer(scheme);
      const { titles, faults } = await walk(page);
      expect(faults).toEqual([]);
      expect(titles.length).toBeGreaterThan(40);
      expect(titles).not.toContain('');
      expect(page.listComplaints()).toEqual([]);
      expect(page.listRequests()).toContain(front);
      expect(listForeign(page)).toEqual([]);
    },
  );

  it('opens at index.html', async () => {
    const page = await browser.openPage();
    await page.send('Page.navigate', { url: new URL('../index.html', front).href });
    await page.until(`location.href === ${JSON.stringify(front)}`);
  });

  it('on a phone begins with the page, and has a link to the navigation', async () => {
    const page = await browser.openPage({ width: 400, height: 800 });
    await page.visit(front);
    const top = (selector: string): Promise<number> =>
      page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().top`);
    expect(await top('h1')).toBeLessThan(200);
    await page.evaluate(`document.querySelector('a.pages').click()`);
    await page.until(`document.querySelector('nav').getBoundingClientRect().top < 400`);
    expect(await top('nav')).toBeGreaterThanOrEqual(
      await page.evaluate(`document.querySelector('header').getBoundingClientRect().bottom`),
    );
  });

  it('searches, goes to the section by Enter, and does not hide its heading', async () => {
    const page = await browser.openPage({ width: 400, height: 800 });
    await page.visit(front);
    await page.evaluate(`document.getElementById('search').focus()`);
    await page.type('eks pod identity association');
    await page.until(`document.querySelectorAll('#found a').length > 0`);
    expect(await page.evaluate(WIDE)).toEqual([]);
    await page.press('Enter');
    await page.until(
      `location.href.endsWith('/docs/install.html#2b-on-eks') && window.scrollY > 0`,
    );
    const isBelowHeader = `document.querySelector(':target').getBoundingClientRect().top >=
      document.querySelector('header').getBoundingClientRect().bottom`;
    await page.until(isBelowHeader);
    expect(page.listComplaints()).toEqual([]);
    expect(listForeign(page)).toEqual([]);
  });

  it('closes the list at a section of the same page, and says where nothing is found', async () => {
    const page = await browser.openPage();
    await page.visit(new URL('install.html', front).href);
    await page.evaluate(`document.getElementById('search').focus()`);
    await page.type('eks pod identity association');
    await page.until(`document.querySelectorAll('#found a').length > 0`);
    await page.press('Enter');
    await page.until(`location.hash === '#2b-on-eks' && document.getElementById('found').hidden`);
    await page.evaluate(`document.getElementById('search').select()`);
    await page.type('qwertzuiop');
    await page.until(`document.getElementById('found').innerText === 'nothing found'`);
  });

  it('has colours of its own for light and for dark', async () => {
    const page = await browser.openPage();
    await page.visit(front);
    const read = (): Promise<readonly string[]> =>
      page.evaluate(`['color', 'backgroundColor'].map((one) =>
        getComputedStyle(document.querySelector('header'))[one])`);
    await page.prefer('light');
    expect(await read()).toEqual(['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    await page.prefer('dark');
    const [color, background] = await read();
    expect(color).toBe('rgb(255, 255, 255)');
    expect(background).not.toBe('rgb(255, 255, 255)');
  });
});
