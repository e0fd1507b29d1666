import { OUR_KINDS, type OurKind } from '../src/cli/objects/kinds.ts';

/** The reasons of each kind, as docs/reasons.md lists them: by name, in its order. */
export const reasonsByKind: Readonly<Record<string, Pick<OurKind, 'reasons' | 'further'>>> =
  Object.fromEntries(
    OUR_KINDS.map((one) => [one.kind, one] as const).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
