import { myIngressKind } from '../../apis/my-ingress.ts';
import { toFields } from '../../core/objects/fields.ts';
import { formatApiVersion, type KubeObject } from '../../core/objects/kube-object.ts';
import { readMessage } from '../../core/reconcile/operator-error.ts';
import { parseYamlDocuments } from '../../kube/client/yaml.ts';
import { CommandError } from '../errors.ts';
import { isNamespaceName } from '../objects/names.ts';

/** A manifest as written: not validated, without defaults. */
export interface Manifest extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly namespace: string };
  readonly spec?: unknown;
}

export interface Manifests {
  readonly myIngresses: readonly Manifest[];
  /** Kinds of the documents that are no MyIngress, each once. */
  readonly otherKinds: readonly string[];
}

export interface ManifestPlace {
  /** Of the text, for messages. */
  readonly source: string;
  /** Of manifests that name none. */
  readonly namespace: string;
  /** `--namespace`: no manifest may name another one. */
  readonly only?: string | undefined;
}

/** Reads YAML or JSON, several documents and lists included. Throws CommandError. Pure. */
export function readManifests(text: string, place: ManifestPlace): Manifests {
  const parts = parse(text, place).flatMap(unfoldList);
  const mine = parts.map(({ object }) => object).filter(isMyIngress);
  const others = parts.filter(({ object }) => !isMyIngress(object)).map(readKind);
  if (mine.length === 0) {
    const what = others.length === 0 ? 'no manifest' : `only ${[...new Set(others)].join(', ')}`;
    throw new CommandError(
      `${place.source} has ${what}: give a file with a ${myIngressKind.kind} of ${formatApiVersion(myIngressKind)}`,
    );
  }
  for (const object of mine) refuseExpansion(object, place.source);
  const myIngresses = mine.map((object) => check(object, place));
  refuseTwice(myIngresses, place);
  return { myIngresses, otherKinds: [...new Set(others)] };
}

/** kubectl would apply one after the other, and the plan of the second one is not known before. */
function refuseTwice(manifests: readonly Manifest[], { source }: ManifestPlace): void {
  const keys = manifests.map(({ metadata: { name, namespace } }) => `${namespace}/${name}`);
  const twice = keys.find((key, index) => keys.indexOf(key) !== index);
  if (twice === undefined) return;
  throw new CommandError(`${source} has MyIngress ${twice} twice: leave one of them out`);
}

function parse(text: string, { source }: ManifestPlace): readonly unknown[] {
  try {
    return parseYamlDocuments(text).filter((document) => document !== null);
  } catch (error) {
    const why = readMessage(error);
    const line = text.split('\n').findIndex((one) => one.includes('{{')) + 1;
    const template = line === 0 ? '' : `, or render it first (helm template): line ${line} has {{`;
    throw new CommandError(`${source} is not valid YAML: ${why}; correct it${template}`, error);
  }
}

interface Part {
  readonly object: unknown;
  /** For messages: such objects in the plural. */
  readonly what: string;
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#collections */
function unfoldList(object: unknown): readonly Part[] {
  const { kind, items } = toFields(object);
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)
    ? items.map((item: unknown) => ({ object: item, what: `items of ${kind}` }))
    : [{ object, what: 'documents' }];
}

function isMyIngress(object: unknown): boolean {
  const { apiVersion, kind } = toFields(object);
  return apiVersion === formatApiVersion(myIngressKind) && kind === myIngressKind.kind;
}

function readKind({ object, what }: Part): string {
  const { apiVersion, kind } = toFields(object);
  if (kind === myIngressKind.kind)
    return typeof apiVersion === 'string'
      ? `${kind} of ${apiVersion}`
      : `${kind} without an apiVersion`;
  return typeof kind === 'string' ? kind : `${what} without a kind`;
}

function check(object: unknown, { source, namespace, only }: ManifestPlace): Manifest {
  const fields = toFields(object);
  const metadata = toFields(fields['metadata']);
  const { name } = metadata;
  if (typeof name !== 'string' || name === '') {
    throw new CommandError(
      `${source} has a MyIngress whose metadata.name is missing or no text: give it the name of the object to compare with`,
    );
  }
  // Null and an empty text are none for the API server.
  const given = metadata['namespace'] ?? '';
  const own = given === '' ? (only ?? namespace) : given;
  if (typeof own !== 'string' || !isNamespaceName(own)) {
    throw new CommandError(
      `${source} has MyIngress ${name} with the namespace ${JSON.stringify(own)}, which cannot be one: correct it`,
    );
  }
  if (only !== undefined && own !== only) {
    throw new CommandError(
      `${source} has MyIngress ${name} in namespace ${own}, not ${only}: leave --namespace out, or correct it`,
    );
  }
  return { ...fields, metadata: { ...metadata, name, namespace: own } } as unknown as Manifest;
}

const MIB = 1024 * 1024;
const MOST_BYTES = 16 * MIB;

/** The whole text of a stream. Throws CommandError as soon as it is too long, as of a device that never ends. */
export async function readManifestText(
  stream: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array>,
  source: string,
): Promise<string> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of stream) {
    const buffer = Buffer.from(piece as Uint8Array);
    bytes += buffer.length;
    if (bytes > MOST_BYTES) {
      throw new CommandError(
        `${source} has more than ${MOST_BYTES / MIB} MiB: give a file of manifests, or split it into smaller files`,
      );
    }
    pieces.push(buffer);
  }
  return Buffer.concat(pieces).toString();
}

/** The API server takes no larger request: https://github.com/kubernetes/kubernetes/blob/v1.32.0/staging/src/k8s.io/apiserver/pkg/server/config.go (MaxRequestBodyBytes) */
const MOST_CHARACTERS = 3 * MIB;

/** Throws CommandError where the manifest, each alias of YAML replaced by what it stands for, is more than a request holds. */
function refuseExpansion(manifest: unknown, source: string): void {
  if (measure(manifest, new Map()) <= MOST_CHARACTERS) return;
  throw new CommandError(
    `${source} has a MyIngress of more than 3 MiB with its aliases written out: the API server takes none of that size, so write out what it needs`,
  );
}

/** About as many characters as its JSON has. Each object is measured once; one within itself has no end. */
function measure(value: unknown, measured: Map<object, number>): number {
  if (typeof value === 'string') return value.length + 3;
  if (typeof value !== 'object' || value === null) return 8;
  const known = measured.get(value);
  if (known !== undefined) return known;
  measured.set(value, Number.POSITIVE_INFINITY);
  const size = Object.entries(value)
    .map(([key, one]) => key.length + 4 + measure(one, measured))
    .reduce((sum, one) => sum + one, 2);
  measured.set(value, size);
  return size;
}
