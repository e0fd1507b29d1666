import { describe, expect, it } from 'vitest';
import { foldHost, foldPath } from '../../../../../src/controllers/my-ingress/attaching/claims.ts';
import { decideAttachments } from '../../../../../src/controllers/my-ingress/attaching/decide.ts';
import { compareWidth } from '../../../../../src/controllers/my-ingress/attaching/width.ts';
import { draftApp, PLAIN } from './app.ts';

/** Up to so many of these characters. */
function listTexts(characters: string, longest: number): readonly string[] {
  if (longest === 0) return [''];
  const shorter = listTexts(characters, longest - 1);
  const long = shorter.filter((text) => text.length === longest - 1);
  return [...shorter, ...long.flatMap((text) => Array.from(characters).map((one) => text + one))];
}

const hasEmptyLabel = (host: string): boolean => host.split('.').includes('');

/** By what AWS accepts as a host or path, and by the hosts and paths of requests. */
const KINDS = {
  hosts: {
    patterns: listTexts('.a*?', 4).map((text) => `${text}.c`),
    texts: listTexts('.ac', 6)
      .map((text) => `${text}.c`)
      .filter((host) => !hasEmptyLabel(host)),
    fold: foldHost,
  },
  paths: {
    patterns: listTexts('/a*?', 4).filter((text) => /^[/*?]/.test(text)),
    texts: listTexts('/ab', 5).map((text) => `/${text}`),
    fold: foldPath,
  },
} as const;

interface Matching {
  readonly pattern: string;
  /** One bit for each text. */
  readonly matches: bigint;
}

/** Those that match anything. */
function matchAll(patterns: readonly string[], texts: readonly string[]): readonly Matching[] {
  const all = patterns.map((pattern) => {
    const source = pattern.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
    const regex = new RegExp(`^${source}$`);
    const bits = texts.map((text) => (regex.test(text) ? '1' : '0')).join('');
    return { pattern, matches: BigInt(`0b${bits}`) };
  });
  return all.filter(({ matches }) => matches !== 0n);
}

describe.each(['hosts', 'paths'] as const)('patterns of %s', (kind) => {
  const { patterns, texts, fold } = KINDS[kind];
  const all = matchAll(patterns, texts);

  it('have one form where they match the same, and that matches the same', () => {
    const forms = new Map(
      matchAll([...new Set(patterns.map(fold))], texts).map((one) => [one.pattern, one.matches]),
    );
    const changed = all.filter(({ pattern, matches }) => forms.get(fold(pattern)) !== matches);
    expect(changed).toEqual([]);
    const byMatches = Map.groupBy(all, ({ matches }) => matches);
    const several = [...byMatches.values()]
      .map((same) => [...new Set(same.map(({ pattern }) => fold(pattern)))])
      .filter((same) => same.length > 1);
    expect(several).toEqual([]);
  });

  it('are in order from narrow to wide', () => {
    const rules = all.map(({ pattern, matches }) => ({
      ...{ pattern, matches },
      rule: { name: 'app', [kind]: [pattern] },
    }));
    const turned = rules.flatMap((narrow) =>
      rules
        .filter(({ matches }) => (matches & narrow.matches) === narrow.matches)
        .filter(({ matches }) => matches !== narrow.matches)
        .filter(({ rule }) => compareWidth(narrow.rule, rule) >= 0)
        .map(({ pattern }) => `${pattern} before ${narrow.pattern}`),
    );
    expect(turned).toEqual([]);
  });
});

describe('rules of two objects', () => {
  it.each([
    { narrow: ['*.example.com', '/cart'], wide: ['**.example.com', '/*'] },
    { narrow: ['*.example.com', '/cart'], wide: ['?*.example.com', undefined] },
    { narrow: ['shop.*.example.com', '/cart'], wide: ['shop.?*.example.com', undefined] },
    { narrow: ['shop.example.com', '*ab'], wide: ['shop.example.com', '/?*b'] },
  ] as const)('are in order by their paths where $wide has the host of $narrow', (pair) => {
    const [a, z] = [pair.wide, pair.narrow].map(([host, path], index) =>
      draftApp(index === 0 ? 'a' : 'z', { hosts: [host], ...(path && { paths: [path] }) }),
    ) as [ReturnType<typeof draftApp>, ReturnType<typeof draftApp>];
    const { rules } = decideAttachments(PLAIN, [a, z], { held: new Map() });
    expect(rules.map(({ source }) => source)).toEqual(['WebApp/web/z', 'WebApp/web/a']);
  });
});
