import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Files of src/ of which a named function runs while `act` does: importing them does not count. */
export async function trace(act: () => Promise<unknown>): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await act();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  return result
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges: [whole] }) => functionName && whole?.count),
    )
    .map(({ url }) => relative(ROOT, url.startsWith('file:') ? fileURLToPath(url) : url))
    .filter((path) => path.startsWith('src/'));
}
