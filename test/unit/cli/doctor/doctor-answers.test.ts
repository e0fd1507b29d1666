import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { runCli } from '../run-cli.ts';

let directory: string;
const servers: Server[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'albridge-doctor-'));
});

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(directory, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** What doctor prints where an API server answers so. */
async function runDoctor(answer: (path: string) => Answer): Promise<string> {
  const server = createServer((request, response) => {
    const { status, body } = answer(request.url ?? '');
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const kubeconfig = writeKubeconfig({ server: `http://127.0.0.1:${port}` });
  return (await runCli(['doctor'], { env: { KUBECONFIG: kubeconfig } })).stdout;
}

function writeKubeconfig(cluster: object): string {
  const kubeconfig = join(directory, 'config');
  const config = {
    'current-context': 'a',
    clusters: [{ name: 'a', cluster }],
    users: [{ name: 'a', user: {} }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return kubeconfig;
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
    const kubeconfig = writeKubeconfig({ server, 'certificate-authority-data': authority });
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
