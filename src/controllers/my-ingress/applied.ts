import type { AppliedSettings } from '../../apis/my-ingress.ts';
import { attributeDefault } from './attribute-defaults.ts';
import { type DesiredLoadBalancer, settledAs } from './desired.ts';
import type { Drift, SeenLoadBalancer } from './drift.ts';

type Strings = Readonly<Record<string, string>>;

/** What stands in status.applied once the spec is applied; pure. */
export function appliedAfter(
  desired: DesiredLoadBalancer,
  applied: AppliedSettings,
  foundAttributes: Strings | undefined,
): AppliedSettings {
  const tags = Object.keys(desired.userTags).sort();
  const attributes =
    foundAttributes === undefined
      ? (applied.attributes ?? {})
      : originals(Object.keys(desired.attributes), applied.attributes ?? {}, foundAttributes);
  return withoutEmpty({ tags, attributes });
}

/** What must stand there before the write: everything that may have to be undone after a crash. */
export function appliedBefore(after: AppliedSettings, applied: AppliedSettings): AppliedSettings {
  const tags = [...new Set([...(applied.tags ?? []), ...(after.tags ?? [])])].sort();
  return withoutEmpty({ tags, attributes: { ...after.attributes, ...applied.attributes } });
}

/**
 * What stands there when `step` has been carried out: what was taken back need not be taken back
 * again, should a later step fail.
 */
export function appliedOnceDone(
  desired: DesiredLoadBalancer,
  applied: AppliedSettings,
  step: Drift,
): AppliedSettings {
  const { tags = [], attributes = {} } = applied;
  if (step.field === 'tags') {
    return withoutEmpty({ attributes, tags: tags.filter((key) => !step.remove.includes(key)) });
  }
  if (step.field !== 'attributes') return applied;
  const isUndone = (key: string): boolean =>
    Object.hasOwn(step.set, key) && !Object.hasOwn(desired.attributes, key);
  const left = Object.entries(attributes).filter(([key]) => !isUndone(key));
  return withoutEmpty({ tags, attributes: Object.fromEntries(left) });
}

/** Attributes that left the spec and stay as they are, because no default of AWS is known for them. */
export function keptAttributes(
  desired: DesiredLoadBalancer,
  applied: AppliedSettings,
  { attributes, loadBalancer }: SeenLoadBalancer,
): readonly string[] {
  if (attributes === undefined) return [];
  return Object.keys(applied.attributes ?? {}).filter(
    (key) =>
      !Object.hasOwn(desired.attributes, key) &&
      attributeDefault(key, settledAs(desired, loadBalancer)) === undefined,
  );
}

/** `status.applied`: absent where nothing has to be undone. */
export function recordOf(applied: AppliedSettings): AppliedSettings | undefined {
  return Object.keys(applied).length === 0 ? undefined : applied;
}

/** The first value found stays: later ones are our own. */
function originals(keys: readonly string[], applied: Strings, found: Strings): Strings {
  const known = keys.flatMap((key) => {
    const from = Object.hasOwn(applied, key) ? applied : found;
    return Object.hasOwn(from, key) ? [[key, from[key] as string] as const] : [];
  });
  return Object.fromEntries(known);
}

function withoutEmpty(settings: Required<AppliedSettings>): AppliedSettings {
  const kept = Object.entries(settings).filter(([, value]) => Object.keys(value).length > 0);
  return Object.fromEntries(kept);
}
