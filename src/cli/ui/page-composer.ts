import { describeError } from '../errors.ts';
import { markup } from '../markup/markup.ts';
import type { Page } from './frame.ts';
import { composePage, type PageContext, type Visit } from './pages.ts';

/** Passed to each answer. */
export interface Serving extends PageContext {
  readonly composer: PageComposer;
}

/** Composes pages, each once for all who show it at the same time. One that cannot be composed says so: whatever an object holds, the others are served. */
export class PageComposer {
  readonly #context: PageContext;
  readonly #report: (sentence: string) => void;
  readonly #reported = new Set<string>();
  /** Those of one version and one second, by path and query. */
  readonly #composed = new Map<string, Page>();
  #stamp = '';

  /** `report` is called once for each failure. */
  constructor(context: PageContext, report: (sentence: string) => void) {
    this.#context = context;
    this.#report = report;
  }

  /** The page of a visit as it is now. Never throws. */
  compose(visit: Visit): Page {
    try {
      return this.#composeOnce(visit);
    } catch (error) {
      return this.#explain(describeError(error));
    }
  }

  #composeOnce(visit: Visit): Page {
    const { objects, clock } = this.#context;
    const stamp = `${objects.version} ${Math.floor(clock.now() / 1000)}`;
    if (stamp !== this.#stamp) this.#composed.clear();
    this.#stamp = stamp;
    const key = `${visit.path}?${visit.query.toString()}`;
    const page = this.#composed.get(key) ?? composePage(visit, this.#context);
    this.#composed.set(key, page);
    return page;
  }

  #explain(sentence: string): Page {
    if (!this.#reported.has(sentence)) this.#report(`a page cannot be shown, ${sentence}`);
    this.#reported.add(sentence);
    const content = markup`<h1>Not shown</h1><p>This page cannot be composed: ${sentence}. It is tried again at the next change; the link above leads to all objects.</p>`;
    const state = { text: 'This page cannot be shown.', isBad: true };
    const parts = [{ id: 'head', content }];
    return { status: 500, title: 'Not shown', state, parts, isKnown: true };
  }
}
