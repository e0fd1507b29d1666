import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { loadCluster } from '../../../../src/kube/client/credentials.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'albridge-kubeconfig-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

function write(text: string): string {
  const path = join(directory, 'config');
  writeFileSync(path, text);
  return path;
}

const SOUND = {
  'current-context': 'a',
  clusters: [{ name: 'a', cluster: { server: 'https://kube.example' } }],
  users: [{ name: 'a', user: {} }],
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
};

function writeWith(fields: object): string {
  return write(JSON.stringify({ ...SOUND, ...fields }));
}

const cases: Readonly<Record<string, { path: () => string; says: string }>> = {
  'a directory': { path: () => directory, says: 'DIR is a directory: name a file in it' },
  'a file that is no YAML': {
    path: () => write('a: b\n{{{'),
    says: 'DIR/config is not valid YAML in line 2: correct or replace it',
  },
  'a file that is no YAML for a secret': {
    path: () => write('a: b\npassword: *hunter2'),
    says: 'DIR/config is not valid YAML in line 2: correct or replace it',
  },
  'a file that holds itself': {
    path: () => write('a: &a [*a]'),
    says: 'DIR/config cannot be used, Converting circular structure to JSON: correct or replace it',
  },
  comments: {
    path: () => write('# nothing yet'),
    says: 'DIR/config: it has no contexts: write it again, or set KUBECONFIG to another one',
  },
  'a list': {
    path: () => write('- a'),
    says: 'DIR/config is no kubeconfig, but a list: correct or replace it',
  },
  'a text, which may be secret': {
    path: () => write('hunter2'),
    says: 'DIR/config is no kubeconfig, but a text: correct or replace it',
  },
  'an empty file': {
    path: () => write(''),
    says: 'DIR/config: it has no contexts: write it again, or set KUBECONFIG to another one',
  },
  'no current context': {
    path: () => writeWith({ 'current-context': '' }),
    says: 'DIR/config: it has no current-context: run kubectl config use-context',
  },
  'a current context that is not there': {
    path: () => writeWith({ 'current-context': 'b' }),
    says: 'DIR/config: its current-context "b" is none of its contexts: run kubectl config use-context',
  },
  'a cluster that is not there': {
    path: () => writeWith({ clusters: [] }),
    says: 'DIR/config: its current-context "a" names the cluster "a", which it does not have: add that, or run kubectl config use-context',
  },
  'clusters that are no list': {
    path: () => writeWith({ clusters: { a: {} } }),
    says: 'DIR/config cannot be used, clusters is no list: correct or replace it',
  },
  'a device that has no end': {
    path: () => '/dev/zero',
    says: '/dev/zero is longer than 4 MB, as no kubeconfig is: name another file',
  },
  'a cluster without a server': {
    path: () => writeWith({ clusters: [{ name: 'a', cluster: {} }] }),
    says: 'DIR/config cannot be used, clusters[0].cluster.server is missing: correct or replace it',
  },
};

it.each(Object.entries(cases))('%s is named with the next step', (_, { path, says }) => {
  const load = (): unknown => loadCluster({ kubeconfig: path() }, new ManualClock());
  expect(load).toThrow(expect.objectContaining({ reason: 'ClusterNotConfigured' }));
  expect(load).toThrow(`kubeconfig ${says.replaceAll('DIR', directory)}`);
});

it.each([
  [{ clusters: [null] }, 'clusters[0] is no mapping'],
  [{ clusters: [{ name: 'a', cluster: 'https://x' }] }, 'clusters[0].cluster is no mapping'],
  [{ users: [{ name: 'a', user: 5 }] }, 'users[0].user is no mapping'],
  [{ users: [{ name: 5, user: {} }] }, 'users[0].name is no text'],
  [{ users: [{ name: 'a', user: { token: 5 } }] }, 'users[0].user.token is no text'],
  [{ contexts: [{ name: 'a', context: { cluster: ['a'] } }] }, 'contexts[0].context.cluster is no'],
  [{ 'current-context': 5 }, 'current-context is no text'],
])('a field of another type is named: %j', (fields, says) => {
  const load = (): unknown => loadCluster({ kubeconfig: writeWith(fields) }, new ManualClock());
  expect(load).toThrow(`kubeconfig ${directory}/config cannot be used, ${says}`);
});

it.each(['server', 'certificate-authority', 'certificate-authority-data', 'proxy-url'])(
  'the field %s of a cluster that is no text is named',
  (field) => {
    const clusters = [{ name: 'a', cluster: { server: 'https://kube.example', [field]: 5 } }];
    const load = (): unknown =>
      loadCluster({ kubeconfig: writeWith({ clusters }) }, new ManualClock());
    expect(load).toThrow(
      `config cannot be used, clusters[0].cluster.${field} is no text: put it in quotes, or correct it`,
    );
  },
);

it('fields without a value count as not given', () => {
  const cluster = { server: 'https://kube.example', 'proxy-url': null };
  const fields = { clusters: [{ name: 'a', cluster }], users: [{ name: 'a', user: null }] };
  expect(loadCluster({ kubeconfig: writeWith(fields) }, new ManualClock())).toMatchObject({
    server: 'https://kube.example',
  });
});

const OTHER = 'choose a context with another user';

it.each([
  [{ exec: {} }, `the exec of the user names no command: add its credential plugin, or ${OTHER}`],
  [
    { token: 'first\nsecond' },
    `the token of the user has characters that cannot be sent: write it again, or ${OTHER}`,
  ],
  [{ tokenFile: '/nope' }, 'the file /nope is missing: write it, or correct its path'],
  [
    { tokenFile: '/' },
    'a file that the kubeconfig names cannot be read (EISDIR): correct certificate-authority, client-certificate, client-key and tokenFile',
  ],
  [
    { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', command: 'true' } },
    'the credential plugin "true" has no apiVersion that is known: write client.authentication.k8s.io/v1 into its exec',
  ],
  [
    {
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'true', args: 'a' },
    },
    'the credential plugin "true" has args that are no list of texts: correct them in its exec',
  ],
  [
    {
      exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'true', args: [1] },
    },
    'the credential plugin "true" has args that are no list of texts: correct them in its exec',
  ],
  [
    {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: 'true',
        env: [{ name: 'A', value: 1 }],
      },
    },
    'the credential plugin "true" has an env that is no list of names and values: correct it in its exec',
  ],
  [
    { exec: { apiVersion: 1, command: 'true' } },
    'the credential plugin "true" has no apiVersion that is known: write client.authentication.k8s.io/v1 into its exec',
  ],
  [
    { exec: { command: ['true'] } },
    `the exec of the user names no command: add its credential plugin, or ${OTHER}`,
  ],
])('a user %j has no credentials, and the next step', async (user, says) => {
  const path = writeWith({ users: [{ name: 'a', user }] });
  const reading = loadCluster({ kubeconfig: path }, new ManualClock()).credentials();
  await expect(reading).rejects.toThrow(`read the credentials of the kubeconfig ${path}: ${says}`);
});

it.each([
  ['a comment before its marker', (text: string) => `# by somebody\n---\n${text}`],
  ['a blank line before its marker', (text: string) => `\n---\n${text}`],
  ['a byte order mark', (text: string) => `\uFEFF${text}`],
  ['a directive', (text: string) => `%YAML 1.1\n---\n${text}`],
  ['a second document', (text: string) => `${text}\n---\ncurrent-context: other\n`],
  ['carriage returns', (text: string) => text.replaceAll('\n', '\r\n')],
])('with %s a kubeconfig is the one that kubectl reads', (_, change) => {
  const path = write(change(stringify(SOUND)));
  expect(loadCluster({ kubeconfig: path }, new ManualClock())).toMatchObject({
    context: 'a',
    server: 'https://kube.example',
  });
});

it('a pipe is read once, and the credentials are read from what it had', async () => {
  const pipe = join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writing = spawn('sh', ['-c', 'printf %s "$TEXT" > "$PIPE"'], {
    env: { ...process.env, PIPE: pipe, TEXT: stringify(SOUND) },
  });
  const cluster = loadCluster({ kubeconfig: pipe }, new ManualClock());
  expect(cluster.server).toBe('https://kube.example');
  await expect(cluster.credentials()).resolves.toBeDefined();
  writing.kill();
});

it.each([
  ['is not there', undefined],
  ['is empty', ''],
])('a token file that %s leaves the token of the user', async (_, text) => {
  const tokenFile = join(directory, 'token');
  if (text !== undefined) writeFileSync(tokenFile, text);
  const path = writeWith({ users: [{ name: 'a', user: { tokenFile, token: 'own' } }] });
  const { headers } = await loadCluster({ kubeconfig: path }, new ManualClock()).credentials();
  expect(headers).toEqual({ authorization: 'Bearer own' });
});

it('a token file without a token is named where the user has none', async () => {
  const tokenFile = join(directory, 'token');
  writeFileSync(tokenFile, '\n');
  const path = writeWith({ users: [{ name: 'a', user: { tokenFile } }] });
  const reading = loadCluster({ kubeconfig: path }, new ManualClock()).credentials();
  await expect(reading).rejects.toThrow(`the file ${tokenFile} has no token: write it again, or`);
});

describe('a file that has no end', () => {
  const files: Readonly<Record<string, () => string>> = {
    'a device': () => '/dev/zero',
    'a pipe without a writer': () => {
      execFileSync('mkfifo', [join(directory, 'pipe')]);
      return join(directory, 'pipe');
    },
    'a link to one': () => {
      symlinkSync('/dev/zero', join(directory, 'link'));
      return join(directory, 'link');
    },
    'a large file': () => {
      writeFileSync(join(directory, 'large'), '');
      truncateSync(join(directory, 'large'), 1_000_001);
      return join(directory, 'large');
    },
  };
  const fields: Readonly<Record<string, (file: string) => object>> = {
    tokenFile: (tokenFile) => ({ users: [{ name: 'a', user: { tokenFile } }] }),
    'client-certificate': (file) => ({
      users: [{ name: 'a', user: { 'client-certificate': file } }],
    }),
    'client-key': (file) => ({ users: [{ name: 'a', user: { 'client-key': file } }] }),
    'certificate-authority': (file) => {
      const cluster = { server: 'https://kube.example', 'certificate-authority': file };
      return { clusters: [{ name: 'a', cluster }] };
    },
  };
  const cases = Object.keys(files).flatMap((file) =>
    Object.keys(fields).map((field) => [file, field] as const),
  );

  it.each(cases)('%s as %s is named, not read', async (file, field) => {
    const path = files[file]?.() ?? '';
    const kubeconfig = writeWith(fields[field]?.(path) ?? {});
    const reading = loadCluster({ kubeconfig }, new ManualClock()).credentials();
    await expect(reading).rejects.toThrow(
      `the file ${path} is no regular file of at most 1 MB: correct its path`,
    );
  });

  it('leaves the token of the user where it is its token file', async () => {
    const users = [{ name: 'a', user: { tokenFile: '/dev/zero', token: 'own' } }];
    const cluster = loadCluster({ kubeconfig: writeWith({ users }) }, new ManualClock());
    expect((await cluster.credentials()).headers).toEqual({ authorization: 'Bearer own' });
  });
});

it('a token file comes before the token, and is read again', async () => {
  const clock = new ManualClock();
  const token = join(directory, 'token');
  writeFileSync(token, 'one\n');
  const user = { tokenFile: './token', token: 'other' };
  const cluster = loadCluster({ kubeconfig: writeWith({ users: [{ name: 'a', user }] }) }, clock);
  expect((await cluster.credentials()).headers).toEqual({ authorization: 'Bearer one' });
  writeFileSync(token, 'two\n');
  await clock.advance(61_000);
  expect((await cluster.credentials()).headers).toEqual({ authorization: 'Bearer two' });
});

it('a command with a slash is one below the directory of its kubeconfig', async () => {
  mkdirSync(join(directory, 'bin'));
  const script = `#!/bin/sh\necho '{"status": {"token": "plugged"}}'\n`;
  writeFileSync(join(directory, 'bin/plugin'), script, { mode: 0o755 });
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './bin/plugin' };
  const path = writeWith({ users: [{ name: 'a', user: { exec } }] });
  const { headers } = await loadCluster({ kubeconfig: path }, new ManualClock()).credentials();
  expect(headers).toEqual({ authorization: 'Bearer plugged' });
});

it('a login in the address of the server is not shown, as no request carries it', async () => {
  const clock = new ManualClock();
  const writeServer = (server: string): string =>
    writeWith({ clusters: [{ name: 'a', cluster: { server } }] });
  const path = writeServer('https://jane:hunter2@kube.example/k8s');
  const cluster = loadCluster({ kubeconfig: path }, clock);
  expect(cluster.server).toBe('https://kube.example/k8s');
  await expect(cluster.credentials()).resolves.toBeDefined();
  writeServer('https://jane:hunter2@moved.example/k8s');
  await clock.advance(61_000);
  await expect(cluster.credentials()).rejects.toThrow(' to https://moved.example/k8s: restore');
});
