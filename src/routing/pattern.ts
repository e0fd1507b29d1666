type Token = { readonly character: string } | 'one' | 'any';

/**
 * Whether the whole text fits a pattern in which `*` stands for any number of characters, slashes included,
 * and `?` for exactly one. Takes at most length x length steps, whatever the pattern.
 */
export function matchesPattern(
  pattern: string,
  text: string,
  { hasEscapes = false }: { readonly hasEscapes?: boolean } = {},
): boolean {
  if (!startsAlike(pattern, text, hasEscapes)) return false;
  const tokens = parsePattern(pattern, hasEscapes);
  // The last `*` passed, and how far the text was then: where to go on with one character more for it.
  let retry: { readonly token: number; at: number } | undefined;
  let [token, at] = [0, 0];
  while (at < text.length) {
    const next = tokens[token];
    if (next === 'any') {
      retry = { token, at };
      token += 1;
    } else if (next !== undefined && fits(next, text.charAt(at))) {
      token += 1;
      at += 1;
    } else if (retry !== undefined) {
      retry.at += 1;
      [token, at] = [retry.token + 1, retry.at];
    } else {
      return false;
    }
  }
  return tokens.slice(token).every((rest) => rest === 'any');
}

/** Up to the first wildcard: most texts differ there. */
function startsAlike(pattern: string, text: string, hasEscapes: boolean): boolean {
  const special = pattern.search(hasEscapes ? /[*?\\]/ : /[*?]/);
  return special < 0 ? pattern === text : text.startsWith(pattern.slice(0, special));
}

function fits(token: Exclude<Token, 'any'>, character: string): boolean {
  return token === 'one' || token.character === character;
}

function parsePattern(pattern: string, hasEscapes: boolean): readonly Token[] {
  const parts = pattern.match(hasEscapes ? /\\[*?\\]|[\s\S]/g : /[\s\S]/g) ?? [];
  return parts.map((part) => {
    if (part === '*') return 'any';
    return part === '?' ? 'one' : { character: part.slice(-1) };
  });
}
