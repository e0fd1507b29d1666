import type { Link, Page } from './page.ts';
import type { Repository } from './repository.ts';

/** One sentence for each link that leads nowhere, on GitHub and on the site alike. */
export function findDeadLinks(
  pages: ReadonlyMap<string, Page>,
  repository: Repository,
): readonly string[] {
  return [...pages.values()].flatMap((page) =>
    page.links.flatMap((link) => {
      const fault = findFault(link, pages, repository);
      return fault === undefined ? [] : [`${page.path} links to ${link.href}, ${fault}`];
    }),
  );
}

function findFault(
  { target, anchor }: Link,
  pages: ReadonlyMap<string, Page>,
  repository: Repository,
): string | undefined {
  if (repository.entryOf(target) === 'none') return 'which the repository does not have';
  if (anchor === '') return undefined;
  const page = pages.get(target);
  if (page === undefined) return 'but only pages have headings';
  return page.anchors.has(anchor) ? undefined : `but ${target} has no such heading`;
}
