import { createHash } from 'node:crypto';
import { type Markup, markup, trustMarkup } from '../markup/markup.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

/** A page without the frame that all have. */
export interface Page {
  readonly status: 200 | 404 | 500 | 503;
  readonly title: string;
  readonly parts: readonly Part[];
  /** One sentence about the connection to the cluster. */
  readonly state: PageState;
  /** True once everything that it shows has been read, or could not be. */
  readonly isKnown: boolean;
  /** Reads for this page alone, besides the watches of all pages. */
  readonly reads?: Reads | undefined;
}

/** Reads for as long as somebody views what has been read. */
export interface Reads {
  /** Returns the function that ends the view. */
  view(): () => void;
}

/** Sent again when it changes. A form keeps what is typed: the script changes its attributes, not its values. */
export interface Part {
  readonly id: string;
  /** A screen reader announces its changes. */
  readonly isAnnounced?: boolean;
  readonly content: Markup;
}

export interface PageState {
  readonly text: string;
  readonly isBad: boolean;
}

type Framed = Pick<Page, 'title' | 'parts' | 'state'>;

/** A whole document. `root`: the path of the list, which ends in a slash. */
export function framePage({ title, parts, state }: Framed, root: string): string {
  const badness = state.isBad ? 'bad' : 'good';
  const page = markup`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${title} - albridge</title><style>${trustMarkup(STYLE)}</style></head>
<body><a class="skip" href="#content">Skip to the content</a>
<header><nav aria-label="albridge"><a href="${root}">albridge: all objects</a></nav><p id="state" role="status" aria-live="polite" data-state="${badness}">${state.text}</p><button id="pause" type="button" aria-pressed="false" hidden>Pause updates</button><p id="said" class="unseen" role="status"></p></header>
<main id="content" tabindex="-1" data-shape="${digestShape({ title, parts })}">${parts.map(framePart)}</main>
<script>${trustMarkup(SCRIPT)}</script></body></html>
`;
  return page.toString();
}

/** The same while the parts that are sent again fit the document as it was loaded. */
export function digestShape({ title, parts }: Pick<Page, 'title' | 'parts'>): string {
  const shape = JSON.stringify([title, ...parts.map(({ id }) => id)]);
  return createHash('sha256').update(shape).digest('hex').slice(0, 16);
}

function framePart({ id, isAnnounced, content }: Part): Markup {
  const politeness = isAnnounced ? 'polite' : 'off';
  return markup`<div id="part-${id}" data-part="${id}" aria-live="${politeness}" aria-atomic="true">${content}</div>`;
}

const hash = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Nothing is loaded from elsewhere, and no script runs but our own, whatever a name of a tenant holds.
 * https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Content-Security-Policy
 */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    `script-src ${hash(SCRIPT)}`,
    `style-src ${hash(STYLE)}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};
