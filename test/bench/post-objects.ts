import type { BenchPlace, Ground } from './bench-place.ts';

export interface Posting {
  readonly count: number;
  /** Of the objects' names. */
  readonly head?: string;
}

/** As fast as one client can that waits for each answer, over one connection. Returns ms. */
export async function postObjects(
  place: BenchPlace,
  { objects }: Ground,
  { count, head = 'many' }: Posting,
): Promise<number> {
  const { aws } = await place.real();
  const subnets = aws.standIn.network.articleSubnets;
  const startedMs = performance.now();
  for (let index = 0; index < count; index++) await objects.create(`${head}-${index}`, { subnets });
  return performance.now() - startedMs;
}
