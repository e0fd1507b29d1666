import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AuditEntry, type AuditLog, createAuditLog } from '../surroundings/audit-log.ts';
import { until } from '../surroundings/until.ts';
import { live } from './kind-life.ts';
import { type OwnKind, ownKinds } from './own-kinds.ts';
import { DeployPlace } from './place.ts';
import type { PlayedPod } from './played-pod.ts';
import type { Pod } from './pod-environment.ts';
import { nameOf, type Rule, type ShippedRight, shippedRights } from './shipped-rights.ts';

/**
 * The shipped Roles against a recording of every request, and each of their verbs taken away in turn:
 * none is too much, none is missing, and the operator says which one it lacks.
 */

let audit: AuditLog;
let place: DeployPlace;
let pods: readonly Pod[];
const rights = await shippedRights();
const kinds = await ownKinds();

beforeAll(async () => {
  audit = await createAuditLog();
  place = await DeployPlace.start([
    ...audit.apiServerArgs,
    // An API server without WatchList makes the operator list, so that this verb counts too.
    '--feature-gates=WatchList=false',
    // As on OpenShift; without it nobody asks for the right to */finalizers.
    '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
  ]);
  await place.apply('deploy');
  pods = await place.pods();
});

afterAll(async () => {
  await place?.stop();
  await audit?.remove();
});
afterEach(() => place.stopPods());

const injected = (): Readonly<Record<string, string>> => ({
  ...place.aws.environment,
  ALBRIDGE_SWEEP_INTERVAL: '1s',
});

/** So many that what none of them uses is used by none. */
const ROUNDS = 8;

function useOf({ verb, objectRef }: AuditEntry): string {
  const { apiGroup: group = '', resource = '', subresource } = objectRef ?? {};
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  return nameOf({ verb, group, resource: whole });
}

/** Whole lives of one object of each kind, under a leader that a standby then replaces. */
async function recordAll(): Promise<readonly AuditEntry[]> {
  const [first, second] = pods as readonly [Pod, Pod];
  const leader = await place.play(first, { injected: injected() });
  await leader.operator.waitForLine((line) => line.msg === 'working');
  const standby = await place.play(second, { injected: injected() });
  await standby.operator.waitForLine((line) => line.msg === 'waiting for the lease');
  // Whether a write meets a newer version of its object is a matter of chance: a second life may.
  for (let round = 1; round <= ROUNDS && (await unused()).length > 0; round++) {
    await liveOnce(round);
  }
  await leader.stop();
  await standby.operator.waitForLine((line) => line.msg === 'working');
  return entriesNow();
}

async function liveOnce(round: number): Promise<void> {
  const over = new AbortController().signal;
  await Promise.all(
    kinds.map(async (kind) => {
      const namespace = `all-${kind.plural}-${round}`;
      await place.createNamespace(namespace);
      await live({ place, kind, namespace, over });
    }),
  );
}

async function entriesNow(): Promise<readonly AuditEntry[]> {
  const account = 'system:serviceaccount:albridge-system:albridge';
  return (await audit.entries()).filter(({ user }) => user.username === account);
}

/** Shipped, and not used so far. */
async function unused(): Promise<readonly string[]> {
  const used = new Set((await entriesNow()).map(useOf));
  // Those not by a request of its own, but at the admission of what has an owner: see below.
  const wanted = Object.keys(rights).filter((name) => !name.endsWith('/finalizers'));
  expect(wanted.length).toBeGreaterThan(25);
  return wanted.filter((name) => !used.has(name));
}

describe('the shipped Roles', () => {
  let entries: readonly AuditEntry[];

  beforeAll(async () => {
    entries = await recordAll();
  });

  it('grant nothing that the lives of all kinds do not use', async () => {
    expect(
      await unused(),
      'used by no test: take it out, or add what needs it to kind-life.ts',
    ).toEqual([]);
  });

  it('lack nothing', () => {
    const refused = entries.filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(refused.map((entry) => `${useOf(entry)} ${entry.requestURI}`)).toEqual([]);
    expect(entries.length).toBeGreaterThan(100);
  });
});

async function takeAway({ grants }: ShippedRight): Promise<void> {
  for (const { role, without } of grants) await setRules(role, without);
}

async function giveBack({ grants }: ShippedRight): Promise<void> {
  for (const { role, rules } of grants) await setRules(role, rules);
}

async function setRules(role: readonly string[], rules: readonly Rule[]): Promise<void> {
  await place.kubectl(['patch', ...role, '--type=merge', '-p', JSON.stringify({ rules })]);
}

/** The kinds whose lives need the right: its roles carry their names, or it is MyIngress. */
function kindsFor({ grants }: ShippedRight): readonly OwnKind[] {
  const isNamed = ({ kind }: OwnKind): boolean =>
    grants.some(({ name }) =>
      name.replace('configmap-annotation', 'configmonitor').endsWith(`-${kind.toLowerCase()}`),
    );
  const named = kinds.filter(isNamed);
  return named.length > 0 ? named : kinds.filter(({ kind }) => kind === 'MyIngress');
}

/** Each as far as it gets, again and again. */
async function liveUntilOver(
  kinds: readonly OwnKind[],
  name: string,
  over: AbortSignal,
): Promise<void> {
  for (let round = 1; !over.aborted; round++) {
    const lives = kinds.map(async (kind) => {
      const namespace = `${name}-${kind.plural}-${round}`;
      await place.createNamespace(namespace);
      await live({ place, kind, namespace, over });
    });
    await Promise.allSettled(lives);
  }
}

/** Nobody has held the Lease yet; for the rights of a standby, somebody else holds it. */
async function prepareLease({ verb, resource }: ShippedRight): Promise<void> {
  const lease = ['lease', 'albridge', '-n', 'albridge-system'];
  await place.kubectl(['delete', ...lease, '--ignore-not-found']);
  if (resource !== 'leases' || !['list', 'watch'].includes(verb)) return;
  const now = `${new Date().toISOString().slice(0, -1)}000Z`;
  const times = { acquireTime: now, renewTime: now, leaseDurationSeconds: 3600 };
  const held = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'albridge', namespace: 'albridge-system' },
    spec: { holderIdentity: 'another', ...times },
  };
  await place.kubectl(['create', '-f', '-'], JSON.stringify(held));
}

/** How log and readiness say that a right is missing: in our words, or in the API server's. */
function refusalOf({ verb, resource }: ShippedRight): RegExp {
  return new RegExp(`may not ${verb} ${resource} |cannot ${verb} resource "${resource}"`);
}

async function untilReadinessSays(played: PlayedPod, right: ShippedRight): Promise<string> {
  return until(
    `readiness names ${right.verb} ${right.resource}`,
    async () => {
      const { status, body } = await played.probe('/readyz?verbose');
      return status === 500 && refusalOf(right).test(body) && body;
    },
    120_000,
  );
}

async function untilLogSays(played: PlayedPod, right: ShippedRight): Promise<void> {
  const says = refusalOf(right);
  await played.operator.waitForLine(
    (line) => line.level === 'error' && says.test(JSON.stringify(line).replaceAll('\\', '')),
  );
}

/** Plays a pod without the right, amid whole lives of the kinds that need it. */
async function playWithout(
  right: ShippedRight,
  look: (played: PlayedPod) => Promise<void>,
): Promise<void> {
  await takeAway(right);
  await prepareLease(right);
  const played = await place.play(pods[0] as Pod, { injected: injected() });
  const over = new AbortController();
  const index = Object.keys(rights).indexOf(nameOf(right));
  const lived = liveUntilOver(kindsFor(right), `no-${index}`, over.signal);
  try {
    await look(played);
  } finally {
    over.abort();
    await giveBack(right);
    await place.standIn.release();
    await place.standIn.clearFaults();
  }
  await place.stopPods();
  await lived;
}

describe('without the right to', () => {
  /** Any tenant can ask for them, so their absence is said by the object: docs/decisions/0018. */
  const isOptional = ({ resource, verb }: ShippedRight): boolean =>
    resource === 'nodes' || (resource === 'namespaces' && verb !== 'get');
  const [optional, needed] = [true, false].map((is) =>
    Object.entries(rights).filter(([, right]) => isOptional(right) === is),
  ) as [[string, ShippedRight][], [string, ShippedRight][]];

  it.each(needed)('%s, log and readiness name verb and resource', async (_, right) => {
    await playWithout(right, async (played) => {
      const readiness = await untilReadinessSays(played, right);
      await untilLogSays(played, right);
      const repeats = played.operator.log.filter(
        ({ msg, why = msg }) => typeof why === 'string' && readiness.includes(why),
      );
      expect(repeats.length).toBeLessThan(4);
    });
  });

  it.each(optional)(
    '%s, the log names verb and resource, and readiness stays',
    async (_, right) => {
      await playWithout(right, async (played) => {
        await untilLogSays(played, right);
        // The start waits a few seconds for such a watch, so its refusal may be logged before.
        await until('ready', async () => (await played.probe('/readyz')).status === 200);
      });
    },
  );

  it('after a grant, readiness recovers within seconds', async () => {
    const right = rights['create events.k8s.io/events'] as ShippedRight;
    await takeAway(right);
    await prepareLease(right);
    const objects = await place.createNamespace('granted');
    const played = await place.work(pods[0] as Pod);
    await objects.create('web', { subnets: place.aws.network.articleSubnets });
    await untilReadinessSays(played, right);
    await untilLogSays(played, right);
    await giveBack(right);
    await until('ready', async () => (await played.probe('/readyz')).status === 200);
  });
});
