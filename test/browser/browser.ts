// Lives here: a real headless Chromium, driven over its own debugging protocol, and the tests of pages in it.
// May import it: test/bench and test/monitoring.
// Start with: this file, then ui.test.ts.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FoundChromium, locateChromium } from './debian-chromium.ts';
import { DebuggingConnection } from './debugging-connection.ts';

/** A Chromium of its own, with an empty profile. */
export class Browser {
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #connection: DebuggingConnection;

  private constructor(process: ChildProcess, profile: string, connection: DebuggingConnection) {
    this.#process = process;
    this.#profile = profile;
    this.#connection = connection;
  }

  static async start(): Promise<Browser> {
    const found = await locateChromium();
    const profile = await mkdtemp(join(tmpdir(), 'albridge-browser-'));
    const child = launch(found, profile);
    try {
      return new Browser(child, profile, await DebuggingConnection.open(await readAddress(child)));
    } catch (error) {
      child.kill('SIGKILL');
      await rm(profile, { recursive: true, force: true });
      throw error;
    }
  }

  /** In a window of its own, so that no page hides another one. `width` and `height` in pixels. */
  async openPage({ width = 1280, height = 900 } = {}): Promise<BrowserPage> {
    const where = { url: 'about:blank', newWindow: true };
    const target = await this.#connection.send('Target.createTarget', where);
    const targetId = String(target['targetId']);
    const attached = await this.#connection.send('Target.attachToTarget', {
      targetId,
      flatten: true,
    });
    const page = new BrowserPage(this.#connection, String(attached['sessionId']));
    await page.send('Page.enable');
    await page.send('Runtime.enable');
    await page.send('Log.enable');
    await page.send('Network.enable');
    const metrics = { width, height, deviceScaleFactor: 1, mobile: false };
    await page.send('Emulation.setDeviceMetricsOverride', metrics);
    return page;
  }

  async close(): Promise<void> {
    this.#connection.close();
    const exited = this.#process.exitCode === null ? once(this.#process, 'exit') : undefined;
    this.#process.kill('SIGKILL');
    await exited;
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

function launch({ path, libraryPath }: FoundChromium, profile: string): ChildProcess {
  const args = [
    ...['--headless=new', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
    // A container's root cannot have Chromium's sandbox, and the pages are our own.
    ...['--no-sandbox', '--disable-dev-shm-usage'],
    ...[`--user-data-dir=${profile}`, '--remote-debugging-port=0', 'about:blank'],
  ];
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: profile,
    ...(libraryPath !== '' && { LD_LIBRARY_PATH: libraryPath }),
  };
  return spawn(path, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
}

async function readAddress(child: ChildProcess): Promise<string> {
  const lines: string[] = [];
  if (child.stderr === null) throw new Error('Chromium has no stderr');
  for await (const line of createInterface({ input: child.stderr })) {
    const [, address] = /^DevTools listening on (ws:\S+)$/.exec(line) ?? [];
    if (address === undefined) lines.push(line);
    else {
      child.stderr.resume();
      return address;
    }
  }
  throw new Error(`Chromium did not start: ${lines.slice(-3).join(' | ')}`);
}

/** One tab. */
export class BrowserPage {
  readonly #connection: DebuggingConnection;
  readonly #sessionId: string;

  constructor(connection: DebuggingConnection, sessionId: string) {
    this.#connection = connection;
    this.#sessionId = sessionId;
  }

  send(method: string, params: object = {}): Promise<Readonly<Record<string, unknown>>> {
    return this.#connection.send(method, params, this.#sessionId);
  }

  /** Entries of the browser's log: refused content, failed requests, errors of scripts. */
  listComplaints(): readonly string[] {
    return this.#connection.listComplaints(this.#sessionId);
  }

  /** Every URL that the page has asked for. */
  listRequests(): readonly string[] {
    return this.#connection.listRequests(this.#sessionId);
  }

  async visit(url: string): Promise<void> {
    await this.send('Page.navigate', { url });
    await this.until(
      `document.readyState === 'complete' && location.href === ${JSON.stringify(url)}`,
    );
  }

  /** The value of an expression in the page. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.send('Runtime.evaluate', { expression, returnByValue: true });
    const { exceptionDetails, result } = answer as {
      readonly exceptionDetails?: { readonly text: string };
      readonly result: { readonly value?: T; readonly description?: string };
    };
    if (exceptionDetails) throw new Error(`${expression}: ${result.description}`);
    return result.value as T;
  }

  /** Waits until the expression is true in the page. */
  async until(expression: string, timeoutMs = 60_000): Promise<void> {
    const endMs = Date.now() + timeoutMs;
    while (!(await this.evaluate<boolean>(`Boolean(${expression})`).catch(() => false))) {
      if (Date.now() > endMs) {
        const text = await this.evaluate<string>('document.body.innerText.slice(0, 600)');
        throw new Error(`not true within ${timeoutMs} ms: ${expression}; the page has: ${text}`);
      }
      await sleep(20);
    }
  }

  async press(key: string): Promise<void> {
    const codes: Readonly<Record<string, number>> = { Tab: 9, Enter: 13 };
    const text = key === 'Enter' ? { text: '\r' } : {};
    const event = { key, code: key, windowsVirtualKeyCode: codes[key] ?? 0, ...text };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...event });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  async type(text: string): Promise<void> {
    await this.send('Input.insertText', { text });
  }

  async prefer(scheme: 'light' | 'dark'): Promise<void> {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await this.send('Emulation.setEmulatedMedia', { features });
  }

  /** A PNG of the window. */
  async takeScreenshot(): Promise<Buffer> {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(String(data), 'base64');
  }
}
