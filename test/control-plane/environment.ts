/** Environment variables as Node gives them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The programs are written in Go, whose collector takes a quarter of the time that an API server needs to
 * start; this way it is at work a third as often: https://go.dev/doc/gc-guide#GOGC
 */
const GOGC = '300';

const harmlessVariables = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'] as const;

/**
 * The environment for etcd, the Kubernetes processes and kubectl: an allow-list, so that neither
 * the caller's KUBECONFIG nor credentials of any kind reach them. HOME moves too, because kubectl
 * reads ~/.kube.
 */
export function isolatedEnvironment(caller: Environment, home: string): Record<string, string> {
  const isolated: Record<string, string> = { HOME: home, GOGC };
  for (const name of harmlessVariables) {
    const value = caller[name];
    if (value !== undefined) isolated[name] = value;
  }
  return isolated;
}

/**
 * The environment for `go build`: the caller's own, because proxies, certificates and Go settings
 * live there, without credentials and without settings that would change what is built.
 */
export function buildEnvironment(caller: Environment): Record<string, string> {
  const changesTheBuild = new Set(['GOOS', 'GOARCH', 'GOFLAGS', 'GOWORK', 'GO111MODULE']);
  const kept = Object.entries(caller).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      entry[0] !== 'KUBECONFIG' &&
      !entry[0].startsWith('AWS_') &&
      !changesTheBuild.has(entry[0]),
  );
  return { ...Object.fromEntries(kept), CGO_ENABLED: '0', GOWORK: 'off' };
}
