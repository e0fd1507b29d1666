import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadCluster } from '../../../../src/kube/client/credentials.ts';
import { findPemFault } from '../../../../src/kube/client/credentials-advice.ts';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

it.each([
  ['ca', 'certificate authority'],
  ['cert', 'client certificate'],
  ['key', 'client key'],
] as const)('what is no PEM as %s is named with the next step', (part, name) => {
  expect(findPemFault({ [part]: 'no' })).toMatch(
    new RegExp(`^the ${name} is not in PEM form \\(.+\\): write it again, or correct its path$`),
  );
});

it('certificates and keys of TLS have no fault', async () => {
  const { certificate, privateKey } = await makeCertificate(['user'], { algorithm: 'ECDSA' });
  const both = `${certificate}\n${certificate}`;
  expect(findPemFault({ ca: both, cert: certificate, key: privateKey })).toBeUndefined();
  expect(findPemFault({})).toBeUndefined();
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
