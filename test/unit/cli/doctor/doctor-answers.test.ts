import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { type Answer, CliPlace } from '../cli-place.ts';
import { runCli } from '../run-cli.ts';

const place = new CliPlace();

/** What doctor prints where an API server answers so. */
async function runDoctor(answer: (path: string) => Answer): Promise<string> {
  const kubeconfig = place.writeKubeconfig({ server: `http://${await place.answering(answer)}` });
  return (await runCli(['doctor'], { env: { KUBECONFIG: kubeconfig } })).stdout;
}

const VERSION = { status: 200, body: JSON.stringify({ minor: '34', gitVersion: 'v1.34.0' }) };
const ANONYMOUS = 'x is forbidden: User "system:anonymous" cannot get path';

function refuse(code: number, message: string): Answer {
  return { status: code, body: JSON.stringify({ kind: 'Status', code, message }) };
}

describe("the caller's rights", () => {
  it.each([
    ['nobody is logged in', refuse(403, ANONYMOUS)],
    ['no CRD is installed', { status: 404, body: '404 page not found\n' }],
  ])('are not checked where no kind is known: %s', async (_, answer) => {
    const printed = await runDoctor((path) => (path === '/version' ? VERSION : answer));
    expect(printed).toMatch(/^not checked +your rights: no kind of albridge is known to be/m);
  });
});

it('a certificate that has expired is named', async () => {
  const ago = Date.now() - 60_000;
  const plan = { algorithm: 'ECDSA', notAfter: new Date(ago) } as const;
  const made = await makeCertificate(['localhost'], plan);
  const secure = createSecureServer({ cert: made.certificate, key: made.privateKey }).listen(0);
  await once(secure, 'listening');
  try {
    const server = `https://localhost:${(secure.address() as AddressInfo).port}`;
    const authority = Buffer.from(made.certificate).toString('base64');
    const kubeconfig = place.writeKubeconfig({ server, 'certificate-authority-data': authority });
    const { stdout } = await runCli(['doctor'], { env: { KUBECONFIG: kubeconfig } });
    expect(stdout).toMatch(
      /^failed +API server: the certificate of the API server has expired: renew it, or correct/,
    );
  } finally {
    secure.close();
  }
});

describe('an API server that refuses /version', () => {
  it.each([401, 403, 404, 302])('with %i has answered', async (status) => {
    const printed = await runDoctor(() => ({ status, body: '' }));
    expect(printed).toContain(`it answers ${status} to GET /version`);
    expect(printed).toContain('not checked  everything else: it is checked once that is corrected');
  });
});
