import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import {
  type AddressInfo,
  createServer as createNetServer,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CliPlace } from './cli-place.ts';
import { type CliRun, runCli } from './run-cli.ts';

const MAIN = resolve(import.meta.dirname, '../../../src/cli/main.ts');

const place = new CliPlace();
const plain: NetServer[] = [];

afterEach(() => {
  for (const server of plain.splice(0)) server.close();
});

/** `127.0.0.1:PORT` of a server that answers so, and no request to be a proxy. */
async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler);
  server.on('connect', (_request, socket) => {
    socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
  });
  return place.serve(server);
}

/** `127.0.0.1:PORT` of a server that does so with each connection once something has arrived. */
async function listenTo(act: (socket: Socket) => void): Promise<string> {
  const server = createNetServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => act(socket));
  }).listen(0, '127.0.0.1');
  plain.push(server);
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function answering(status: number, text: string): Promise<string> {
  return listen((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
}

function run(command: string, cluster: object): Promise<CliRun> {
  return runCli([command], { env: { KUBECONFIG: place.writeKubeconfig(cluster) } });
}

describe('a server that is no API server', () => {
  it.each([
    '{}',
    '[]',
    'null',
    '{"metadata":null}',
    '{"metadata":{}}',
    '{"metadata":{},"items":5}',
    '{"metadata":{},"items":[null]}',
    '{"metadata":{},"items":[{"metadata":null}]}',
    '{"metadata":{},"items":[{"metadata":{}}]}',
    '{"metadata":{},"items":[{"metadata":{"name":"x"},"status":{"conditions":"Ready"}}]}',
    '{"metadata":{},"items":[{"metadata":{"name":"x"},"status":{"conditions":[null]}}]}',
    '{"metadata":{"continue":"x","resourceVersion":"1"},"items":[]}',
  ])('and answers %s is named so', async (text) => {
    const server = `http://${await answering(200, text)}`;
    const status = await run('status', { server });
    expect(status).toMatchObject({ exitCode: 1, stdout: '' });
    expect(status.stderr).toMatch(
      /^albridge: the answer to a list of \w+ is none of Kubernetes: check that the address in the kubeconfig is that of an API server\n$/,
    );
    const doctor = await run('doctor', { server });
    expect(doctor.stdout).toMatch(
      /^failed +API server: \S+ answers to GET \/version as no API server does\n +next: check that the address in the kubeconfig/,
    );
  });
});

it('conditions that are null are none', async () => {
  const object = { metadata: { name: 'x', namespace: 'default' }, status: { conditions: null } };
  const text = JSON.stringify({ metadata: { resourceVersion: '1' }, items: [object] });
  const { exitCode, stderr, stdout } = await run('status', {
    server: `http://${await answering(200, text)}`,
  });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toMatch(/^MyIngress +x /m);
});

it('pages that follow each other in a circle are those of no API server', async () => {
  let asked = 0;
  const at = await listen((_request, response) => {
    asked += 1;
    const metadata = { resourceVersion: '1', continue: asked % 2 === 0 ? 'a' : 'b' };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ metadata, items: [] }));
  });
  const { exitCode, stderr } = await run('status', { server: `http://${at}` });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^albridge: the answer to a list of \w+ is none of Kubernetes: [^\n]*\n$/);
  expect(asked).toBeLessThan(50);
});

describe('a read of one object', () => {
  it.each([
    '{"a":1}',
    'null',
    '[]',
    '{"metadata":{}}',
    '{"kind":"MyIngress","metadata":{"name":"y","namespace":"default"}}',
    '{"kind":"MyIngress","metadata":{"name":"x","namespace":"other"}}',
    '{"metadata":{"name":"x","namespace":"default"}}',
    '{"kind":"MyIngress","metadata":{"name":"x","namespace":"default"},"status":{"conditions":5}}',
  ])('that a server answers with %s names the server', async (text) => {
    const server = `http://${await answering(200, text)}`;
    const env = { KUBECONFIG: place.writeKubeconfig({ server }) };
    for (const args of [
      ['status', 'myingress/x'],
      ['why', 'x'],
      ['plan', 'x'],
    ]) {
      const { exitCode, stderr } = await runCli(args, { env });
      expect({ exitCode, stderr }).toEqual({
        exitCode: 1,
        stderr:
          'albridge: the answer to a read of "x" is none of Kubernetes: check that the address in the kubeconfig is that of an API server\n',
      });
    }
  });
});

describe('a caller who is not logged in', () => {
  it('is asked to log in, not for a role', async () => {
    const message = 'myingresses is forbidden: User "system:anonymous" cannot list resource';
    const answer = JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message });
    const { stderr } = await run('status', { server: `http://${await answering(403, answer)}` });
    expect(stderr).toMatch(
      /: nobody is logged in: log in, or choose another user of the kubeconfig/,
    );
    const doctor = await run('doctor', { server: `http://${await answering(403, answer)}` });
    expect(doctor.stdout).toContain(
      'next: nobody is logged in: log in, or choose another context\n',
    );
  });
});

describe('the namespace of a context', () => {
  it.each(['Bad/NS', 5, ['a']])('is named where it cannot be one: %j', async (namespace) => {
    const { stderr } = await runCli(['status'], {
      env: { KUBECONFIG: place.writeKubeconfig({ server: 'http://127.0.0.1:1' }, namespace) },
    });
    expect(stderr).toBe(
      `albridge: the namespace ${JSON.stringify(namespace)} of context "a" cannot be one: correct it, or give -n\n`,
    );
  });
});

it('KUBECONFIG without a file is named', async () => {
  const { stderr } = await runCli(['status'], { env: { KUBECONFIG: ':' } });
  expect(stderr).toBe(
    'albridge: ":" names no file: give a kubeconfig by --kubeconfig or KUBECONFIG\n',
  );
});

it('output that cannot be written is named', async () => {
  const child = spawn('/bin/sh', ['-c', `exec '${process.execPath}' '${MAIN}' --help > /dev/full`]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'albridge: the output cannot be written (ENOSPC): check where it goes\n',
  });
});

describe('objects that cannot be listed', () => {
  it.each([
    [403, 'you may not list them', 'ask for the role "view" there'],
    [404, 'not installed', 'install the CRDs \\(docs/install.md\\)\\n$'],
  ])('with %i are followed by the step that helps', async (code, why, next) => {
    const answer = JSON.stringify({ kind: 'Status', code, reason: 'x', message: 'no' });
    const { stderr } = await run('status', { server: `http://${await answering(code, answer)}` });
    expect(stderr).toMatch(new RegExp(`^albridge: nothing to show: .* \\(${why}\\); ${next}`));
  });
});

describe('a proxy', () => {
  const server = 'https://kube.example';
  const closed = (): Promise<string> => Promise.resolve('127.0.0.1:1');
  const cases: Readonly<
    Record<string, { scheme: string; at: () => Promise<string>; why: RegExp }>
  > = {
    'that is not there': { scheme: 'http', at: closed, why: /connect ECONNREFUSED/ },
    'of SOCKS that is not there': { scheme: 'socks5', at: closed, why: /connect ECONNREFUSED/ },
    'that ends the connection': {
      scheme: 'http',
      at: () => listenTo((socket) => socket.end()),
      why: /: Proxy Connection failed|other side closed|ECONNRESET/i,
    },
    'of TLS that does not speak it': {
      scheme: 'https',
      at: () => answering(200, ''),
      why: /wrong version number/,
    },
    'of SOCKS that refuses every login': {
      scheme: 'socks5',
      at: () => listenTo((socket) => socket.write(Buffer.from([5, 0xff]))),
      why: /No acceptable authentication method/,
    },
    'that wants a login': {
      scheme: 'http',
      at: () => answering(200, ''),
      why: /Proxy response \(407\)/,
    },
  };

  it.each(Object.entries(cases))(
    '%s is named, without its login',
    async (_, { scheme, at, why }) => {
      const place = await at();
      const cluster = { server, 'proxy-url': `${scheme}://me:secret@${place}` };
      const { stderr } = await run('status', cluster);
      expect(stderr).toMatch(why);
      expect(stderr).toContain(`through the proxy ${scheme}://***@${place}: `);
      expect(stderr).toMatch(/: start the proxy, or correct proxy-url in the kubeconfig\n$/);
      expect(stderr).not.toContain('secret');
      const { stdout } = await run('doctor', cluster);
      expect(stdout).toContain('next: start the proxy, or correct proxy-url in the kubeconfig');
    },
  );

  it('of SOCKS prints no warning of Node', async () => {
    const cluster = { server, 'proxy-url': 'socks5://127.0.0.1:1' };
    const env = { KUBECONFIG: place.writeKubeconfig(cluster), PATH: process.env['PATH'] };
    const stderr = await new Promise<string>((done) => {
      execFile(process.execPath, [MAIN, 'status'], { env }, (_error, _stdout, text) => done(text));
    });
    expect(stderr).toMatch(/^albridge: no answer [^\n]*\n$/);
  });
});

it.each(['http:me:secret@127.0.0.1:1', 'http:/me:secret@127.0.0.1:1'])(
  'the login of a proxy is hidden, however it is written: %s',
  async (url) => {
    const cluster = { server: 'https://kube.example', 'proxy-url': url };
    expect((await run('status', cluster)).stderr).toMatch(
      /through the proxy http:..\*\*\*@127.0.0.1:1: /,
    );
  },
);

it('that TLS is off is said', async () => {
  const server = `https://${await answering(200, '')}`;
  const env = {
    KUBECONFIG: place.writeKubeconfig({ server }),
    PATH: process.env['PATH'],
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  };
  const stderr = await new Promise<string>((done) => {
    execFile(process.execPath, [MAIN, 'status'], { env }, (_error, _stdout, text) => done(text));
  });
  expect(stderr).toContain('makes TLS connections and HTTPS requests insecure');
});

describe('credentials that cannot be read', () => {
  it('are followed by their own step alone', async () => {
    const cluster = { server: 'https://kube.example', 'certificate-authority': '/nope' };
    const { stdout } = await run('doctor', cluster);
    expect(stdout).toContain('the file /nope is missing: write it, or correct its path\n');
    expect(stdout).not.toContain('network');
  });
});
