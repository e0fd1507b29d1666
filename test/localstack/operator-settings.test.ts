import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createServer as createTlsServer } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startConnectProxy } from '../fakes/connect-proxy.ts';
import { type OperatorProcess, startOperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

const said = (operator: OperatorProcess): string => operator.log.map((line) => line.msg).join('\n');

const launched: OperatorProcess[] = [];

function launch(extra: Readonly<Record<string, string>>): OperatorProcess {
  const operator = surroundings.launchOperator({ ALBRIDGE_SWEEP_INTERVAL: '1h', ...extra });
  launched.push(operator);
  return operator;
}

/** Also after a failure: an operator that is left over would meddle in the next test. */
afterEach(async () => {
  await Promise.all(launched.splice(0).map((operator) => operator.stop()));
});

describe('a start that fails', () => {
  it('ends the operator with an error that states why, so that another replica can lead', async () => {
    const operator = startOperatorProcess({
      environment: {
        ...surroundings.operatorEnvironment,
        ...{ ALBRIDGE_LEADER_ELECTION: 'on', POD_NAMESPACE: 'albridge-system' },
      },
      nodeFlags: ['--import', resolve(import.meta.dirname, 'startup-failure.ts')],
    });
    expect(await operator.exited).toBe(1);
    const lease = ['-n', 'albridge-system', 'get', 'lease', 'albridge', '--ignore-not-found'];
    expect(await place.kubectl([...lease, '-o', 'jsonpath={.spec.holderIdentity}'])).toBe('');
    expect(operator.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'startup failed',
        err: expect.objectContaining({ message: 'no reconciler' }),
      }),
    );
    expect(operator.log.at(-1)?.msg).toBe('stopped');
  });
});

describe('wrong settings', () => {
  it('are all reported at once, with exit code 78', async () => {
    const operator = launch({
      AWS_REGION: 'Frankfurt',
      ALBRIDGE_SWEEP_INTERVAL: 'often',
      ALBRIDGE_CONCURRENCY: '0',
      ALBRIDGE_SWEEP_INTERVALL: '5m',
      LOG_LEVEL: 'loud',
    });
    expect(await operator.exited).toBe(78);
    for (const part of [
      'AWS_REGION',
      'ALBRIDGE_SWEEP_INTERVAL',
      'ALBRIDGE_CONCURRENCY',
      'ALBRIDGE_SWEEP_INTERVALL is not a setting of albridge; --help lists the settings',
      'LOG_LEVEL',
    ]) {
      expect(said(operator)).toContain(part);
    }
    expect(operator.log).toHaveLength(5);
  });

  it('a missing kubeconfig is named, with exit code 78', async () => {
    const operator = launch({ KUBECONFIG: '/nowhere/kubeconfig' });
    expect(await operator.exited).toBe(78);
    expect(said(operator)).toContain('/nowhere/kubeconfig');
  });

  it.each(['ALBRIDGE_METRICS_ADDRESS', 'ALBRIDGE_HEALTH_ADDRESS'])(
    'an address that is taken ends with 78 and names %s',
    async (setting) => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as { readonly port: number };
      const operator = launch({ [setting]: `127.0.0.1:${port}` });
      expect(await operator.exited).toBe(78);
      expect(said(operator)).toContain(setting);
      other.close();
    },
  );

  it('--help names every setting', async () => {
    const help = startOperatorProcess({
      environment: { PATH: process.env['PATH'] ?? '' },
      args: ['--help'],
    });
    expect(await help.exited).toBe(0);
    for (const name of ['AWS_REGION', 'ALBRIDGE_NAMESPACES', 'ALBRIDGE_LEADER_ELECTION']) {
      expect(said(help)).toContain(name);
    }
  });
});

describe('the first line', () => {
  it('names cluster, region and endpoint', async () => {
    const operator = launch({});
    await operator.waitForLine((line) => line.msg === 'working');
    expect(operator.log[0]).toMatchObject({
      level: 'info',
      msg: 'starting',
      cluster: place.cluster.url,
      region: 'us-east-1',
      endpoint: surroundings.aws.environment['AWS_ENDPOINT_URL'],
    });
    expect(JSON.stringify(operator.log)).not.toContain('stand-in');
    await operator.stop();
  });
});

describe('a proxy on the way to AWS', () => {
  const opened: { readonly stop: () => Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.stop();
  });

  it('is used, and its password is sent to nothing else', async () => {
    const front = await startTlsFront();
    opened.push(front);
    const proxy = await startConnectProxy(front.port);
    opened.push(proxy);
    const operator = launch({
      AWS_ENDPOINT_URL: `https://${CERTIFIED}`,
      HTTPS_PROXY: `http://albridge:hush-hush@127.0.0.1:${proxy.port}`,
      NODE_EXTRA_CA_CERTS: front.certificatePath,
    });
    await operator.waitForLine((line) => line.msg === 'working');
    expect(operator.log[0]).toMatchObject({
      endpoint: `https://${CERTIFIED}`,
      proxy: `127.0.0.1:${proxy.port}`,
    });
    const objects = await place.createNamespace('proxied');
    await objects.create('web', { subnets: place.network.articleSubnets });
    await objects.whenReady('web');
    const authorization = `Basic ${Buffer.from('albridge:hush-hush').toString('base64')}`;
    expect(new Set(proxy.asked.map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify({ line: `CONNECT ${CERTIFIED}:443`, authorization })]),
    );
    await objects.startDeleting('web');
    await objects.isGone('web');
    await operator.stop();
    expect(JSON.stringify(operator.log)).not.toContain('hush');
  });
});

/** A host that the API server's own certificate is good for, the only one at hand. */
const CERTIFIED = 'kubernetes.default.svc';

/** The stand-in for AWS over https. */
async function startTlsFront(): Promise<{
  readonly port: number;
  readonly certificatePath: string;
  readonly stop: () => Promise<unknown>;
}> {
  const certificates = join(surroundings.controlPlane.directory, 'certs');
  const certificatePath = join(certificates, 'apiserver.crt');
  const standIn = Number(new URL(surroundings.aws.environment['AWS_ENDPOINT_URL'] ?? '').port);
  const identity = {
    cert: await readFile(certificatePath),
    key: await readFile(join(certificates, 'apiserver.key')),
  };
  const server = createTlsServer(identity, (client) => {
    const target = connect(standIn, '127.0.0.1');
    for (const end of [client, target]) end.on('error', () => {});
    client.on('close', () => target.destroy());
    client.pipe(target).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { readonly port: number };
  const stop = (): Promise<unknown> => once(server.close(), 'close');
  return { port, certificatePath, stop };
}

describe('what is missing at the start', () => {
  it('a CRD is named with the command that installs it, and work starts once it is installed', async () => {
    await place.kubectl(['delete', 'crd', 'myingresses.demo.rtfm.co.ua', '--timeout=120s']);
    const operator = launch({});
    const line = await operator.waitForLine((seen) => JSON.stringify(seen).includes('kubectl'));
    expect(line.level).toBe('error');
    expect(JSON.stringify(line)).toContain('kubectl apply --server-side -k crds');

    const crds = resolve(import.meta.dirname, '../../crds');
    await place.kubectl(['apply', '--server-side', '-k', crds]);
    await operator.waitForLine((seen) => seen.msg === 'working', 90_000);
    const errors = operator.log.filter(({ level }) => level === 'error');
    expect(errors, 'told once').toEqual([line]);
    await operator.stop();
  });

  it('an unreachable API server is reported once, and the operator waits for it', async () => {
    await surroundings.controlPlane.killApiServer();
    const operator = launch({});
    await operator.waitForLine((line) => line.msg === 'watch interrupted');
    await surroundings.controlPlane.startApiServer();
    await operator.waitForLine((line) => line.msg === 'working', 90_000);
    await operator.stop();
  });
});
