import type { BenchPlace } from './bench-place.ts';
import { type Figure, repeat, type Sample } from './figure.ts';
import { postObjects } from './post-objects.ts';

const COUNT = 300;
const WARM_UP = 20;

export const burst: Figure = {
  what: `${COUNT} objects created at once, no budget`,
  quantities: {
    postAloneMs: { what: 'to post them, nobody watching', unit: 'ms' },
    postMs: { what: 'to post them, one after the other over one connection', unit: 'ms' },
    readyMs: { what: 'from the first post to all Ready', unit: 'ms' },
    ratio: { what: 'all Ready / posted', unit: 'x', bound: 1.2 },
  },
  measure: (place, options) => repeat(options, () => measureOnce(place)),
};

async function measureOnce(place: BenchPlace): Promise<Sample> {
  const alone = await place.freshGround();
  const postAloneMs = await postObjects(place, alone, { count: COUNT });
  const ground = await place.freshGround();
  const operator = await place.startOperator(ground);
  await postObjects(place, ground, { count: WARM_UP, head: 'warm' });
  await ground.ready.whenReady(WARM_UP);
  const startedMs = performance.now();
  const postMs = await postObjects(place, ground, { count: COUNT });
  const readyMs = (await ground.ready.whenReady(WARM_UP + COUNT)) - startedMs;
  await operator.stop();
  return { postAloneMs, postMs, readyMs, ratio: readyMs / postMs };
}
