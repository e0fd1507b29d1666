import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts';
import {
  callApi,
  createNamespace,
  installDefinition,
  pathOf,
  succeeded,
} from '../envtest/crd-api.ts';
import { startUi, type UiProcess } from '../surroundings/ui-process.ts';
import { readMyIngressDefinition } from '../unit/crds/custom-resource-definition.ts';
import { Browser, type BrowserPage } from './browser.ts';

const definition = readMyIngressDefinition();
const EXAMPLE = new URL('../../examples/10-rules.yaml', import.meta.url);
const HOSTILE = `</script><script>document.title='hacked'</script><img src=x onerror="document.title='hacked'">`;

let plane: ControlPlane;
let browser: Browser;
let served: UiProcess;
let page: BrowserPage;
let namespace = '';

beforeAll(async () => {
  [plane, browser] = await Promise.all([startControlPlane(), Browser.start()]);
  await installDefinition(plane, definition);
  namespace = await createNamespace(plane, 'shop');
  await create('web');
  served = await startUi(plane.kubeconfigPath);
  page = await browser.openPage();
  await page.visit(served.url);
});

afterAll(async () => {
  await served?.stop();
  await Promise.all([plane?.stop(), browser?.close()]);
});

async function create(name: string): Promise<void> {
  const [manifest = ''] = (await readFile(EXAMPLE, 'utf8')).split('\n---\n');
  const object = parse(manifest) as { readonly metadata: object };
  const body = { ...object, metadata: { ...object.metadata, name } };
  succeeded(await callApi(plane, { method: 'POST', path: pathOf(definition, namespace), body }));
}

async function report(name: string, reason: string, message: string): Promise<void> {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'False', reason, message, lastTransitionTime };
  const body = { status: { observedGeneration: 1, conditions: [ready] } };
  const path = `${pathOf(definition, namespace, name)}/status`;
  succeeded(await callApi(plane, { method: 'PATCH', path, patch: 'merge', body }));
}

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
    await report('web', 'SubnetNotFound', HOSTILE);
    await page.until(text('SubnetNotFound'));
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(await page.evaluate(text('onerror='))).toBe(true);
    expect(await page.evaluate('document.title')).toBe('Objects - albridge');
    expect(await page.evaluate('document.images.length')).toBe(0);
    expect(page.listComplaints()).toEqual([]);
  });

  it('filters while text is typed', async () => {
    await create('other');
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
    await report('web', 'AccessDenied', 'something else');
    await page.until(text('AccessDenied'));
    expect(await focused()).toBe('other');
    await page.press('Enter');
    await page.until(text(`MyIngress ${namespace}/other`));
  });

  it('draws a MyIngress, and tests a request while it is typed', async () => {
    await page.visit(`${served.url}myingresses/${namespace}/web`);
    await page.until(`document.querySelectorAll('svg.drawing > svg').length > 8`);
    expect(await page.evaluate(text('something else'))).toBe(true);
    await page.evaluate(`document.querySelector('input[name=host]').focus()`);
    await page.type('fr.example.com');
    await page.evaluate(`document.querySelector('input[name=path]').focus()`);
    await page.type('/x');
    await page.until(text('countries wins: it forwards to backend web'));
    expect(await page.evaluate(text('moved: passed over'))).toBe(true);
    await page.evaluate(`document.querySelector('#as-text').open = true`);
    await report('web', 'QuotaExceeded', 'yet another');
    await page.until(text('QuotaExceeded'));
    // What is open stays open, and what is typed stays typed.
    expect(await page.evaluate(`document.querySelector('#as-text').open`)).toBe(true);
    expect(await page.evaluate(`document.querySelector('input[name=host]').value`)).toBe(
      'fr.example.com',
    );
    expect(page.listComplaints()).toEqual([]);
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
    await plane.killApiServer();
    await page.until(`document.getElementById('state').textContent.startsWith('Not live')`);
    expect(await page.evaluate(text('MyIngress: may be out of date'))).toBe(true);
    expect(await page.evaluate(text('other'))).toBe(true);
    await vi.waitFor(() => expect(served.stderr()).toContain('MyIngress: may be out of date'));
    await plane.startApiServer();
    await create('later');
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
