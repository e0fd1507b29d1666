#!/usr/bin/env node
import { ensureHomeDirectory } from '../config/config.ts';
import { systemClock } from '../system-clock.ts';
import { exitCodes, interruptions } from './errors.ts';
import { runCommandLine } from './run.ts';

/** The process around a command: its streams and signals. */

const interrupted = new AbortController();
let interruptedCode: number = exitCodes.interrupted;

/** That an https proxy is named by its IP address: https://nodejs.org/api/deprecations.html#dep0123-setting-the-tls-servername-to-an-ip-address */
const SERVER_NAME_IS_IP = 'DEP0123';

// Of proxies: nothing that their user can act on. Others, such as that TLS is off, are printed as ever.
const printers = process.listeners('warning');
process.removeAllListeners('warning');
process.on('warning', (warning: NodeJS.ErrnoException) => {
  if (warning.name === 'ExperimentalWarning' || warning.code === SERVER_NAME_IS_IP) return;
  for (const print of printers) print(warning);
});

// The AWS SDK says it in ten lines about itself; the AWS command line takes the keys.
const { warn } = console;
console.warn = (...said: readonly unknown[]) => {
  if (!String(said[0]).includes('Multiple credential sources detected')) return warn(...said);
  process.stderr.write(
    'warning: AWS_PROFILE is used, not AWS_ACCESS_KEY_ID beside it: unset one of them\n',
  );
};

for (const [name, code] of Object.entries(interruptions)) {
  process.on(name, () => {
    // A second time: whatever is still running.
    if (interrupted.signal.aborted) process.exit(code);
    interruptedCode = code;
    interrupted.abort(new Error('interrupted'));
  });
}
// Of stderr too: what is deleted in AWS is reported there, and nothing more is deleted without it.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(exitCodes.brokenPipe);
    process.stderr.write(
      `albridge: the output cannot be written (${error.code}): check where it goes\n`,
    );
    process.exit(exitCodes.failed);
  });
}

const exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  homeDirectory: ensureHomeDirectory(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  clock: systemClock,
  signal: interrupted.signal,
});
// It ends also while something is left running, such as a credential plugin that hangs, but not before a reader has all.
if (exitCode === exitCodes.interrupted) process.exit(interruptedCode);
await new Promise((written) => process.stdout.write('', written));
process.exit(exitCode);
