import type { Page, SitePath } from './page.ts';

/** Name of the file with the text of all sections, as a script: a browser reads no other file from disk. */
export const SEARCH_INDEX = 'search-index.js';

export function writeSearchIndex(pages: readonly Page[], sitePath: SitePath): string {
  const sections = pages.flatMap(({ path, title, sections }) =>
    sections.map(({ anchor, heading, text }) => ({
      id: `${sitePath(path)}#${anchor}`,
      page: title,
      heading,
      text,
    })),
  );
  return `globalThis.searchSections = ${JSON.stringify(sections)};\n`;
}
