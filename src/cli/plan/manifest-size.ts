import { CommandError } from '../errors.ts';

/** How much text a file may have, and how much of it one manifest may become. */

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
export function refuseExpansion(manifest: unknown, source: string): void {
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
