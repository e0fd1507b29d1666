import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { webAppReasons } from '../../../src/apis/web-app-reasons.ts';
import { CoreReason } from '../../../src/core/reconcile/operator-error.ts';

const page = (name: string): string =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

describe('the reasons of a WebApp', () => {
  it.each(Object.entries(webAppReasons))(
    '%s has a cause and a next step in words',
    (_name, entry) => {
      expect(entry.cause).toMatch(/^[A-Z].*[^.]$/);
      expect(entry.next).toMatch(/^[a-z].*[^.]$/);
    },
  );

  it('include those that the core raises for every kind with children', () => {
    expect(Object.keys(webAppReasons)).toEqual(
      expect.arrayContaining([CoreReason.NameConflict, CoreReason.Paused, 'Replacing']),
    );
  });

  it('are printed in the documentation', () => {
    const section = page('reasons.md').split('## WebApp')[1]?.split('\n## ')[0] ?? '';
    for (const [name, { next }] of Object.entries(webAppReasons)) {
      expect(section).toContain(`| \`${name}\` |`);
      expect(section).toContain(next);
    }
  });
});

describe('the page of WebApp', () => {
  it('names only files that exist', () => {
    const files = page('webapp.md').match(/examples\/[\w.-]+/g) ?? [];
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      expect(() => readFileSync(new URL(`../../../${file}`, import.meta.url))).not.toThrow();
    }
  });
});
