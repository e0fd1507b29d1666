/** A Host header without its port. */
export function readHostname(host: string): string {
  return host.replace(/:\d*$/, '');
}
