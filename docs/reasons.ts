import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { coreReasons, startReasons } from '../src/apis/core-reasons.ts';
import { OUR_KINDS, type OurKind } from '../src/cli/objects/kinds.ts';
import { kubeReasons } from '../src/kube/client/kube-reasons.ts';

/** The reasons that the code can give, as docs/reasons.md lists them, and whether it lists them all. */

const root = resolve(import.meta.dirname, '..');

/** By name, in its order. */
export const reasonsByKind: Readonly<Record<string, Pick<OurKind, 'reasons' | 'further'>>> =
  Object.fromEntries(
    OUR_KINDS.map((one) => [one.kind, one] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

/** `src/x.ts: Reason is not listed`, `Reason is listed and never given`; empty where all is well. */
export function reasonFaults(files = sourceFiles()): readonly string[] {
  const unlisted = [...files].flatMap(([path, text]) => {
    const listed = listedFor(path);
    return reasonsGivenIn(path, text)
      .filter((reason) => !listed.has(reason))
      .map((reason) => `${path}: ${reason} is not listed in docs/reasons.md`);
  });
  const named = new Set([...files.values()].flatMap((text) => text.match(NAMED) ?? []));
  const unused = [...allListed()]
    .filter((reason) => !named.has(reason))
    .map((reason) => `${reason} is listed in docs/reasons.md and never given`);
  return [...new Set([...unlisted, ...unused])];
}

/** Path, and text without comments, of what may give a reason: the command line only reads them. */
export function sourceFiles(): ReadonlyMap<string, string> {
  const paths = globSync('src/**/*.ts', { cwd: root }).filter((path) => {
    return !/^src\/cli\/|-(reasons|schema)\.ts$/.test(path);
  });
  return new Map(
    paths.map((path) => {
      const text = readFileSync(resolve(root, path), 'utf8');
      return [path, text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')] as const;
    }),
  );
}

/** In quotes, as a member, or as the key of a list of codes. */
const NAMED = /(?<=')[A-Z]\w+(?=')|(?<=CoreReason[.])\w+|(?<=^  )[A-Z]\w+(?=: \[)/gm;

const GIVEN = [
  /\breason(?:: | = )'([A-Z]\w+)'/g,
  /'([A-Z]\w+)' satisfies \w*Reason\b/g,
  /\b(?:waiting|settled|failure|stalled)\(\s*'([A-Z]\w+)'/g,
  /\breason: [^'\n]*\? '([A-Z]\w+)' :/g,
  /\breason: [^'\n]*\? '\w+' : '([A-Z]\w+)'/g,
  /\bcreateFailure\(\s*\w+,\s*'([A-Z]\w+)'/g,
  /\bCoreReason\.(\w+)/g,
  // The table of events of a child.
  /\b(?:created|updated|deleted): '([A-Z]\w+)'/g,
];

function reasonsGivenIn(path: string, text: string): readonly string[] {
  // A KubeError has the API server's own word, which becomes a KubeReason before anybody sees it.
  const given = path.startsWith('src/kube/') ? GIVEN.slice(1, 2) : GIVEN;
  return given.flatMap((pattern) => [...text.matchAll(pattern)].map(([, reason = '']) => reason));
}

function listedFor(path: string): ReadonlySet<string> {
  const island = /^src\/controllers\/([\w-]+)\//.exec(path)?.[1];
  const kind = Object.keys(reasonsByKind).find((name) => kebab(name) === island);
  if (kind === undefined) return allListed();
  return new Set([...namesOf(kind), ...Object.keys(coreReasons)]);
}

function allListed(): ReadonlySet<string> {
  const kinds = Object.keys(reasonsByKind).flatMap((kind) => [...namesOf(kind)]);
  return new Set([...kinds, ...Object.keys({ ...kubeReasons, ...startReasons, ...coreReasons })]);
}

function namesOf(kind: string): ReadonlySet<string> {
  const { reasons = {}, further = {} } = reasonsByKind[kind] ?? {};
  return new Set([...Object.keys(reasons), ...Object.keys(further)]);
}

function kebab(name: string): string {
  return basename(name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`)).toLowerCase();
}
