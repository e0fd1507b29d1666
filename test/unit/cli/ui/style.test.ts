import { describe, expect, it } from 'vitest';
import { DRAWING_STYLE } from '../../../../src/cli/drawing/svg.ts';
import { STYLE } from '../../../../src/cli/ui/style.ts';

type Colours = Readonly<Record<string, string>>;

/** The variables of the first rule with this selector, and what the rule for dark changes. */
function readColours(style: string, selector: string): Record<'light' | 'dark', Colours> {
  const [light = {}, dark = {}] = [...style.matchAll(/([^{}]+)\{((?:[^{}]*;)?--[^}]*)\}/g)]
    .filter(([, name = '']) => name.trim() === selector)
    .map(([, , body = '']): Colours => {
      const pairs = body.matchAll(/--(\w+):(#[0-9a-f]+)/g);
      return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, value]));
    });
  return { light, dark: { ...light, ...dark } };
}

/** https://www.w3.org/TR/WCAG22/#dfn-relative-luminance */
function getLuminance(colour: string): number {
  const hex = colour.length === 4 ? colour.replaceAll(/[0-9a-f]/g, '$&$&') : colour;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function getContrast(a = '', b = ''): number {
  const [low = 0, high = 0] = [getLuminance(a), getLuminance(b)].toSorted((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

/** Of text, and of what is needed to recognise a control or a graphic. */
const TEXT = 4.5;
const GRAPHIC = 3;

const page = readColours(STYLE, ':root');
const drawing = readColours(DRAWING_STYLE, '.drawing');

describe.each(['light', 'dark'] as const)('contrast by WCAG AA, %s', (scheme) => {
  it.each(['ink', 'dim', 'link', 'good', 'warning', 'bad'])('of text in the colour %s', (name) => {
    const colours = page[scheme];
    for (const ground of ['ground', 'box'])
      expect(getContrast(colours[name], colours[ground])).toBeGreaterThanOrEqual(TEXT);
  });

  it('of the edge of a field and of the focus', () => {
    const colours = page[scheme];
    for (const name of ['line', 'link'])
      for (const ground of ['ground', 'box'])
        expect(getContrast(colours[name], colours[ground])).toBeGreaterThanOrEqual(GRAPHIC);
  });

  it.each(['ink', 'dim', 'good', 'warning', 'bad'])('of text in the drawing, %s', (name) => {
    const colours = drawing[scheme];
    expect(getContrast(colours[name], colours['box'])).toBeGreaterThanOrEqual(TEXT);
  });

  it('of the lines of the drawing', () => {
    const { line, box } = drawing[scheme];
    expect(getContrast(line, box)).toBeGreaterThanOrEqual(GRAPHIC);
  });
});

describe('the style sheet', () => {
  it('has every colour as a variable, and has each for light and for dark', () => {
    for (const { light, dark } of [page, drawing])
      for (const name of Object.keys(light))
        if (name !== 'line') expect([name, dark[name]]).not.toEqual([name, light[name]]);
    const rules = STYLE.replaceAll(/--\w+:#[0-9a-f]+/g, '');
    expect(rules).not.toMatch(/#[0-9a-f]{3,6}\b|rgb|hsl/);
  });
});
