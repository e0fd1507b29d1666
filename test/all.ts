import { isCalledPlainly } from '../deploy/no-arguments.ts';
import { runTests } from './gates/run-tests.ts';
import { LATER } from './gates/test-arguments.ts';

/** `npm run test:all`: `npm test`, and if that succeeds the projects that it leaves out. */
if (isCalledPlainly('test:all', `npm test, then the projects ${LATER.join(' and ')}`)) {
  const later = LATER.map((name) => `--project=${name}`);
  process.exitCode = (await runTests([])) || (await runTests(later));
}
