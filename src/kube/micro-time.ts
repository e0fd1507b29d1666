/**
 * RFC 3339 with exactly six digits of a second: the API server refuses fewer and more in the
 * MicroTime fields of Events and Leases.
 */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
