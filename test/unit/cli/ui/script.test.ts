import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { SCRIPT } from '../../../../src/cli/ui/script.ts';

interface Tab {
  readonly setHidden: (hidden: boolean) => void;
  readonly press: () => void;
  readonly submit: () => void;
  readonly countLive: () => number;
}

type Listen = (type: string, onEvent: (event: object) => void) => void;

/** Runs the script of a page with a form, in a tab that the reader sees, or not. */
function openTab(hidden: boolean): Tab {
  const live = new Set<object>();
  class EventSource {
    constructor() {
      live.add(this);
    }
    close(): void {
      live.delete(this);
    }
  }
  const listeners = new Map<string, (event: object) => void>();
  const listen: Listen = (type, onEvent) => void listeners.set(type, onEvent);
  const element = { addEventListener: listen, dataset: {}, setAttribute: () => {} };
  const document = {
    ...{ hidden, forms: [element], addEventListener: listen, getElementById: () => element },
  };
  const location = { href: 'http://127.0.0.1:1/t/', pathname: '/t/' };
  const history = { replaceState: () => {} };
  const browser = { EventSource, FormData: Object, URLSearchParams, document, history, location };
  runInNewContext(SCRIPT, { ...browser, addEventListener: listen });
  const send = (type: string): void => listeners.get(type)?.({ preventDefault: () => {} });
  return {
    setHidden: (isHidden) => {
      document.hidden = isHidden;
      send('visibilitychange');
    },
    press: () => send('click'),
    submit: () => send('submit'),
    countLive: () => live.size,
  };
}

describe('the script of a page', () => {
  it('keeps a page live that is opened where the reader sees it', () => {
    expect(openTab(false).countLive()).toBe(1);
  });

  it('opens no connection in a tab that is opened in the background, before it is shown', () => {
    const tab = openTab(true);
    expect(tab.countLive()).toBe(0);
    tab.setHidden(false);
    expect(tab.countLive()).toBe(1);
  });

  it('keeps a paused page paused that is hidden and shown', () => {
    const tab = openTab(false);
    tab.press();
    tab.setHidden(true);
    tab.setHidden(false);
    expect(tab.countLive()).toBe(0);
    tab.press();
    expect(tab.countLive()).toBe(1);
  });

  it('asks again, paused too, for what was typed before it was hidden', () => {
    const tab = openTab(false);
    tab.press();
    tab.submit();
    tab.setHidden(true);
    expect(tab.countLive()).toBe(0);
    tab.setHidden(false);
    expect(tab.countLive()).toBe(1);
  });
});
