import { gunzipSync } from 'node:zlib';

const blockBytes = 512;

/**
 * Reads one regular file, found by its last path component, from a .tar.gz held in memory.
 * Enough of the ustar format for release archives: fixed headers of 512 bytes, sizes in octal,
 * extension headers skipped (https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html).
 */
export function readTarMember(archive: Uint8Array, baseName: string): Buffer | undefined {
  const tar = gunzipSync(archive);
  let offset = 0;
  while (offset + blockBytes <= tar.length) {
    const name = readText(tar, offset, 100);
    if (name === '') return undefined;
    const sizeBytes = Number.parseInt(readText(tar, offset + 124, 12), 8) || 0;
    const start = offset + blockBytes;
    if (isRegularFile(tar, offset) && name.split('/').at(-1) === baseName) {
      return tar.subarray(start, start + sizeBytes);
    }
    offset = start + Math.ceil(sizeBytes / blockBytes) * blockBytes;
  }
  return undefined;
}

function isRegularFile(tar: Buffer, headerOffset: number): boolean {
  const typeFlag = tar[headerOffset + 156];
  return typeFlag === 0x30 || typeFlag === 0;
}

function readText(tar: Buffer, start: number, length: number): string {
  const field = tar.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? length : end).trim();
}
