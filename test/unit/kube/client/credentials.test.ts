import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadCluster } from '../../../../src/kube/client/credentials.ts';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const CA = await makeCertificate(['ca'], { algorithm: 'ECDSA' });
const USER = await makeCertificate(['user'], { algorithm: 'ECDSA' });

let directory: string;
let clock: ManualClock;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'albridge-credentials-'));
  clock = new ManualClock();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function kubeconfig(name: string, user: object, cluster: object = {}): string {
  return write(
    name,
    stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': name,
      clusters: [{ name, cluster: { server: `https://${name}.example:6443`, ...cluster } }],
      users: [{ name, user }],
      contexts: [{ name, context: { cluster: name, user: name, namespace: 'web' } }],
    }),
  );
}

function inPod(): { readonly serviceHost: string; readonly serviceAccountDir: string } {
  write('token', 'first\n');
  write('namespace', 'albridge-system\n');
  write('ca.crt', CA.certificate);
  return { serviceHost: 'fd00::1', serviceAccountDir: directory };
}

describe('the way to the cluster', () => {
  it('is the service account in a pod, whatever KUBECONFIG says', async () => {
    const settings = { ...inPod(), kubeconfig: kubeconfig('other', { token: 'x' }) };
    const cluster = loadCluster({ ...settings, servicePort: '6443' }, clock);

    expect(cluster).toMatchObject({
      server: 'https://[fd00::1]:6443',
      isInCluster: true,
      context: 'in-cluster',
      namespace: 'albridge-system',
      description: `service account in ${directory}`,
    });
    await expect(cluster.credentials()).resolves.toEqual({
      headers: { authorization: 'Bearer first' },
      tls: { ca: CA.certificate },
    });
  });

  it('is KUBECONFIG outside a pod', async () => {
    const path = kubeconfig('kind', { token: 'abc' });
    const cluster = loadCluster({ kubeconfig: path, defaultKubeconfig: '/nowhere' }, clock);

    expect(cluster).toMatchObject({
      server: 'https://kind.example:6443',
      isInCluster: false,
      context: 'kind',
      namespace: 'web',
      description: `kubeconfig ${path}`,
    });
    await expect(cluster.credentials()).resolves.toEqual({
      headers: { authorization: 'Bearer abc' },
      tls: {},
    });
  });

  it('is the default kubeconfig without KUBECONFIG', () => {
    const defaultKubeconfig = kubeconfig('home', {});

    expect(loadCluster({ defaultKubeconfig }, clock).context).toBe('home');
  });

  it('takes the first of several files that names a context, and skips missing ones', () => {
    const paths = [join(directory, 'missing'), kubeconfig('a', {}), kubeconfig('b', {})];

    expect(loadCluster({ kubeconfig: paths.join(delimiter) }, clock).context).toBe('a');
  });

  it('carries what the kubeconfig says of certificates, names and verification', async () => {
    const path = kubeconfig(
      'certs',
      {
        'client-certificate-data': Buffer.from(USER.certificate).toString('base64'),
        'client-key': 'key.pem',
        as: 'jane',
      },
      {
        'certificate-authority': 'ca.pem',
        'insecure-skip-tls-verify': true,
        'tls-server-name': 'kube',
        'proxy-url': 'http://proxy:3128',
      },
    );
    write('key.pem', USER.privateKey);
    write('ca.pem', CA.certificate);
    const cluster = loadCluster({ kubeconfig: path }, clock);

    expect(cluster.proxyUrl).toBe('http://proxy:3128');
    await expect(cluster.credentials()).resolves.toEqual({
      headers: { 'impersonate-user': 'jane' },
      tls: {
        ...{ ca: CA.certificate, cert: USER.certificate, key: USER.privateKey },
        ...{ rejectUnauthorized: false, servername: 'kube' },
      },
    });
  });

  it('may be plain http (kubectl proxy)', async () => {
    const path = kubeconfig(
      'proxy',
      { username: 'u', password: 'p' },
      { server: 'http://[::1]:8001' },
    );

    await expect(loadCluster({ kubeconfig: path }, clock).credentials()).resolves.toMatchObject({
      headers: { authorization: `Basic ${Buffer.from('u:p').toString('base64')}` },
    });
  });
});

describe('a way that leads nowhere', () => {
  const cases: Readonly<
    Record<string, { readonly settings: () => object; readonly says: RegExp }>
  > = {
    'nothing is set': {
      settings: () => ({ defaultKubeconfig: '/home/x/.kube/config' }),
      says: /set KUBECONFIG to a kubeconfig, or create \/home\/x\/\.kube\/config/,
    },
    'a pod without token': {
      settings: () => ({ serviceHost: '10.0.0.1', serviceAccountDir: '/nowhere' }),
      says: /\/nowhere holds no token: set automountServiceAccountToken: true/,
    },
    'a missing file': {
      settings: () => ({ kubeconfig: '/nowhere/a' }),
      says: /no kubeconfig at \/nowhere\/a: correct this path, or write the file/,
    },
    'a server that is no URL': {
      settings: () => ({ kubeconfig: kubeconfig('bad', {}, { server: 'not a url' }) }),
      says: /^kubeconfig .*bad: the server "not a url" of context "bad" is not a http or https URL: correct it$/,
    },
    'a server of another protocol': {
      settings: () => ({ kubeconfig: kubeconfig('bad', {}, { server: 'ftp://kube.example' }) }),
      says: /the server "ftp:\/\/kube\.example" of context "bad" is not a http or https URL: correct it$/,
    },
    'a proxy that is no URL': {
      settings: () => ({ kubeconfig: kubeconfig('bad', {}, { 'proxy-url': 'http://a b:1' }) }),
      says: /the proxy-url "http:\/\/a b:1" of context "bad" is not a http, https or socks5 URL: correct it$/,
    },
    'a proxy without a protocol': {
      settings: () => ({ kubeconfig: kubeconfig('bad', {}, { 'proxy-url': 'proxy:3128' }) }),
      says: /the proxy-url "proxy:3128" of context "bad" is not a http, https or socks5 URL: correct it$/,
    },
    'a proxy with a password, which is not repeated': {
      settings: () => ({
        kubeconfig: kubeconfig('bad', {}, { 'proxy-url': 'ftp://me:secret@p:1' }),
      }),
      says: /the proxy-url "ftp:\/\/\*\*\*@p:1" of context "bad" is not/,
    },
  };

  it.each(Object.entries(cases))('says what to do: %s', (_, { settings, says }) => {
    const load = (): unknown => loadCluster(settings(), clock);

    expect(load).toThrow(says);
    expect(load).toThrow(expect.objectContaining({ reason: 'ClusterNotConfigured' }));
  });
});

describe('a token that is replaced', () => {
  it('is read again after a minute', async () => {
    const cluster = loadCluster(inPod(), clock);
    const first = await cluster.credentials();
    write('token', 'second\n');

    await clock.advance(59_999);
    expect(await cluster.credentials()).toBe(first);
    await clock.advance(1);

    expect((await cluster.credentials()).headers).toEqual({ authorization: 'Bearer second' });
  });

  it('is read again at once when the old one was refused', async () => {
    const cluster = loadCluster(inPod(), clock);
    const first = await cluster.credentials();
    write('token', 'second\n');

    cluster.forget(first);

    expect((await cluster.credentials()).headers).toEqual({ authorization: 'Bearer second' });
  });

  it('stays when a refusal of an older one comes late', async () => {
    const cluster = loadCluster(inPod(), clock);
    const first = await cluster.credentials();
    cluster.forget(first);
    const second = await cluster.credentials();

    cluster.forget(first);

    expect(await cluster.credentials()).toBe(second);
  });

  it('is an error that time heals while its file is missing', async () => {
    const cluster = loadCluster(inPod(), clock);
    rmSync(join(directory, 'token'));

    await expect(cluster.credentials()).rejects.toMatchObject({
      reason: 'CredentialsUnavailable',
      healedBy: 'time',
    });
    write('token', 'back');
    await expect(cluster.credentials()).resolves.toBeDefined();
  });
});

describe('a kubeconfig that changes while the operator runs', () => {
  const started = {
    current: 'a',
    aServer: 'https://a.example',
    aToken: 'first',
    users: ['a', 'b'],
  };

  function kubeconfigOf({ current, aServer, aToken, users }: typeof started): string {
    return write(
      'config',
      stringify({
        'current-context': current,
        clusters: [
          { name: 'a', cluster: { server: aServer } },
          { name: 'b', cluster: { server: 'https://b.example' } },
        ],
        users: users.map((name) => ({ name, user: { token: name === 'a' ? aToken : 'token-b' } })),
        contexts: ['a', 'b'].map((name) => ({ name, context: { cluster: name, user: name } })),
      }),
    );
  }

  it("never gives another cluster's token to the server of the start", async () => {
    const cluster = loadCluster({ kubeconfig: kubeconfigOf(started) }, clock);
    kubeconfigOf({ ...started, current: 'b', aToken: 'second' });
    await clock.advance(60_000);

    const { headers } = await cluster.credentials();
    expect(headers).toEqual({ authorization: 'Bearer second' });
    expect(cluster.server).toBe('https://a.example');
  });

  const unusable: Readonly<
    Record<string, { readonly change: () => void; readonly says: RegExp; readonly why: string }>
  > = {
    'half written': {
      change: () => write('config', '{"clusters": [{"name"'),
      says: /is not valid YAML/,
      why: 'kubectl config does not replace the file in one step',
    },
    'emptied before it is written again': {
      change: () => write('config', ''),
      says: /names no cluster/,
      why: 'kubectl config truncates the file first',
    },
    'without the context of the start': {
      change: () => kubeconfig('config', { token: 'other' }),
      says: /context "a" names no cluster: restore it, or choose one of kubectl config get-contexts; a running operator/,
      why: 'another cluster is none of ours',
    },
    'with another server in that context': {
      change: () => kubeconfigOf({ ...started, aServer: 'https://moved.example' }),
      says: /changed from https:\/\/a\.example to https:\/\/moved\.example: .*restart/,
      why: 'connections go to the server of the start',
    },
    'without the user of that context': {
      change: () => kubeconfigOf({ ...started, users: ['b'] }),
      says: /user "a" of context "a" is missing: restore it/,
      why: 'a request without credentials is refused, and that parks the object',
    },
  };

  it.each(Object.entries(unusable))(
    'is an error that time heals: %s',
    async (_, { change, says, why }) => {
      const cluster = loadCluster({ kubeconfig: kubeconfigOf(started) }, clock);
      change();
      const reading = cluster.credentials();
      await expect(reading, why).rejects.toMatchObject({
        reason: 'CredentialsUnavailable',
        healedBy: 'time',
        message: expect.stringMatching(says),
      });
      kubeconfigOf({ ...started, aToken: 'back' });
      const { headers } = await cluster.credentials();
      expect(headers).toEqual({ authorization: 'Bearer back' });
    },
  );
});

describe('credentials that cannot be read say what to do', () => {
  const plugin = (command: string): object => ({
    exec: { apiVersion: 'client.authentication.k8s.io/v1', command },
  });
  const script = (text: string): string => {
    const path = write('plugin', `#!/bin/sh\n${text}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const cases: Readonly<
    Record<
      string,
      { readonly user: () => object; readonly cluster?: object; readonly says: string }
    >
  > = {
    'a plugin that is not installed': {
      user: () => plugin('nosuchprog'),
      says: 'the credential plugin "nosuchprog" is not there: install it, or choose a context with another user',
    },
    'a plugin that may not be run': {
      user: () => plugin(write('plugin', '')),
      says: 'the credential plugin "DIR/plugin" cannot be started (EACCES): correct its path or rights, or choose a context with another user',
    },
    'a plugin that fails': {
      user: () => plugin(script('echo "no session: run login" >&2; echo more >&2; exit 1')),
      says: 'the credential plugin "DIR/plugin" failed: no session: run login; correct that, or choose a context with another user',
    },
    'a plugin that fails without a word': {
      user: () => plugin(script('exit 1')),
      says: 'the credential plugin "DIR/plugin" failed: it printed no error; correct that, or choose a context with another user',
    },
    'a plugin that prints something else, which may be secret': {
      user: () => plugin(script('echo hunter2')),
      says: 'the credential plugin "DIR/plugin" printed no ExecCredential: update it, or choose a context with another user',
    },
    'a plugin that prints no status': {
      user: () => plugin(script('echo {}')),
      says: 'the credential plugin "DIR/plugin" printed no ExecCredential: update it, or choose a context with another user',
    },
    'a plugin that prints nothing of use': {
      user: () => plugin(script('echo null')),
      says: 'the credential plugin "DIR/plugin" printed no ExecCredential: update it, or choose a context with another user',
    },
    'a plugin that prints neither a token nor a certificate': {
      user: () => plugin(script(`echo '{"kind": "ExecCredential", "status": {}}'`)),
      says: 'the credential plugin "DIR/plugin" printed no ExecCredential: update it, or choose a context with another user',
    },
    'a certificate that is missing': {
      user: () => ({ 'client-certificate': '/nope' }),
      says: 'the file /nope is missing: write it, or correct its path',
    },
    'an authority that is missing': {
      user: () => ({}),
      cluster: { 'certificate-authority': '/nope' },
      says: 'the file /nope is missing: write it, or correct its path',
    },
    'an authority that is missing, next to a plugin': {
      user: () => plugin(script('exit 1')),
      cluster: { 'certificate-authority': '/nope' },
      says: 'the file /nope is missing: write it, or correct its path',
    },
    'a certificate that is a directory': {
      user: () => ({ 'client-certificate': directory }),
      says: 'a file that the kubeconfig names cannot be read (EISDIR): correct certificate-authority, client-certificate, client-key and tokenFile',
    },
    'an auth-provider without settings': {
      user: () => ({ 'auth-provider': { name: 'gcp' } }),
      says: 'the auth-provider "gcp" of the user gives no token: replace it with a credential plugin (exec), as kubectl requires, or choose a context with another user',
    },
    'an auth-provider whose token has expired': {
      user: () => ({ 'auth-provider': { name: 'azure', config: {} } }),
      says: 'the auth-provider "azure" of the user gives no token: replace it with a credential plugin (exec), as kubectl requires, or choose a context with another user',
    },
  };

  it.each(Object.entries(cases))('%s', async (_, { user, cluster, says }) => {
    const path = kubeconfig('broken', user(), cluster);
    const error = await loadCluster({ kubeconfig: path }, clock)
      .credentials()
      .catch((thrown: Error) => thrown);

    expect(error).toMatchObject({ reason: 'CredentialsUnavailable', healedBy: 'time' });
    expect((error as Error).message.replaceAll(directory, 'DIR')).toBe(
      `read the credentials of the kubeconfig DIR/broken: ${says}`,
    );
  });
});

describe('a credential plugin', () => {
  function plugin(script: string): string {
    const command = write('plugin', `#!/bin/sh\necho run >> ${directory}/runs\n${script}\n`);
    chmodSync(command, 0o755);
    return kubeconfig('exec', {
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command },
    });
  }

  it('runs once for all who ask, and again after a refusal', async () => {
    const answer = { status: { token: 'plugged' } };
    const path = plugin(`echo '${JSON.stringify(answer)}'`);
    const cluster = loadCluster({ kubeconfig: path }, clock);
    const all = await Promise.all([cluster.credentials(), cluster.credentials()]);

    expect(all[0]).toBe(all[1]);
    expect(all[0]?.headers).toEqual({ authorization: 'Bearer plugged' });
    await clock.advance(60_000);
    const kept = await cluster.credentials();
    expect(runs()).toBe(1);
    cluster.forget(kept);
    await cluster.credentials();
    expect(runs()).toBe(2);
  });

  it('that hangs is given up after ten seconds', async () => {
    const cluster = loadCluster({ kubeconfig: plugin('sleep 2') }, clock);
    const waiting = expect(cluster.credentials()).rejects.toMatchObject({
      reason: 'CredentialsUnavailable',
      message: expect.stringMatching(
        /plugin" has not answered \(deadline of 10000 ms exceeded\): run it by hand/,
      ),
    });

    await clock.advance(10_000);

    await waiting;
  });
});

function runs(): number {
  return readFileSync(join(directory, 'runs'), 'utf8').split('run').length - 1;
}
