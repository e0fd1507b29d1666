import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { myIngressKind } from '../../../src/apis/my-ingress.ts';
import { formatApiVersion } from '../../../src/core/objects/kube-object.ts';
import { type Answer, CliPlace } from './cli-place.ts';
import { runCli } from './run-cli.ts';

const place = new CliPlace();
let answer: (path: string) => Answer;

async function run(...args: readonly string[]): Promise<string> {
  const server = `http://${await place.answering((path) => answer(path))}`;
  const env = { KUBECONFIG: place.writeKubeconfig({ server }), AWS_REGION: 'eu-central-1' };
  return (await runCli(args, { env })).stderr;
}

function writeManifest(): string {
  const path = join(place.directory, 'manifest.json');
  const head = { apiVersion: formatApiVersion(myIngressKind), kind: 'MyIngress' };
  writeFileSync(path, JSON.stringify({ ...head, metadata: { name: 'web' }, spec: {} }));
  return path;
}

describe('a caller who is not logged in', () => {
  it('is asked to log in by every command', async () => {
    const message = 'x is forbidden: User "system:anonymous" cannot list resource';
    const body = JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message });
    answer = () => ({ status: 403, body });
    for (const args of [['orphans'], ['status'], ['plan', '-f', writeManifest()]]) {
      expect(await run(...args)).toMatch(/: nobody is logged in: log in, or choose another user/);
    }
  });
});

describe('a server that answers 404 with a page', () => {
  it('is no API server', async () => {
    answer = () => ({ status: 404, body: '<html>404</html>' });
    for (const args of [['orphans'], ['status'], ['why', 'web']]) {
      expect(await run(...args)).toBe(
        'albridge: the API server answered 404: check that the address in the kubeconfig is that of an API server\n',
      );
    }
  });
});

describe('adopt', () => {
  it('has nothing to do where the object holds this balancer', async () => {
    const arn =
      'arn:aws:elasticloadbalancing:eu-central-1:000000000000:loadbalancer/app/shop/0123456789abcdef';
    const metadata = { name: 'web', namespace: 'default', uid: 'u1' };
    const object = { kind: 'MyIngress', metadata, status: { alb: { arn } } };
    const system = { kind: 'Namespace', metadata: { name: 'kube-system', uid: 'u0' } };
    const none = { metadata: { resourceVersion: '1' }, items: [] };
    answer = (path) => {
      const found = path.includes('/myingresses/') ? object : path.includes('kube-s') && system;
      return { status: 200, body: JSON.stringify(found || none) };
    };
    expect(await run('adopt', arn, '--name', 'web')).toBe(
      'albridge: MyIngress default/web holds it already: nothing is left to do\n',
    );
  });
});
