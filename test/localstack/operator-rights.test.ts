import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { findFreePort } from '../control-plane/free-port.ts';
import { type AuditEntry, type AuditLog, createAuditLog } from '../surroundings/audit-log.ts';
import { mayOperator } from '../surroundings/deploy-base.ts';
import { arnOf, conditionOf, type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

let audit: AuditLog;
let surroundings: Surroundings;
let place: Place;
let entries: readonly AuditEntry[];

const ELECTION = {
  ALBRIDGE_SWEEP_INTERVAL: '1s',
  ALBRIDGE_LEADER_ELECTION: 'on',
  POD_NAMESPACE: 'albridge-system',
} as const;

beforeAll(async () => {
  audit = await createAuditLog();
  // An API server without WatchList makes the operator list: both ways need their rights.
  const apiServerArgs = [...audit.apiServerArgs, '--feature-gates=WatchList=false'];
  surroundings = await startSurroundings({ provisioningMs: 0, apiServerArgs });
  place = placeOf(surroundings);
  await live();
  entries = (await audit.entries()).filter(
    ({ user }) => user.username === 'system:serviceaccount:albridge-system:albridge',
  );
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
  await audit?.remove();
});

/** A life in which everything happens that needs a right: two replicas, edits, drift, deletion. */
async function live(): Promise<void> {
  const leader = await surroundings.startOperator(ELECTION);
  const standby = surroundings.launchOperator(ELECTION);
  await standby.waitForLine((line) => line.msg === 'waiting for the lease');
  const objects = await place.createNamespace('rights');
  await objects.create('web', { subnets: place.network.articleSubnets, tags: { team: 'web' } });
  const arn = arnOf(await objects.whenReady('web'));
  // The same event twice is one event with a count, which takes a patch.
  for (let time = 1; time <= 2; time++) {
    await place.outsider.setTags(arn, { team: 'other' });
    const isMended = async (): Promise<boolean> =>
      (await place.standIn.balancer(arn))?.tags['team'] === 'web';
    await until('the tag', isMended);
  }
  await until('the count', async () => {
    const events = await objects.events('web');
    return events.find(({ reason }) => reason === 'DriftRepaired')?.series !== undefined;
  });
  await leader.stop();
  await standby.waitForLine((line) => line.msg === 'working');
  await deleteWhileFinalizersMove(objects);
  await standby.stop();
}

/** The place of our finalizer moves under the pass that takes it off, so it reads the object anew. */
async function deleteWhileFinalizersMove(objects: MyIngresses): Promise<void> {
  const ours = 'albridge.io/load-balancer';
  await objects.patch('web', { metadata: { finalizers: ['example.com/other', ours] } });
  await place.standIn.addFault({ operation: 'DeleteLoadBalancer', effect: { kind: 'hold' } });
  await objects.startDeleting('web');
  await place.standIn.whenHeld('DeleteLoadBalancer');
  await objects.patch('web', { metadata: { finalizers: [ours] } });
  await place.standIn.release();
  await objects.isGone('web');
}

/** The resources that this life touches; the other kinds have tests of their own. */
const LIVED = ['myingresses', 'myingresses/status', 'events', 'namespaces', 'leases'];

const MY_INGRESS = 'components/myingress/rights.yaml';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

async function rulesOf(file: string): Promise<readonly Rule[]> {
  const path = resolve(import.meta.dirname, '../../deploy', file);
  type Role = { readonly rules: readonly Rule[] };
  const [role] = parseAllDocuments(await readFile(path, 'utf8')).map((one) => one.toJS() as Role);
  return role?.rules ?? [];
}

/** `patch demo.rtfm.co.ua/myingresses/status` */
function useOf({ verb, objectRef }: AuditEntry): string {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  return `${verb} ${apiGroup}/${whole}`;
}

describe('the shipped ServiceAccount', () => {
  it('is never refused', () => {
    const refused = entries.filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(refused.map((entry) => `${useOf(entry)} ${entry.requestURI}`)).toEqual([]);
    expect(entries.length).toBeGreaterThan(20);
  });

  it('uses every right that it has for MyIngress, events and its lease', async () => {
    const files = [
      'base/cluster-role.yaml',
      'base/role.yaml',
      MY_INGRESS,
      'components/myingress/cluster-id.yaml',
    ];
    const rules = (await Promise.all(files.map(rulesOf))).flat();
    const granted = rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources
          .filter((resource) => LIVED.includes(resource))
          .flatMap((resource) => verbs.map((verb) => `${verb} ${group}/${resource}`)),
      ),
    );
    expect(new Set(granted.map((right) => right.split('/').slice(1).join('/')))).toEqual(
      new Set(LIVED),
    );
    const used = new Set(entries.map(useOf));
    expect([...new Set(granted)].filter((right) => !used.has(right))).toEqual([]);
  });

  it('does not request nodes if no backend has targetType instance', () => {
    expect(entries.filter(({ objectRef }) => objectRef?.resource === 'nodes')).toEqual([]);
  });

  it('never writes spec or metadata of an object but its own finalizer', () => {
    const writes = entries.filter(
      ({ objectRef, verb }) =>
        objectRef?.resource === 'myingresses' &&
        objectRef.subresource === undefined &&
        !['get', 'list', 'watch'].includes(verb),
    );
    // One patch puts the finalizer on; one fails to take it off, where it no longer is; one does. A pass that
    // begins before the watch tells of the deletion asks once more, and is answered that nothing is there.
    const codes = writes.map(({ responseStatus }) => responseStatus?.code);
    expect(codes.slice(0, 3)).toEqual([200, 422, 200]);
    expect(codes.slice(3).filter((code) => code !== 404)).toEqual([]);
    expect(new Set(writes.map(useOf))).toEqual(new Set(['patch demo.rtfm.co.ua/myingresses']));
  });
});

const mayPatch = (): Promise<boolean> => mayOperator(place.cluster, 'patch');

/** Takes the right to patch `resource` from the operator; gives what grants it again. */
async function revokePatch(resource: 'myingresses' | 'myingresses/status'): Promise<Grant> {
  const rules = await rulesOf(MY_INGRESS);
  const index = rules.findIndex(({ resources }) => resources.join() === resource);
  const shipped = rules[index]?.verbs ?? [];
  const setVerbs = async (verbs: readonly string[]): Promise<void> => {
    const change = JSON.stringify([{ op: 'replace', path: `/rules/${index}/verbs`, value: verbs }]);
    await place.kubectl([
      'patch',
      'clusterrole',
      'albridge-myingress',
      '--type=json',
      '-p',
      change,
    ]);
  };
  await setVerbs(['get', ...shipped.filter((verb) => !['get', 'patch'].includes(verb))]);
  return () => setVerbs(shipped);
}

type Grant = () => Promise<void>;

describe('an operator that may not store its finalizer', () => {
  it('creates nothing in AWS, names the missing right, and continues when it is granted', async () => {
    const grant = await revokePatch('myingresses');
    await until('the right is gone', async () => !(await mayPatch()));
    const operator = await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '1h' });
    const objects = await place.createNamespace('bound');
    await objects.create('web', { subnets: place.network.articleSubnets });

    const refused = await objects.whenReason('web', 'Forbidden');
    expect(readyOf(refused)?.message).toMatch(/cannot patch resource "myingresses"/);
    expect(conditionOf(refused, 'Stalled')?.status).toBe('True');
    expect(refused.metadata.finalizers).toBeUndefined();
    expect(await place.standIn.balancersOf(objects.namespace)).toEqual([]);

    await grant();
    await objects.whenReady('web', BEFORE_ANY_RETRY_MS);
    await operator.stop();
  });
});

/** What a person must heal is tried again after a minute at the soonest. */
const BEFORE_ANY_RETRY_MS = 55_000;

describe('an operator that may not write status', () => {
  it('catches up within seconds of the grant, with a pending edit and with a new object', async () => {
    const operator = await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '1h' });
    const objects = await place.createNamespace('unsaid');
    await objects.create('old', { subnets: place.network.articleSubnets });
    const arn = arnOf(await objects.whenReady('old'));
    const grant = await revokePatch('myingresses/status');
    await until(
      'the right is gone',
      async () => !(await mayOperator(place.cluster, 'patch', 'status')),
    );
    await objects.edit('old', { tags: { team: 'web' } });
    await objects.create('new', { subnets: place.network.articleSubnets });
    for (const name of ['old', 'new']) {
      await operator.waitForLine(
        ({ err, key }) => key === `${objects.namespace}/${name}` && err !== undefined,
      );
    }
    expect((await place.standIn.balancer(arn))?.tags['team']).toBeUndefined();

    await grant();
    const grantedMs = Date.now();
    for (const name of ['old', 'new']) await objects.whenReady(name, BEFORE_ANY_RETRY_MS);
    const done = operator.log.findLast(({ reason }) => reason === 'Available');
    expect(Date.parse(String(done?.time)) - grantedMs).toBeLessThan(20_000);
    expect((await place.standIn.balancer(arn))?.tags['team']).toBe('web');
    await operator.stop();
  });
});

describe('an operator without the ClusterRole albridge-nodes', () => {
  it('reports it on the object whose backend needs it, stays ready, and continues when it is granted', async () => {
    const binding = 'clusterrolebinding/albridge-nodes';
    const shipped = await place.kubectl(['get', binding, '-o', 'json']);
    await place.kubectl(['delete', binding]);
    const healthPort = await findFreePort();
    const probe = async (): Promise<string> =>
      (await fetch(`http://127.0.0.1:${healthPort}/readyz?verbose`)).text();
    const operator = await surroundings.startOperator({
      ALBRIDGE_HEALTH_ADDRESS: `127.0.0.1:${healthPort}`,
    });
    const objects = await place.createNamespace('nodeless');
    const subnets = place.network.articleSubnets;
    const service = { name: 'web', port: 80 };
    const backends = [{ name: 'web', service, targetType: 'instance' as const }];
    await objects.create('nodes', { subnets, backends });
    const refused = await objects.when('nodes', ({ status }) =>
      Boolean(status.backends?.[0]?.message?.includes('ClusterRole albridge-nodes')),
    );
    expect(conditionOf(refused, 'BackendsResolved')?.reason).toBe('NodesUnknown');
    expect(await probe()).toContain('readyz check passed');

    await objects.create('others', { subnets });
    await objects.whenReady('others');
    const { metadata, roleRef, subjects, ...kind } = JSON.parse(shipped) as {
      readonly metadata: { readonly name: string };
    } & Readonly<Record<string, unknown>>;
    const again = { ...kind, metadata: { name: metadata.name }, roleRef, subjects };
    await place.kubectl(['apply', '-f', '-'], JSON.stringify(again));
    await objects.when('nodes', ({ status }) =>
      Boolean(status.backends?.[0]?.message?.startsWith('Service web does not exist')),
    );
    await operator.stop();
  });
});
