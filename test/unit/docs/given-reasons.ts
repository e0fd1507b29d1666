import { parseAst } from 'vitest/node';

/** Finds the words that code gives as reasons: those of their form, where they stand for a value. */

interface Node {
  readonly type: string;
  readonly [part: string]: unknown;
}

const REASON = /^(?=\w*[a-z]{2})[A-Z][A-Za-z0-9]+$/;

/** The part of a node that names the property, variable or function that takes a value. */
const TAKERS: Readonly<Record<string, string>> = {
  AssignmentExpression: 'left',
  AssignmentPattern: 'left',
  BinaryExpression: 'operator',
  CallExpression: 'callee',
  NewExpression: 'callee',
  Property: 'key',
  VariableDeclarator: 'id',
};

/** Takers of other words: a comparison has its operator for a name. */
const OTHERS = /^(?:action|errorCode|kind|name|operation|operator|ready|status|type|\W+)$/;
/** Functions that ask for a reason, or read what others have written. */
const ASKS = /^(?:allow|define|ends|find|has|includes|is|read|starts)(?![a-z])/;

export function collectReasons(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  collect(parseAst(text, { lang: 'ts' }), '', found);
  return found;
}

/** @param taker the innermost property, variable or function that takes the value of the node */
function collect(node: unknown, taker: string, found: Set<string>): void {
  if (Array.isArray(node)) for (const one of node) collect(one, taker, found);
  if (!isNode(node)) return;
  const word = readWord(node) ?? readMember(node) ?? readRow(node, taker);
  if (word !== undefined && takes(taker, word)) found.add(word);
  for (const part of listParts(node)) collect(part, nameTaker(node) ?? taker, found);
}

/** A property of the same name defines a word, and does not give it. */
function takes(taker: string, word: string): boolean {
  return taker !== word && !OTHERS.test(taker) && !ASKS.test(taker);
}

function readWord({ type, value }: Node): string | undefined {
  return type === 'Literal' && typeof value === 'string' && REASON.test(value) ? value : undefined;
}

function readMember({ object, property }: Node): string | undefined {
  return readName(object) === 'CoreReason' ? readName(property) : undefined;
}

/** The codes of AWS are listed by the reason that they become. */
function readRow({ type, key }: Node, table: string): string | undefined {
  return type === 'Property' && table === 'codesByReason' ? readName(key) : undefined;
}

/** Those that may give a reason: no types, keys, cases or lists of words. */
function listParts(node: Node): readonly unknown[] {
  if (node.type.startsWith('TS')) return [node['expression']];
  switch (node.type) {
    case 'ImportDeclaration':
      return [];
    case 'SwitchCase':
      return [node['consequent']];
    case 'MemberExpression':
      return [node['object']];
    case 'Property':
      return [node['value']];
    case 'ArrayExpression':
      return listElements(node['elements'] as readonly unknown[]);
    default:
      return Object.values(node);
  }
}

/** A list of words is for comparison; in a tuple of a reason and its message the reason is given. */
function listElements(elements: readonly unknown[]): readonly unknown[] {
  const others = elements.filter((one) => !isPlainWord(one));
  const isList = others.every((one) => isNode(one) && one.type === 'SpreadElement');
  return isList ? others : elements;
}

/** Not the sentence of a message. */
function isPlainWord(node: unknown): boolean {
  if (!isNode(node)) return false;
  const isString = node.type === 'Literal' && !String(node['value']).includes(' ');
  return isString || readMember(node) !== undefined;
}

function nameTaker(node: Node): string | undefined {
  if (node.type.includes('Function')) return '';
  const part = TAKERS[node.type];
  return part === undefined ? undefined : readName(node[part]);
}

function readName(node: unknown): string {
  if (!isNode(node)) return typeof node === 'string' ? node : '';
  const { name, property, value } = node;
  return typeof name === 'string' ? name : readName(value ?? property);
}

function isNode(node: unknown): node is Node {
  return typeof node === 'object' && node !== null && 'type' in node;
}
