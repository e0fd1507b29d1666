import { isBuiltin } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { type Edge, type LayerRule, layers } from './layers.ts';

/**
 * The project's own rules as a plugin of oxlint (https://oxc.rs/docs/guide/usage/linter/js-plugins):
 * each layer rule under its own name, `time-comes-from-the-clock`, `log-messages-are-constant`, `titles-are-plain` and
 * `scripts-run-last`.
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
  readonly expression?: Node;
  readonly id?: Node | null;
  readonly declaration?: Node | null;
  readonly declarations?: readonly { readonly init?: Node | null }[];
  readonly body?: readonly Node[];
}

interface Program {
  readonly body: readonly Node[];
}

interface Context {
  readonly filename: string;
  report(finding: { readonly node: Node; readonly message: string }): void;
}

interface Rule {
  create(context: Context): Readonly<Record<string, (node: Node & Program) => void>>;
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

const DATED = /\b(?:tells?|told|whoever|anew|somebody|nobody|look(?:s|ed|ing)?|wanted)\b/i;

/** Titles are read in reports by people who do not know the code: docs/glossary.md has the field's words. */
const titlesArePlain: Rule = {
  create: (context) => ({
    CallExpression: (node) => {
      const [title] = node.arguments ?? [];
      if (title === undefined || !isTitled(node.callee)) return;
      const [word] = DATED.exec(readText(title)) ?? [];
      if (word === undefined) return;
      const message = `"${word}" in the title of a test: say reports, reads, reconciles, desired, any, again, or name who it is`;
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

const STATEMENTS = new Set(['ExpressionStatement', 'IfStatement']);
const CONSTANTS = new Set(['Literal', 'TemplateLiteral', 'ObjectExpression']);

/** A script that calls its functions before its last constant meets a ReferenceError where one of them reads it. */
const scriptsRunLast: Rule = {
  create: (context) => ({
    Program: ({ body }) => {
      const functions = new Set(body.map(({ id }) => id?.name));
      const runs = body.findIndex(
        (one) => STATEMENTS.has(one.type ?? '') && functions.has(calledBy(one)),
      );
      if (runs === -1) return;
      for (const node of body.slice(runs).filter(isInitializedAtLoad)) {
        const message = 'a script runs after its constants and classes: move this above the call';
        context.report({ node, message });
      }
    },
  }),
};

function isInitializedAtLoad({ type, declaration, declarations = [] }: Node): boolean {
  if (declaration) return isInitializedAtLoad(declaration);
  if (type === 'ClassDeclaration') return true;
  // `{ ... } as const`
  return declarations.some(({ init }) => CONSTANTS.has(init?.expression?.type ?? init?.type ?? ''));
}

/** `run()`, `await run()`, `void run()`, `if (flags) await run(flags)`, `run().catch(...)`. */
function calledBy(node: Node): string | undefined {
  const [first] = node.type === 'BlockStatement' ? (node.body ?? []) : [];
  const inner =
    first ?? node.expression ?? node.consequent ?? node.argument ?? node.callee ?? node.object;
  return inner === undefined ? node.name : calledBy(inner);
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
    'scripts-run-last': scriptsRunLast,
  },
};
