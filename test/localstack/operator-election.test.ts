import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Call } from '../../localstack/embedded/faults/call-log.ts';
import { type AuditLog, createAuditLog } from '../surroundings/audit-log.ts';
import { isReady, type MyIngresses } from '../surroundings/my-ingresses.ts';
import { type OperatorProcess, startOperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

let audit: AuditLog;
let surroundings: Surroundings;
let place: Place;
let objects: MyIngresses;
let subnets: readonly string[];

beforeAll(async () => {
  audit = await createAuditLog();
  const { apiServerArgs } = audit;
  surroundings = await startSurroundings({ provisioningMs: 0, apiServerArgs });
  place = placeOf(surroundings);
  objects = await place.createNamespace('election');
  subnets = place.network.articleSubnets;
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
  await audit?.remove();
});

/** A replica with a name that its AWS calls carry and a token that its API requests can be told by. */
async function launch(
  name: string,
): Promise<{ readonly operator: OperatorProcess; readonly tokenId: string }> {
  const token = (
    await place.kubectl(['create', 'token', 'albridge', '-n', 'albridge-system'])
  ).trim();
  const kubeconfig = await place.cluster.createKubeconfig({ token, name });
  const payload = Buffer.from(token.split('.')[1] as string, 'base64url').toString();
  const operator = surroundings.launchOperator({ KUBECONFIG: kubeconfig, ...inCluster(name) });
  return { operator, tokenId: (JSON.parse(payload) as { jti: string }).jti };
}

function inCluster(name: string): Readonly<Record<string, string>> {
  return {
    ALBRIDGE_LEADER_ELECTION: 'on',
    ALBRIDGE_SWEEP_INTERVAL: '1h',
    POD_NAME: name,
    POD_NAMESPACE: 'albridge-system',
    AWS_SDK_UA_APP_ID: name,
  };
}

interface LeaseSpec {
  readonly holderIdentity: string;
  readonly renewTime: string;
}

async function leaseNow(): Promise<LeaseSpec> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/albridge-system/leases/albridge';
  return (await place.api.ask<{ readonly spec: LeaseSpec }>({ method: 'GET', path })).spec;
}

async function leaderNow(): Promise<string> {
  return (await leaseNow()).holderIdentity;
}

/** The name for people, the UUID for the election. */
function identityOf(name: string): RegExp {
  return new RegExp(`^${name}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`);
}

it('a leader whose log is full continues, and releases the lease at its end', async () => {
  const full = openSync('/dev/full', 'w');
  const operator = startOperatorProcess({
    environment: { ...surroundings.operatorEnvironment, ...inCluster('full') },
    stdout: full,
  });
  closeSync(full);
  await objects.create('unheard', { subnets });
  await objects.whenReady('unheard');
  expect(await leaderNow()).toMatch(identityOf('full'));
  expect(await operator.stop()).toBe(0);
  expect(operator.log).toEqual([]);
  expect(await leaderNow()).toBe('');
});

it('a leader whose log is not read continues, and releases the lease at its end', async () => {
  const operator = startOperatorProcess({
    environment: {
      ...surroundings.operatorEnvironment,
      ...inCluster('unread'),
      LOG_LEVEL: 'debug',
    },
    stdout: openFullPipe(),
  });
  await objects.create('unread', { subnets });
  await objects.whenReady('unread');
  expect(await leaderNow()).toMatch(identityOf('unread'));
  expect(await operator.stop()).toBe(0);
  expect(operator.log).toEqual([]);
  expect(await leaderNow()).toBe('');
});

/** A pipe with a reader who never reads, and no room for another byte. */
function openFullPipe(): number {
  const directory = mkdtempSync(join(tmpdir(), 'albridge-pipe-'));
  const path = join(directory, 'log');
  execFileSync('mkfifo', [path]);
  const pipe = openSync(path, 'r+');
  const filler = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  onTestFinished(() => {
    for (const fd of [filler, pipe]) closeSync(fd);
    rmSync(directory, { recursive: true });
  });
  const fill = (): void => {
    for (;;) writeSync(filler, 'x');
  };
  expect(fill).toThrow('EAGAIN');
  return pipe;
}

describe('two replicas', () => {
  it('SIGTERM hands over: the standby acts on the release, long before the lease would expire', async () => {
    const first = await launch('first');
    await first.operator.waitForLine((line) => line.msg === 'working');
    const second = await launch('second');
    const waiting = await second.operator.waitForLine(
      (line) => line.msg === 'waiting for the lease',
    );
    expect(waiting['holder'], 'the pid is 1 in every container').toMatch(identityOf('first'));
    const expiresInMs = Date.parse(String(waiting['expiresAt'])) - Date.now();
    expect(expiresInMs).toBeGreaterThan(0);
    expect(expiresInMs).toBeLessThanOrEqual(15_000);

    await objects.create('by-first', { subnets });
    await objects.whenReady('by-first');
    expect(await callers('by-first')).toEqual(['first']);
    expect(second.operator.log.some((line) => line.msg === 'working')).toBe(false);

    first.operator.signal('SIGTERM');
    const released = await first.operator.waitForLine((line) => line.msg === 'released the lease');
    await objects.create('by-second', { subnets });
    const working = await second.operator.waitForLine((line) => line.msg === 'working');
    // A lease that is not released expires 13 to 15 s later: it is renewed every 2 s.
    expect(timeOf(working) - timeOf(released)).toBeLessThan(10_000);
    expect(await first.operator.exited).toBe(0);
    expect(first.operator.log.at(-1)?.msg).toBe('stopped');
    await objects.whenReady('by-second');
    expect(await callers('by-second')).toEqual(['second']);
    await second.operator.stop();
  });

  it('a leader that was stopped and wakes up writes nothing more, and ends', async () => {
    const frozen = await launch('frozen');
    await frozen.operator.waitForLine((line) => line.msg === 'working');
    const awake = await launch('awake');
    await awake.operator.waitForLine((line) => line.msg === 'waiting for the lease');
    // The last call of its first sweep, whose read would be held instead.
    await until('the first sweep of the leader', async () =>
      (await place.standIn.calls('DescribeTags')).some((call) => callerOf(call) === 'frozen'),
    );

    // Stopped between a read and the write that follows from it: the answer waits in its socket.
    const effect = { kind: 'hold' } as const;
    await place.standIn.addFault({ operation: 'DescribeLoadBalancers', effect });
    await objects.create('tempting', { subnets });
    await place.standIn.whenHeld('DescribeLoadBalancers');
    frozen.operator.signal('SIGSTOP');
    const { renewTime } = await leaseNow();
    await place.standIn.release();
    await objects.create('meanwhile', { subnets });
    const working = await awake.operator.waitForLine((line) => line.msg === 'working', 60_000);
    // The standby counts the 15 s from when it has seen the last renewal.
    expect(timeOf(working) - Date.parse(renewTime)).toBeGreaterThan(14_900);
    expect(await leaderNow()).toMatch(identityOf('awake'));
    for (const name of ['tempting', 'meanwhile']) await objects.when(name, isReady);

    const wokenAt = new Date().toISOString();
    frozen.operator.signal('SIGCONT');
    expect(await frozen.operator.exited).not.toBe(0);
    expect(frozen.operator.log.some((line) => line.msg === 'lost the lease')).toBe(true);

    const written = (await audit.entries()).filter(
      ({ requestReceivedTimestamp, user, verb }) =>
        requestReceivedTimestamp >= wokenAt &&
        !['get', 'list', 'watch'].includes(verb) &&
        JSON.stringify(user.extra ?? {}).includes(frozen.tokenId),
    );
    expect(written).toEqual([]);
    for (const name of ['tempting', 'meanwhile']) {
      expect(await callers(name)).toEqual(['awake']);
      expect(await place.standIn.balancersOf(objects.namespace, name)).toHaveLength(1);
    }
    expect(await leaderNow()).toMatch(identityOf('awake'));
    await awake.operator.stop();
  });
});

function timeOf(line: Readonly<Record<string, unknown>>): number {
  return Date.parse(String(line['time']));
}

/** Which replicas asked AWS to create this object's balancer. */
async function callers(name: string): Promise<readonly string[]> {
  const calls = await place.standIn.operatorCalls('CreateLoadBalancer');
  const ours = calls.filter(({ input }) => JSON.stringify(input).includes(`"${name}"`));
  return [...new Set(ours.map(callerOf))];
}

function callerOf({ userAgent }: Call): string {
  return /app\/(\w+)/.exec(userAgent ?? '')?.[1] ?? '';
}
