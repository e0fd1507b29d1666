import { isDeepStrictEqual } from 'node:util';
import { rewriteTagKey } from '../../../apis/my-ingress.ts';
import type { KnownTransform, Tags, Transform } from '../../../aws/elbv2/traffic.ts';
import type { RouteRewrite } from '../routes/routes.ts';

/** In normal form: the host's first. */
export function desireTransforms({ host, url }: RouteRewrite): readonly KnownTransform[] {
  return [
    ...(host === undefined ? [] : [{ kind: 'host' as const, ...host }]),
    ...(url === undefined ? [] : [{ kind: 'url' as const, ...url }]),
  ];
}

/** The difference, in words; undefined: nothing. */
export function diffTransforms(
  desired: readonly KnownTransform[],
  observed: readonly Transform[],
): string | undefined {
  const sorted = observed.toSorted((a, b) => (a.kind < b.kind ? -1 : 1));
  if (isDeepStrictEqual(desired, sorted)) return undefined;
  return `rewrite: observed ${describeTransforms(sorted)}, desired ${describeTransforms(desired)}`;
}

function describeTransforms(transforms: readonly Transform[]): string {
  const texts = transforms.map((one) => {
    return one.kind === 'unknown' ? one.type : `${one.kind} ${one.regex} to ${one.replace}`;
  });
  return texts.join('; ') || 'none';
}

/** The tag by which a rule says that albridge has written transforms of these kinds; none for none. */
export function markTransforms(kinds: Iterable<string>): Tags {
  const names = [...new Set(kinds)].toSorted();
  return names.length === 0 ? {} : { [rewriteTagKey]: names.join('+') };
}

/** The inverse of `markTransforms`. */
export function readMarks(tags: Tags): readonly string[] {
  return (tags[rewriteTagKey] ?? '').split('+').filter((kind) => kind !== '');
}
