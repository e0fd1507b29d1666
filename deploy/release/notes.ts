import { readFile } from 'node:fs/promises';
import { Refusal } from './run.ts';

/** The section of CHANGELOG.md about a version; in a dry run Unreleased, if it does not have the version yet. */
export async function findNotes(path: string, version: string, isDryRun: boolean): Promise<string> {
  const sections = readSections(await readFile(path, 'utf8'));
  const notes = sections.get(version) ?? (isDryRun ? sections.get('Unreleased') : undefined);
  if (notes === undefined) {
    throw new Refusal(
      `CHANGELOG.md has no section ${version}; rename Unreleased to "${version}", and commit`,
    );
  }
  if (notes === '') throw new Refusal(`CHANGELOG.md has no entry for ${version}; add one`);
  return notes;
}

/** Throws unless docs/upgrade.md has notes for this version, and none that still wait for one. */
export async function checkUpgradePage(path: string, version: string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const headings = [...text.matchAll(/^### (\S+)/gm)].map(([, heading]) => heading);
  const isOpen = headings.includes('Unreleased');
  if (headings.includes(version) && !isOpen) return;
  const [lacking, step] = !isOpen
    ? [`no heading ${version}`, `add "### ${version}" above the last one, also without notes`]
    : headings.includes(version)
      ? ['notes under Unreleased', `move them below ${version}`]
      : [`no heading ${version}`, `rename Unreleased there to "${version}"`];
  throw new Refusal(`docs/upgrade.md has ${lacking}; ${step}, and commit`);
}

/** `## 1.2.3` or `## 1.2.3 - 2026-12-01`, and the text up to the next such heading. */
function readSections(text: string): ReadonlyMap<string, string> {
  const sections = text.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return [heading.split(' ')[0] ?? '', lines.join('\n').trim()] as const;
    }),
  );
}

/**
 * Links of the changelog are relative to its repository: they lead to the tag of the version there. Without the address
 * of a repository only their texts stay. Pure.
 */
export function linkNotes(notes: string, repository: string | undefined, version: string): string {
  return notes.replaceAll(/\[([^\]]+)\]\((?!\w+:|#)([^)\s]+)\)/g, (_link, text, target) =>
    repository === undefined ? text : `[${text}](${repository}/blob/v${version}/${target})`,
  );
}
