import { afterEach, describe, expect, it, vi } from 'vitest';
import { explainFailure, kubectlWithin } from '../../../deploy/kubectl.ts';

const KLOG =
  'E1124 03:08:05.019488   12062 memcache.go:265] "Unhandled Error" err="couldn\'t get current server API group list"\n';

describe('a failure of kubectl is one sentence with the next step', () => {
  const cases: Readonly<Record<string, readonly [stderr: string, says: string]>> = {
    'an API server that is away': [
      `${KLOG}The connection to the server localhost:8080 was refused - did you specify the right host or port?\n`,
      'The connection to the server localhost:8080 was refused - did you specify the right host or port?; check the context (kubectl config current-context), the login and the network',
    ],
    'a login that has ended': [
      `${KLOG}error: You must be logged in to the server (the server has asked for the client to provide credentials)\n`,
      'error: You must be logged in to the server (the server has asked for the client to provide credentials); check the context (kubectl config current-context), the login and the network',
    ],
    'a missing right': [
      'Error from server (Forbidden): myapps.demo.rtfm.co.ua is forbidden: User "me" cannot list\n',
      'Error from server (Forbidden): myapps.demo.rtfm.co.ua is forbidden: User "me" cannot list; run it as a cluster administrator',
    ],
    'no words but those of klog': [
      'E1127 02:20:01.000000   1 run.go:72] "command failed" err="must build at directory"\n',
      'must build at directory; name the directory that you applied',
    ],
    'a directory without kustomization': [
      `E1127 02:20:01.000000   1 run.go:72] "command failed" err="unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '/tmp'"\n`,
      "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '/tmp'; name the directory that you applied",
    ],
    'a server that answers with a page': [
      `${KLOG}error: invalid character '<' looking for beginning of value\n`,
      "error: invalid character '<' looking for beginning of value; check the context (kubectl config current-context), the login and the network",
    ],
    'a server that knows no path of the API': [
      `${KLOG}Error from server (NotFound): the server could not find the requested resource\n`,
      'Error from server (NotFound): the server could not find the requested resource; check the context (kubectl config current-context), the login and the network',
    ],
    'a server that hangs up': [
      'Get "http://127.0.0.1:1/api?timeout=32s": EOF\n',
      'Get "http://127.0.0.1:1/api?timeout=32s": EOF; check the context (kubectl config current-context), the login and the network',
    ],
    'no words at all': ['\n', 'it failed and said nothing; set KUBECTL to the path of kubectl'],
    'klog alone, which says the same for each attempt': [
      'E1127 02:20:01.000000   1 memcache.go:265] "Unhandled Error" err="Get \\"https://a\\": dial tcp: connect: connection refused"\n'.repeat(
        3,
      ),
      'Get "https://a": dial tcp: connect: connection refused; check the context (kubectl config current-context), the login and the network',
    ],
    'anything else': ['error: a\nerror: b\n', 'error: a; error: b'],
  };

  it.each(Object.entries(cases))('%s', (_, [stderr, says]) => {
    expect(explainFailure(stderr)).toBe(says);
  });
});

describe('kubectl that is not there', () => {
  afterEach(() => vi.unstubAllEnvs());

  it('is asked for, also where KUBECTL is empty', async () => {
    vi.stubEnv('KUBECTL', '');
    vi.stubEnv('PATH', '/nonexistent');
    await expect(kubectlWithin(60_000)(['version'])).rejects.toThrow(
      'kubectl version: spawn kubectl ENOENT; install kubectl, or set KUBECTL to its path',
    );
  });
});
