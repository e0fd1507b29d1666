import type { DesiredGraph, ObservedGraph, ObservedListener } from '../graph/graph.ts';
import type { Routes } from '../routes/routes.ts';

/**
 * What a listener has only where the spec says so, such as `443 mutualTLS`. What others have set stays; what
 * albridge has set goes when it leaves the spec, and is on record until then.
 */
type Setting = string;

export const MUTUAL_TLS = 'mutualTLS';

/** Those of a spec. */
export function listSettings({ listeners }: Routes): readonly Setting[] {
  return listeners.flatMap(({ port, mutualTls }) =>
    mutualTls === undefined ? [] : [`${port} ${MUTUAL_TLS}`],
  );
}

/** Those of one port, without the port. */
export function settingsOfPort(settings: readonly Setting[], port: number): readonly string[] {
  const head = `${port} `;
  return settings.filter((one) => one.startsWith(head)).map((one) => one.slice(head.length));
}

/** Whether the listener may still have what left the spec; false where it is gone. */
export function isStandingSetting(
  setting: Setting,
  { listeners }: Pick<DesiredGraph, 'listeners'>,
  observed: ObservedGraph,
): boolean {
  const [port, key = ''] = setting.split(' ');
  const desired = listeners.find((one) => String(one.port) === port);
  const found = observed.listeners.find(({ listener }) => String(listener.port) === port);
  return desired !== undefined && found !== undefined && hasSetting(found, key);
}

function hasSetting({ listener }: ObservedListener, key: string): boolean {
  return key === MUTUAL_TLS && listener.mutualTls !== undefined;
}
