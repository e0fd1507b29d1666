const MANY_BALANCERS = 1000;

/**
 * Items in a page of a list of the whole account. AWS takes 400, which the SDK parses as one block of 40 to
 * 70 ms of CPU with the image's node flags; 200 take 23 to 44. With many balancers, garbage collections of
 * up to 35 ms fall into that block, so the pages are smaller, for a twentieth more calls.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeLoadBalancers.html
 */
export function choosePageSize(balancers: number): 100 | 200 {
  return balancers > MANY_BALANCERS ? 100 : 200;
}

/** The items of one page, and where the next begins. */
interface Page<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

/** Reads every page. */
export async function readPages<T>(
  read: (marker: string | undefined) => Promise<Page<T>>,
): Promise<readonly T[]> {
  const all: T[] = [];
  let marker: string | undefined;
  do {
    const { items, next } = await read(marker);
    all.push(...items);
    marker = next;
  } while (marker);
  return all;
}
