import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { UiProcess } from '../surroundings/ui-process.ts';
import type { BrowserPage } from './browser.ts';
import { UiPlace } from './ui-place.ts';

const HOSTILE = `</script><script>document.title='hacked'</script><img src=x onerror="document.title='hacked'">`;

let place: UiPlace;
let page: BrowserPage;
let served: UiProcess;

beforeAll(async () => {
  place = await UiPlace.start();
  ({ page, served } = place);
});

afterAll(() => place?.stop());

const text = (words: string): string =>
  `document.body.innerText.includes(${JSON.stringify(words)})`;

describe('the page of albridge ui in Chromium', () => {
  it('shows every object, what is not installed, and no complaint of the browser', async () => {
    await page.until(text('web'));
    await page.until(
      `document.getElementById('state').textContent.includes('but not ConfigMonitor')`,
    );
    expect(await page.evaluate(text('MyApp, WebApp: not shown'))).toBe(true);
    expect(page.listComplaints()).toEqual([]);
  });

  it('shows a change without being loaded again, and hostile text as text', async () => {
    await page.evaluate('window.isSamePage = true');
    await place.report('web', 'SubnetNotFound', HOSTILE);
    await page.until(text('SubnetNotFound'));
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(await page.evaluate(text('onerror='))).toBe(true);
    expect(await page.evaluate('document.title')).toBe('Objects - albridge');
    expect(await page.evaluate('document.images.length')).toBe(0);
    expect(page.listComplaints()).toEqual([]);
  });

  it('filters while text is typed', async () => {
    await place.create('other');
    await page.until(text('other'));
    await page.evaluate(`document.querySelector('input[name=q]').focus()`);
    await page.type('othe');
    await page.until(`${text('1 fit the filter')} && location.search.startsWith('?q=othe')`);
    expect(await page.evaluate('document.activeElement.value')).toBe('othe');
    expect(
      await page.evaluate('[...document.querySelectorAll("tbody a")].map((a) => a.innerText)'),
    ).toEqual(['other']);
  });

  it('is used by the keyboard alone: skip link, filter, the first object', async () => {
    await page.visit(served.url);
    await page.until(text('other'));
    const focused = (): Promise<string> => page.evaluate('document.activeElement.innerText');
    for (let presses = 0; (await focused()) !== 'other' && presses < 12; presses++)
      await page.press('Tab');
    expect(await focused()).toBe('other');
    // The focus survives an update.
    await place.report('web', 'AccessDenied', 'something else');
    await page.until(text('AccessDenied'));
    expect(await focused()).toBe('other');
    await page.press('Enter');
    await page.until(text(`MyIngress ${place.namespace}/other`));
  });

  it('draws a MyIngress, and tests a request while it is typed', async () => {
    await page.visit(`${served.url}myingresses/${place.namespace}/web`);
    await page.until(`document.querySelectorAll('svg.drawing svg').length > 8`);
    expect(await page.evaluate(text('something else'))).toBe(true);
    await page.evaluate(`document.querySelector('input[name=host]').focus()`);
    await page.type('fr.example.com');
    await page.evaluate(`document.querySelector('input[name=path]').focus()`);
    await page.type('/x');
    await page.until(text('countries wins: it forwards to backend web'));
    expect(await page.evaluate(text('moved: passed over'))).toBe(true);
    await page.evaluate(`document.querySelector('#as-text').open = true`);
    await place.report('web', 'QuotaExceeded', 'yet another');
    await page.until(text('QuotaExceeded'));
    // What is open stays open, and what is typed stays typed.
    expect(await page.evaluate(`document.querySelector('#as-text').open`)).toBe(true);
    expect(await page.evaluate(`document.querySelector('input[name=host]').value`)).toBe(
      'fr.example.com',
    );
    // A listener that is added can be chosen at once.
    await place.listenOn('web', 8081);
    await page.until(`document.querySelector('select[name=port]').textContent.includes('8081')`);
    expect(await page.evaluate(`document.querySelector('input[name=path]').value`)).toBe('/x');
    expect(await page.evaluate(`document.activeElement.name`)).toBe('path');
    expect(page.listComplaints()).toEqual([]);
  });

  it('shows that its object is gone, and that it is there again', async () => {
    await place.create('brief');
    await page.visit(`${served.url}myingresses/${place.namespace}/brief`);
    await page.until(`document.querySelectorAll('svg.drawing svg').length > 8`);
    await place.delete('brief');
    await page.until(`document.querySelector('h1').innerText === 'Not there'`);
    expect(await page.evaluate('document.title')).toBe('Not there - albridge');
    expect(await page.evaluate(`document.querySelectorAll('svg.drawing').length`)).toBe(0);
    await place.create('brief');
    await page.until(`document.querySelectorAll('svg.drawing svg').length > 8`);
    const title = `MyIngress ${place.namespace}/brief - albridge`;
    expect(await page.evaluate('document.title')).toBe(title);
    await place.delete('brief');
  });

  it('lets a visit that has begun go on, although its own object is gone at that moment', async () => {
    await place.create('left');
    await page.visit(`${served.url}myingresses/${place.namespace}/left`);
    const gone = JSON.stringify({ shape: 'other', parts: {} });
    await page.evaluate(
      `location.href = ${JSON.stringify(served.url)}; source.onmessage({ data: ${JSON.stringify(gone)} })`,
    );
    await page.until(`location.href === ${JSON.stringify(served.url)}`, 10_000);
    await place.delete('left');
  });

  it('has other colours where dark ones are preferred', async () => {
    const readColour = (): Promise<string> =>
      page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.prefer('light');
    const light = await readColour();
    await page.prefer('dark');
    expect(await readColour()).not.toBe(light);
  });

  it('says that the API server is away, shows what it had, and goes on by itself', async () => {
    await page.visit(served.url);
    await page.until(text('other'));
    await place.plane.killApiServer();
    await page.until(`document.getElementById('state').textContent.startsWith('Not live')`);
    expect(await page.evaluate(text('MyIngress: may be out of date'))).toBe(true);
    expect(await page.evaluate(text('other'))).toBe(true);
    await vi.waitFor(() => expect(served.stderr()).toContain('MyIngress: may be out of date'), {
      timeout: 20_000,
    });
    await place.plane.startApiServer();
    await place.create('later');
    await page.until(text('later'));
    await page.until(`document.getElementById('state').textContent.startsWith('Live')`);
  });

  it('says that albridge ui has been stopped, which ends at once with nothing to say', async () => {
    const said = served.stderr().length;
    expect(await served.stop()).toBe(130);
    expect(served.stderr().slice(said)).toBe('');
    await page.until(
      `document.getElementById('state').textContent.startsWith('albridge ui does not answer')`,
    );
  });
});
