import { spawn } from 'node:child_process';

/** Ends processes and removes directories that their owner left behind. */
export interface Watchdog {
  /** Puts a process in the watchdog's care. */
  readonly watch: (pid: number) => void;
  /** Takes it out again, once it has ended: its number may come back as somebody else's. */
  readonly forget: (pid: number) => void;
  /** The owner has cleaned up: the watchdog goes away and touches nothing. */
  readonly finish: () => void;
}

/**
 * Reads "watch PID", "forget PID" and "finish" from stdin. The end of stdin means that the owner
 * is gone, however it died: then everything watched is killed and the directories, given as
 * arguments, are removed (twice, as a dying process may still write).
 */
const script = `
trap '' INT TERM HUP
pids=
while read -r verb pid; do
  case $verb in
    watch) pids="$pids $pid" ;;
    forget)
      kept=
      for one in $pids; do [ "$one" = "$pid" ] || kept="$kept $one"; done
      pids=$kept ;;
    finish) exit 0 ;;
  esac
done
[ -z "$pids" ] || kill -KILL $pids 2>/dev/null
[ $# -eq 0 ] && exit 0
rm -rf -- "$@" 2>/dev/null
sleep 1
rm -rf -- "$@"
`;

/**
 * Starts a shell in a session of its own that outlives this process just long enough to clean up
 * after it. The kernel closes the pipe between the two on any death, SIGKILL included, so no
 * signal handlers are needed. It does not keep this process running.
 */
export function startWatchdog(directories: readonly string[]): Watchdog {
  const shell = spawn('/bin/sh', ['-c', script, 'watchdog', ...directories], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    cwd: '/',
  });
  shell.unref();
  const { stdin } = shell;
  // The pipe is a socket for Node, and a socket would keep the event loop alive.
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  stdin.on('error', () => undefined);
  const tell = (line: string): void => void stdin.write(`${line}\n`);
  return {
    watch: (pid) => tell(`watch ${pid}`),
    forget: (pid) => tell(`forget ${pid}`),
    finish: () => tell('finish'),
  };
}
