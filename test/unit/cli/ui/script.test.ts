import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SCRIPT } from '../../../../src/cli/ui/script.ts';

/** Runs the script of a page in a tab that the reader sees, or not; `show` brings it to the front. */
function openTab(hidden: boolean): { readonly show: () => void; readonly countLive: () => number } {
  let live = 0;
  class EventSource {
    constructor() {
      live += 1;
    }
    close(): void {
      live -= 1;
    }
  }
  const listeners = new Map<string, () => void>();
  const listen = (type: string, onEvent: () => void): void => void listeners.set(type, onEvent);
  const element = { addEventListener: listen, dataset: {} };
  const document = {
    ...{ hidden, forms: [], addEventListener: listen, getElementById: () => element },
  };
  const location = { href: 'http://127.0.0.1:1/t/' };
  runInNewContext(SCRIPT, { EventSource, addEventListener: listen, document, location });
  const show = (): void => {
    document.hidden = false;
    listeners.get('visibilitychange')?.();
  };
  return { show, countLive: () => live };
}

describe('the script of a page', () => {
  it('keeps a page live that is opened where the reader sees it', () => {
    expect(openTab(false).countLive()).toBe(1);
  });

  it('opens no connection in a tab that is opened in the background, before it is shown', () => {
    const tab = openTab(true);
    expect(tab.countLive()).toBe(0);
    tab.show();
    expect(tab.countLive()).toBe(1);
  });
});
