import type { ObservedGraph, ObservedListener } from '../graph/graph.ts';
import { getListenerId } from '../graph/resource-id.ts';
import { identifyResource } from '../graph/tags.ts';
import type { Identity } from '../identity.ts';
import type { Routes } from '../routes/routes.ts';
import { listListenerDefaults } from './attribute-defaults.ts';

/**
 * Settings that a listener has only where the spec says so, such as `443 mutualTLS`. What others have set stays; what
 * albridge has set goes when it leaves the spec, and is on record until then.
 */
type Setting = string;

export const MUTUAL_TLS = 'mutualTLS';

/** Those of a spec. */
export function listSettings({ listeners }: Routes): readonly Setting[] {
  return listeners.flatMap(({ port, mutualTls, attributes }) => {
    const keys = [...(mutualTls === undefined ? [] : [MUTUAL_TLS]), ...Object.keys(attributes)];
    return keys.map((key) => `${port} ${key}`);
  });
}

/** Those of one port, without the port. */
export function pickSettings(settings: readonly Setting[], port: number): readonly string[] {
  const head = `${port} `;
  return settings.filter((one) => one.startsWith(head)).map((one) => one.slice(head.length));
}

/**
 * Whether a listener of ours may still have what left the spec; false where it is gone. One that is about to be
 * deleted counts: it may come back into the spec before.
 */
export function isStandingSetting(
  setting: Setting,
  { listeners }: Pick<ObservedGraph, 'listeners'>,
  identity: Identity,
): boolean {
  const [port, key = ''] = setting.split(' ');
  const id = getListenerId(Number(port));
  return listeners.some((one) => {
    return identifyResource(one.tags, identity) === id && hasSetting(one, key);
  });
}

/** An attribute without a default that albridge knows stays as it is, and is on record no more. */
function hasSetting({ listener, attributes }: ObservedListener, key: string): boolean {
  if (key === MUTUAL_TLS) return listener.mutualTls !== undefined;
  const usual = listListenerDefaults(listener.protocol)[key];
  return usual !== undefined && (attributes === undefined || attributes[key] !== usual);
}
