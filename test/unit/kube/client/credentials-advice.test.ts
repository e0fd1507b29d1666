import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadCluster } from '../../../../src/kube/client/credentials.ts';
import { findTlsFault } from '../../../../src/kube/client/credentials-advice.ts';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

const USER = await makeCertificate(['user'], { algorithm: 'ECDSA' });
const OTHER = await makeCertificate(['other'], { algorithm: 'ECDSA' });

it.each([
  ['ca', 'certificate authority'],
  ['cert', 'client certificate'],
  ['key', 'client key'],
] as const)('what is no PEM as %s is named with the next step', (part, name) => {
  expect(findTlsFault({ [part]: 'no' })).toBe(
    `the ${name} is not in PEM form: write it again, or correct its path`,
  );
});

it('a file that is being written again is no lack of a certificate', () => {
  const named = 'not in PEM form: write it again';
  expect(findTlsFault({ cert: '', key: USER.privateKey })).toContain(`certificate is ${named}`);
  expect(findTlsFault({ cert: USER.certificate, key: '' })).toContain(`key is ${named}`);
  expect(findTlsFault({ cert: '', key: '' })).toContain(`certificate is ${named}`);
});

it.each([
  [{ cert: USER.certificate }, /^the client key is missing beside the certificate: add it/],
  [{ key: USER.privateKey }, /^the client certificate is missing beside the key: add it/],
  [
    { cert: USER.certificate, key: OTHER.privateKey },
    /^the client certificate and its key cannot be used together \(.*key values mismatch\): /,
  ],
  [
    { cert: USER.certificate, key: USER.privateKey.replaceAll('PRIVATE', 'ENCRYPTED PRIVATE') },
    /^the client key is encrypted: store it without its passphrase/,
  ],
])('a pair that cannot be used says why: %#', (tls, says) => {
  expect(findTlsFault(tls)).toMatch(says);
});

it('certificates and keys of TLS have no fault', () => {
  const { certificate, privateKey } = USER;
  const ca = `comment\n${OTHER.certificate}\n${certificate}`;
  expect(findTlsFault({ ca, cert: certificate, key: privateKey })).toBeUndefined();
  expect(findTlsFault({})).toBeUndefined();
  expect(findTlsFault({ ca: '' })).toBeUndefined();
});

it('a kubeconfig with such a part gives no credentials, before anything is sent', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'albridge-advice-'));
  const path = join(directory, 'config');
  const data = Buffer.from('no').toString('base64');
  const cluster = { server: 'https://a.example', 'certificate-authority-data': data };
  const config = {
    'current-context': 'a',
    clusters: [{ name: 'a', cluster }],
    users: [{ name: 'a', user: {} }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  };
  writeFileSync(path, JSON.stringify(config));
  const reading = loadCluster({ kubeconfig: path }, new ManualClock()).credentials();
  await expect(reading).rejects.toMatchObject({
    reason: 'CredentialsUnavailable',
    message: expect.stringContaining('the certificate authority is not in PEM form'),
  });
  rmSync(directory, { recursive: true });
});
