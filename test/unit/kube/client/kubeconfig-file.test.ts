import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
    says: 'DIR/config is not valid YAML, ',
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

const OTHER = 'choose a context with another user';

it.each([
  [{ exec: {} }, `the exec of the user names no command: add its credential plugin, or ${OTHER}`],
  [
    { token: 'first\nsecond' },
    `the token of the user has characters that cannot be sent: write it again, or ${OTHER}`,
  ],
  [{ tokenFile: '/nope' }, 'the file /nope is missing: write it, or correct its path'],
])('a user %j has no credentials, and the next step', async (user, says) => {
  const path = writeWith({ users: [{ name: 'a', user }] });
  const reading = loadCluster({ kubeconfig: path }, new ManualClock()).credentials();
  await expect(reading).rejects.toThrow(`read the credentials of the kubeconfig ${path}: ${says}`);
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
