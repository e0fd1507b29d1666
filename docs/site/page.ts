import { dirname, join } from 'node:path/posix';
import { Marked, type Token, type Tokens } from 'marked';

/** One Markdown file of the repository, as HTML and as what the checks and the search need of it. */
export interface Page {
  /** Path from the root of the repository. */
  readonly path: string;
  readonly title: string;
  readonly html: string;
  readonly links: readonly Link[];
  /** Ids of its headings, as GitHub gives them, and of `<a id>`. */
  readonly anchors: ReadonlySet<string>;
  readonly sections: readonly Section[];
}

/** A link into the repository. */
export interface Link {
  /** As written. */
  readonly href: string;
  /** Path from the root, without a slash at its end; begins with `..` outside of the repository. */
  readonly target: string;
  /** The text after the `#`; empty if there is none. */
  readonly anchor: string;
  readonly text: string;
  /** The heading that it stands under; empty before the first one. */
  readonly section: string;
}

interface Section {
  readonly anchor: string;
  readonly heading: string;
  readonly text: string;
}

/** How a link to a path of the repository is written on the site. */
export type SitePath = (target: string) => string;

interface Draft {
  readonly path: string;
  readonly sitePath: SitePath;
  readonly links: Link[];
  readonly anchors: Set<string>;
  readonly heads: { readonly anchor: string; readonly heading: string }[];
}

/** https://github.github.com/gfm/, with ids at headings, and links rewritten for the site. */
export function readPage(path: string, markdown: string, sitePath: SitePath): Page {
  const draft: Draft = { path, sitePath, links: [], anchors: new Set(), heads: [] };
  const marked = new Marked({ gfm: true });
  let rendered = 0;
  marked.use({
    renderer: {
      heading({ depth, tokens }: Tokens.Heading): string {
        const id = draft.heads[rendered++]?.anchor ?? '';
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  const tokens = marked.lexer(dropComments(markdown));
  void marked.walkTokens(tokens, (token) => readToken(draft, token));
  const html = marked.parser(tokens);
  const { links, anchors, heads } = draft;
  const sections = splitText(html, heads);
  return { path, title: heads[0]?.heading ?? path, html, links, anchors, sections };
}

/** Visited in the order of the document; rewrites what leads somewhere. */
function readToken(draft: Draft, token: Token): void {
  if (token.type === 'heading') {
    const heading = readPlainText(token);
    draft.heads.push({ heading, anchor: addAnchor(draft.anchors, heading) });
  }
  if (token.type === 'link' || token.type === 'image') {
    const target = token as Tokens.Link;
    target.href = rewriteHref(draft, target.href, target.text);
  }
  // An anchor of its own, and an image with a width.
  if (token.type === 'html') {
    const tag = token as Tokens.HTML;
    for (const [, id = ''] of tag.text.matchAll(/<a id="([^"]+)"/g)) draft.anchors.add(id);
    tag.text = tag.text.replaceAll(/(?<=<img [^>]*?src=")[^"]+/g, (href) =>
      rewriteHref(draft, href, ''),
    );
  }
}

function readPlainText({ tokens, text }: Tokens.Generic): string {
  return tokens === undefined
    ? (text as string)
    : (tokens as Tokens.Generic[]).map(readPlainText).join('');
}

function rewriteHref(draft: Draft, href: string, text: string): string {
  const { path, links, heads, sitePath } = draft;
  // It leads out of the repository, by its scheme.
  if (/^[a-z][a-z+.-]*:/i.test(href)) return href;
  const [file = '', anchor = ''] = href.split('#');
  const joined = join(dirname(path), decodeURI(file)).replace(/(?<=.)\/$/, '');
  const target = file === '' ? path : joined;
  links.push({ href, target, anchor, text, section: heads.at(-1)?.heading ?? '' });
  const up = '../'.repeat(path.split('/').length - 1);
  return `${up}${sitePath(target)}${anchor === '' ? '' : `#${anchor}`}`;
}

/** The id that GitHub gives a heading: letters, digits, `_` and `-`; a repeated one is numbered. */
function addAnchor(anchors: Set<string>, words: string): string {
  const plain = words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
  let id = plain;
  for (let number = 1; anchors.has(id); number += 1) id = `${plain}-${number}`;
  anchors.add(id);
  return id;
}

/** Comments outside of blocks of code; they are for tests and generators. */
function dropComments(markdown: string): string {
  return markdown
    .split(/(^```[^]*?^```$)/m)
    .map((part) => (part.startsWith('```') ? part : part.replaceAll(/<!--[^]*?-->\n?/g, '')))
    .join('');
}

/** The text below each heading. */
function splitText(html: string, heads: Draft['heads']): readonly Section[] {
  const [, ...bodies] = html.split(/<h[1-6] id="[^"]*">[^]*?<\/h[1-6]>/);
  return heads.map((head, index) => ({ ...head, text: readText(bodies[index] ?? '') }));
}

function readText(html: string): string {
  return unescape(html.replaceAll(/<[^>]+>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function unescape(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
