import { once } from 'node:events';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { OUR_KINDS } from '../../../../src/cli/objects/kinds.ts';
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

describe('the rights of an operator', () => {
  interface Right {
    readonly verb: string;
    readonly resource: string;
    readonly subresource?: string;
    readonly namespace?: string;
  }

  interface Installed {
    readonly env?: Readonly<Record<string, string>>;
    readonly grants: (right: Right) => boolean;
  }

  function list({ env = {} }: Installed): object {
    const variables = Object.entries(env).map(([name, value]) => ({ name, value }));
    const containers = [{ image: 'albridge:0.0.1', env: variables }];
    const spec = { template: { spec: { serviceAccountName: 'albridge', containers } } };
    return { metadata: {}, items: [{ metadata: { name: 'albridge', namespace: 'web' }, spec }] };
  }

  function answer(path: string, body: string, installed: Installed): object | undefined {
    if (path === '/version') return JSON.parse(VERSION.body);
    if (path.startsWith('/apis/apps/v1/deployments')) return list(installed);
    if (path.endsWith('/selfsubjectaccessreviews')) return { status: { allowed: true } };
    if (path.endsWith('/subjectaccessreviews'))
      return { status: { allowed: installed.grants(JSON.parse(body).spec.resourceAttributes) } };
    const served = OUR_KINDS.filter((one) => path === `/apis/${one.group}/${one.version}`);
    return served.length > 0
      ? { resources: served.map(({ plural }) => ({ name: plural })) }
      : undefined;
  }

  /** The lines about rights, from the context of the namespace `shop`. */
  async function examineRights(installed: Installed): Promise<readonly object[]> {
    const address = await place.listen((request, response) => {
      void text(request).then((body) => {
        const known = answer(request.url ?? '', body, installed);
        response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' });
        response.end(JSON.stringify(known ?? { kind: 'Status', code: 404, reason: 'NotFound' }));
      });
    });
    const kubeconfig = place.writeKubeconfig({ server: `http://${address}` }, 'shop');
    const { stdout } = await runCli(['doctor', '-o', 'json'], { env: { KUBECONFIG: kubeconfig } });
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { name: string }[] };
    return checks.filter(({ name }) => name.startsWith('rights of the operator'));
  }

  const ofKind = (kind: string): string => `rights of the operator, ${kind}`;

  it.each([
    ['its setting', { ALBRIDGE_NAMESPACES: 'web' }],
    ['its rights, where the setting cannot be read', {}],
  ])('are asked for in the namespaces of %s, not in that of the context', async (_, env) => {
    const checks = await examineRights({ env, grants: ({ namespace }) => namespace === 'web' });
    expect(checks).toHaveLength(OUR_KINDS.length);
    for (const check of checks) {
      const message = expect.stringMatching(/^all \d+, in the namespace web$/);
      expect(check).toMatchObject({ verdict: 'ok', message });
    }
  });

  it('are missing in one of two namespaces: named, with the overlay that has them', async () => {
    const checks = await examineRights({
      env: { ALBRIDGE_NAMESPACES: 'web, mall', ALBRIDGE_KINDS: 'myingress' },
      grants: ({ namespace = '', resource }) =>
        namespace === 'web' || (namespace === 'mall' && resource !== 'services'),
    });
    expect(checks).toEqual([
      {
        name: ofKind('MyIngress'),
        verdict: 'failed',
        message:
          'system:serviceaccount:web:albridge may not in the namespace mall: list services; watch services',
        next: 'apply deploy/overlays/namespaced of this version, or leave myingress out of ALBRIDGE_KINDS',
      },
    ]);
  });

  it('are missing in the cluster: named, with the manifests that have them', async () => {
    const checks = await examineRights({
      env: { ALBRIDGE_KINDS: 'myingress' },
      grants: ({ verb, resource }) => verb !== 'watch' || resource !== 'services',
    });
    expect(checks).toMatchObject([
      {
        message: 'system:serviceaccount:web:albridge may not: watch services',
        next: 'apply deploy/ of this version, or leave myingress out of ALBRIDGE_KINDS',
      },
    ]);
  });

  it('are those of its kinds', async () => {
    const checks = await examineRights({
      env: { ALBRIDGE_KINDS: 'myingress,configmonitor' },
      grants: ({ resource }) => resource !== 'webapps' && resource !== 'myapps',
    });
    const names = [ofKind('MyIngress'), ofKind('ConfigMonitor')];
    expect(checks).toMatchObject(names.map((name) => ({ name, verdict: 'ok' })));
  });

  it('in mode observe are reads and the status of its kinds', async () => {
    const checks = await examineRights({
      env: { ALBRIDGE_MODE: 'observe' },
      grants: ({ verb, subresource }) =>
        ['get', 'list', 'watch'].includes(verb) || (verb === 'patch' && subresource === 'status'),
    });
    expect(checks).toMatchObject(OUR_KINDS.map(() => ({ verdict: 'ok' })));
  });
});
