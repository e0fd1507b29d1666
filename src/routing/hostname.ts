/** A Host header without its port. */
export function hostname(host: string): string {
  return host.replace(/:\d*$/, '');
}
