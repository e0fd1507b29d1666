import { join } from 'node:path';
import { writeExecutable } from './release-server.ts';

export interface FakeGo {
  readonly version: string;
  /** What `go env GOTOOLCHAIN` says. */
  readonly toolchain?: string;
  /** Shell lines that run before the output is written. */
  readonly build?: string;
}

/**
 * Writes a `go` into `directory` that "builds" by writing `built <package> for <os>/<arch>` into
 * the file after -o. It uses no command from PATH, so it runs under any.
 */
export async function writeFakeGo(directory: string, go: FakeGo): Promise<string> {
  return await writeExecutable(
    join(directory, 'go'),
    `#!/bin/sh
case $1 in
  version) echo "go version go${go.version} linux/amd64" ;;
  env) echo "${go.toolchain ?? 'auto'}" ;;
  build)
    echo "go: downloading k8s.io/api v0.36.4" >&2
    ${go.build ?? ':'}
    while [ "$1" != -o ]; do shift; done
    printf 'built %s for %s/%s' "$3" "$GOOS" "$GOARCH" >"$2"
    /bin/chmod 755 "$2" ;;
esac
`,
  );
}
