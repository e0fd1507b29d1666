import { expect, it } from 'vitest';
import { ImmortalBench } from './bench.ts';

it('an object whose pod a webhook refuses as AlreadyExists is not Ready', async () => {
  const bench = new ImmortalBench();
  const { server } = bench.kube;
  const create = server.create.bind(server);
  server.create = (draft, applied) => (draft.kind === 'Pod' ? undefined : create(draft, applied));
  await bench.start();
  await bench.apply();
  await bench.clock.advance(3_600_000);
  bench.stop();
  expect(bench.status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('False');
});
