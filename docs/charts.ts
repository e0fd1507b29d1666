/** Copies the numbers of charts into the page that shows them, as the tables next to them. */

/** From the comment that names the chart to the one that ends its table. */
const TABLE = /(<!-- numbers of (charts\/[\w-]+\.svg) -->\n)[^]*?(<!-- end of numbers -->)/g;

/** The page with its tables; `read` reads a chart by its path from the page. */
export function fillTables(page: string, read: (path: string) => string): string {
  return page.replace(TABLE, (...[, begin, path, end]: string[]) => {
    return `${begin}${writeTable(readNumbers(read(path ?? '')))}${end}`;
  });
}

interface Numbers {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Machine and date. */
  readonly captions: readonly string[];
}

/** As drawChart of test/bench/line-chart.ts describes them. */
export function readNumbers(svg: string): Numbers {
  const [, text = ''] = /<desc>\n([^]*?)\n<\/desc>/.exec(svg) ?? [];
  const lines = unescape(text).split('\n');
  const [head = [], ...rows] = lines.map((line) => line.split('; '));
  return { head, rows: rows.slice(0, -1), captions: rows.at(-1) ?? [] };
}

function writeTable({ head, rows, captions }: Numbers): string {
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
  return `${lines.join('\n')}\n\n${captions.map((one) => `${one}.`).join(' ')}\n`;
}

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}
