import type { Page } from './page.ts';

/** A heading of docs/README.md with the pages that its lists link to. */
export interface NavigationSection {
  readonly title: string;
  readonly items: readonly { readonly title: string; readonly path: string }[];
}

/** The links below each heading of the front page; a folder stands for the pages in it. */
export function listNavigation(
  { title, links, sections }: Page,
  documents: readonly string[],
): readonly NavigationSection[] {
  const titles = sections.map(({ heading }) => heading).filter((heading) => heading !== title);
  return titles.map((heading) => ({
    title: heading,
    items: links
      .filter(({ section }) => section === heading)
      .flatMap(({ target, text }) => {
        const inside = documents.filter((path) => path.startsWith(`${target}/`));
        if (inside.length === 0) return [{ title: text, path: target }];
        return inside.map((path) => ({ title: nameOf(path), path }));
      }),
  }));
}

/** `0001-own-transport` -> `0001 own transport`. */
function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.md$/, '').replaceAll('-', ' ');
}

/** One sentence for each page that the navigation does not have exactly once; the front page itself is exempt. */
export function navigationFaults(
  navigation: readonly NavigationSection[],
  documents: readonly string[],
): readonly string[] {
  const listed = navigation.flatMap(({ items }) => items.map(({ path }) => path));
  return documents
    .filter((path) => path !== 'docs/README.md')
    .flatMap((path) => {
      const count = listed.filter((one) => one === path).length;
      if (count === 1) return [];
      return [`docs/README.md, the navigation, links to ${path} ${count} times; link to it once`];
    });
}
