import type { NavigationSection } from './navigation.ts';
import type { Page, SitePath } from './page.ts';

export interface SiteParts {
  readonly navigation: readonly NavigationSection[];
  readonly sitePath: SitePath;
}

interface Shell extends SiteParts {
  readonly path: string;
  readonly title: string;
  readonly content: string;
}

export function writePageView({ path, title, html }: Page, site: SiteParts): string {
  return writeShell({ path, title, content: html, ...site });
}

/** A file of the repository that is no page, such as a manifest, as text. */
export function writeFileView(path: string, text: string, site: SiteParts): string {
  const content = `<h1>${escape(path)}</h1>\n<pre><code>${escape(text)}</code></pre>\n`;
  return writeShell({ path, title: path, content, ...site });
}

/** Names only: the site has no more of the repository than pages link to. */
export function writeFolderView(path: string, names: readonly string[], site: SiteParts): string {
  const pages = site.navigation.flatMap(({ items }) => items.map((item) => item.path));
  const items = names.map((name) => {
    const isPage = pages.includes(`${path}/${name}`);
    const text = escape(name);
    return isPage
      ? `<li><a href="${text.replace(/\.md$/, '.html')}">${text}</a></li>`
      : `<li>${text}</li>`;
  });
  const content = `<h1>${escape(path)}</h1>\n<ul>\n${items.join('\n')}\n</ul>\n`;
  return writeShell({ path: `${path}/index`, title: path, content, ...site });
}

export function writeRedirect(to: string): string {
  return `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url=${to}"><a href="${to}">albridge</a>\n`;
}

function writeShell({ path, title, content, navigation, sitePath }: Shell): string {
  const up = '../'.repeat(path.split('/').length - 1);
  return `<!doctype html>
<html lang="en" data-up="${up}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · albridge</title>
<link rel="stylesheet" href="${up}style.css">
<header>
<a class="name" href="${up}${sitePath('docs/README.md')}">albridge</a>
<a class="pages" href="#pages">Pages</a>
<input id="search" type="search" placeholder="Search" aria-label="Search the pages" autocomplete="off">
<ol id="found" hidden></ol>
</header>
<main>
${content}</main>
<nav id="pages" aria-label="Pages">
${navigation.map((section) => writeSection(section, { path, up, sitePath })).join('')}</nav>
<script src="${up}search.js"></script>
</html>
`;
}

function writeSection(
  { title, items }: NavigationSection,
  { path, up, sitePath }: { path: string; up: string; sitePath: SitePath },
): string {
  const isHere = items.some((item) => item.path === path);
  const rows = items.map((item) => {
    const here = item.path === path ? ' aria-current="page"' : '';
    return `<li><a href="${up}${sitePath(item.path)}"${here}>${escape(item.title)}</a></li>\n`;
  });
  return `<details${isHere || items.length <= 12 ? ' open' : ''}><summary>${escape(title)}</summary>\n<ul>\n${rows.join('')}</ul>\n</details>\n`;
}

function escape(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
