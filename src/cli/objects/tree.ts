import { escapeText } from '../output/escape.ts';
import type { Style } from '../output/style.ts';

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

/** One line for each node. */
export function drawTree(root: TreeNode, style: Style): string {
  return [drawNode(root, style), ...drawChildren(root, '', style)].map((l) => `${l}\n`).join('');
}

function drawChildren(node: TreeNode, indent: string, style: Style): readonly string[] {
  const { children = [] } = node;
  return children.flatMap((child, index) => {
    const isLast = index === children.length - 1;
    return [
      `${indent}${isLast ? '└─ ' : '├─ '}${drawNode(child, style)}`,
      ...drawChildren(child, `${indent}${isLast ? '   ' : '│  '}`, style),
    ];
  });
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
