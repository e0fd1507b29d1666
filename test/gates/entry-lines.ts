import { dirname, join, normalize } from 'node:path/posix';

/**
 * The three lines with which one file of each folder opens, and what they promise: who may import the
 * folder's files. `everyone`, `nobody` and paths from the root are places; `PLACE takes FILE` is for that
 * file alone. What follows a full stop is a remark. Tests, docs and scripts may import everything.
 */
const ENTRY = /^\/\/ Lives here: .+\n\/\/ May import it: (.+)\n\/\/ Start with: (.+)\n/;
const PLACE = /^(everyone|nobody|(src|localstack)(\/[\w.-]+)*)$/;
const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*'(\.[^']+)'/g;

/** Path from the root -> source. */
export type Sources = Readonly<Record<string, string>>;

interface Clause {
  readonly places: readonly string[];
  readonly but: readonly string[];
  /** None: all files of the folder. */
  readonly files: readonly string[];
}

interface Folder {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly imports: readonly Import[];
}

interface Entry {
  readonly clauses: readonly Clause[];
  readonly startsWith: readonly string[];
}

interface Import {
  readonly from: string;
  readonly file: string;
}

export function findFaults(sources: Sources): readonly string[] {
  return listFolders(sources).flatMap((folder) => {
    const [entry, ...others] = folder.entries;
    if (entry === undefined || others.length > 0) {
      return [`${folder.name}: ${folder.entries.length} files open with the three lines`];
    }
    return [
      ...findUnreadable(folder, entry),
      ...findUninvited(folder, entry),
      ...findUnused(folder, entry),
      ...findMissing(folder, entry, sources),
    ];
  });
}

function listFolders(sources: Sources): readonly Folder[] {
  const imports = Object.entries(sources).flatMap(([from, source]) => listImports(from, source));
  const names = [...new Set(Object.keys(sources).map((path) => dirname(path)))].toSorted();
  return names.map((name) => ({
    name,
    entries: Object.entries(sources).flatMap(([path, source]) =>
      dirname(path) === name ? readEntry(source) : [],
    ),
    imports: imports.filter(({ from, file }) => dirname(file) === name && dirname(from) !== name),
  }));
}

function listImports(from: string, source: string): readonly Import[] {
  return [...source.matchAll(IMPORT)].map(([, to = '']) => ({
    from,
    file: normalize(join(dirname(from), to)),
  }));
}

function readEntry(source: string): readonly Entry[] {
  const [, may, start] = ENTRY.exec(source) ?? [];
  if (may === undefined || start === undefined) return [];
  const [permission = ''] = may.split(/\.(?: |$)/);
  return [
    {
      clauses: permission.split('; ').map(readClause),
      startsWith: start.match(/[\w/-]+\.ts\b/g) ?? [],
    },
  ];
}

function readClause(clause: string): Clause {
  const [who = '', files] = clause.split(/ takes? /);
  const [places = '', but] = who.split(' but ');
  return { places: listNames(places), but: listNames(but), files: listNames(files) };
}

function listNames(text: string | undefined): readonly string[] {
  return text?.split(/, | and /) ?? [];
}

function findUnreadable(folder: Folder, { clauses }: Entry): readonly string[] {
  return clauses
    .flatMap(({ places, but }) => [...places, ...but])
    .filter((place) => !PLACE.test(place))
    .map((place) => `${folder.name}: "${place}" is not a place from the root`);
}

function findUninvited(folder: Folder, { clauses }: Entry): readonly string[] {
  return folder.imports
    .filter((edge) => !clauses.some((clause) => allows(clause, folder, edge)))
    .map(({ from, file }) => `${folder.name}: ${from} imports ${file} and is not named`);
}

function allows({ places, but, files }: Clause, folder: Folder, { from, file }: Import): boolean {
  if (files.length > 0 && !files.some((name) => join(folder.name, name) === file)) return false;
  return places.some((place) => isIn(from, place)) && !but.some((place) => isIn(from, place));
}

function isIn(path: string, place: string): boolean {
  return place === 'everyone' || path === place || path.startsWith(`${place}/`);
}

function findUnused(folder: Folder, { clauses }: Entry): readonly string[] {
  return clauses.flatMap((clause) =>
    clause.places.flatMap((place) => {
      if (place === 'nobody') return [];
      const isUsed = folder.imports.some((edge) =>
        allows({ ...clause, places: [place] }, folder, edge),
      );
      return isUsed ? [] : [`${folder.name}: ${place} is named and imports nothing of it`];
    }),
  );
}

function findMissing(folder: Folder, { startsWith }: Entry, sources: Sources): readonly string[] {
  return startsWith
    .filter((name) => !(join(folder.name, name) in sources) && !(name in sources))
    .map((name) => `${folder.name}: starts with ${name}, which is not there`);
}
