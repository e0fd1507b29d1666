import { isBuiltin } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { type Edge, type LayerRule, layers } from './layers.ts';

/**
 * The project's own rules as a plugin of oxlint (https://oxc.rs/docs/guide/usage/linter/js-plugins):
 * each layer rule under its own name, `time-comes-from-the-clock`, `log-messages-are-constant` and `titles-are-plain`.
 */
const root = resolve(import.meta.dirname, '../..');

interface Node {
  readonly source?: Node | null;
  readonly argument?: Node;
  readonly callee?: Node;
  readonly arguments?: readonly Node[];
  readonly name?: string;
  readonly literal?: Node;
  readonly value?: unknown;
  readonly type?: string;
  readonly object?: Node;
  readonly property?: Node;
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[];
  readonly consequent?: Node;
  readonly alternate?: Node;
}

interface Context {
  readonly filename: string;
  report(finding: { readonly node: Node; readonly message: string }): void;
}

interface Rule {
  create(context: Context): Readonly<Record<string, (node: Node) => void>>;
}

function layerRule(name: string, layer: LayerRule): Rule {
  return {
    create: (context) => {
      const from = toProjectPath(context.filename);
      const check = (node: Node, specifier: unknown): void => {
        if (typeof specifier !== 'string') return;
        const edge: Edge = { from, to: resolveImport(context.filename, specifier) };
        if (!layer.forbids(edge)) return;
        context.report({ node, message: `${name}: ${from} imports ${edge.to}. ${layer.teaches}.` });
      };
      const checkSource = (node: Node): void => check(node, node.source?.value);
      return {
        ImportDeclaration: checkSource,
        ExportNamedDeclaration: checkSource,
        ExportAllDeclaration: checkSource,
        ImportExpression: checkSource,
        TSImportType: checkSource,
        CallExpression: (node) => {
          if (node.callee?.name === 'require') check(node, node.arguments?.[0]?.value);
        },
      };
    },
  };
}

/** `new Date()` and `Date()` read the wall clock without naming `Date.now`. */
const timeComesFromTheClock: Rule = {
  create: (context) => {
    const check = (node: Node): void => {
      if (node.callee?.name !== 'Date' || node.arguments?.length !== 0) return;
      context.report({ node, message: 'time comes from the Clock port: new Date(clock.now())' });
    };
    return { NewExpression: check, CallExpression: check };
  },
};

const LEVELS = new Set(['debug', 'info', 'error']);

/** `log.info(...)`, `this.#log.info(...)` and `pass.log.info(...)`, with a message that is computed. */
const logMessagesAreConstant: Rule = {
  create: (context) => ({
    CallExpression: (node) => {
      const [text] = node.arguments ?? [];
      if (text === undefined || !isLogCall(node) || isConstant(text)) return;
      const message =
        'a log message is constant, so that lines can be grouped: add a field instead';
      context.report({ node: text, message });
    },
  }),
};

function isLogCall({ callee: { object, property } = {} }: Node): boolean {
  const logger = object?.property ?? object;
  return logger?.name === 'log' && LEVELS.has(property?.name ?? '');
}

function isConstant({ type, consequent, alternate }: Node): boolean {
  if (type !== 'ConditionalExpression') return type === 'Literal';
  return consequent?.type === 'Literal' && alternate?.type === 'Literal';
}

const DATED = /\b(?:tells?|told|whoever|anew)\b/i;

/** Titles are read in reports by people who do not know the code: docs/glossary.md has the field's words. */
const titlesArePlain: Rule = {
  create: (context) => ({
    CallExpression: (node) => {
      const [title] = node.arguments ?? [];
      if (title === undefined || !isTitled(node.callee)) return;
      const [word] = DATED.exec(readText(title)) ?? [];
      if (word === undefined) return;
      const message = `"${word}" in the title of a test: say reports, distinguishes, any, or again`;
      context.report({ node: title, message });
    },
  }),
};

/** `it(...)`, `it.concurrent(...)`, `it.each(...)(...)`. */
function isTitled(callee: Node | undefined): boolean {
  if (callee === undefined) return false;
  if (callee.name !== undefined) return callee.name === 'it' || callee.name === 'describe';
  return isTitled(callee.object ?? callee.callee);
}

function readText({ quasis = [], value }: Node): string {
  return typeof value === 'string' ? value : quasis.map((one) => one.value.raw).join(' ');
}

function resolveImport(importer: string, specifier: string): string {
  if (specifier.startsWith('.')) return toProjectPath(resolve(dirname(importer), specifier));
  if (isBuiltin(specifier) && !specifier.startsWith('node:')) return `node:${specifier}`;
  return specifier;
}

function toProjectPath(path: string): string {
  return relative(root, path).replaceAll('\\', '/');
}

const layerRules = Object.entries(layers).map(([name, layer]) => [name, layerRule(name, layer)]);

export default {
  meta: { name: 'albridge' },
  rules: {
    ...Object.fromEntries(layerRules),
    'time-comes-from-the-clock': timeComesFromTheClock,
    'log-messages-are-constant': logMessagesAreConstant,
    'titles-are-plain': titlesArePlain,
  },
};
