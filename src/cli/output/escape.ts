/**
 * Names and messages of tenants are printed on a terminal. Characters that move the cursor, change colours
 * or the direction of text are printed as \u and four digits.
 * https://en.wikipedia.org/wiki/C0_and_C1_control_codes, https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters
 */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/** One line of text: a line break is escaped too. */
export function escapeText(text: string): string {
  return text.replaceAll(CONTROL, escapeCharacter);
}

/** The text of a JSON document: JSON.stringify leaves DEL and C1 as they are. */
export function escapeJson(json: string): string {
  return json.replaceAll(CONTROL, (character) =>
    character === '\n' ? character : escapeCharacter(character),
  );
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
