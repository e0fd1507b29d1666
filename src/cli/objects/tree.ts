import { escapeText } from '../output/escape.ts';
import type { Style } from '../output/style.ts';
import { wrapLine } from '../output/wrap.ts';

/** A thing, its state, and the things below it. */
export interface TreeNode {
  /** Such as `listener`. */
  readonly kind: string;
  readonly name: string;
  /** In a word or two, such as `active` or `2/3 registered`. */
  readonly state?: string;
  readonly health?: 'good' | 'warning' | 'bad';
  readonly reason?: string;
  readonly message?: string;
  readonly children?: readonly TreeNode[];
}

/** One line for each node; with `columns`, several for a long one. */
export function drawTree(root: TreeNode, style: Style, columns?: number): string {
  const lines = drawBranch(root, { first: '', further: '' }, { style, columns });
  return lines.map((line) => `${line}\n`).join('');
}

interface Indents {
  /** Of the node. */
  readonly first: string;
  /** Of what is below it. */
  readonly further: string;
}

interface Drawing {
  readonly style: Style;
  readonly columns: number | undefined;
}

function drawBranch(node: TreeNode, { first, further }: Indents, drawing: Drawing): string[] {
  const { children = [] } = node;
  const { style, columns } = drawing;
  const indent = `${further}${children.length > 0 ? '│  ' : '   '}`;
  const line = wrapLine(first + drawNode(node, style), { columns, indent });
  const below = children.map((child, index) => {
    const isLast = index === children.length - 1;
    const indents = {
      first: `${further}${isLast ? '└─ ' : '├─ '}`,
      further: `${further}${isLast ? '   ' : '│  '}`,
    };
    return drawBranch(child, indents, drawing);
  });
  return [line, ...below.flat()];
}

function drawNode(
  { kind, name, state = '', health, reason, message }: TreeNode,
  style: Style,
): string {
  const paint = health === undefined ? style.dim : style[health];
  const why = [reason, message].filter((text) => text !== undefined && text !== '').join(': ');
  const parts = [
    escapeText(`${kind} ${name}`.trimEnd()),
    paint(escapeText(state)),
    escapeText(why),
  ];
  return parts.filter((part) => part !== '').join('  ');
}
