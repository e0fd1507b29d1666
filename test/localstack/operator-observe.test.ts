import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditEntry, type AuditLog, createAuditLog } from '../surroundings/audit-log.ts';
import { arnOf, readyOf } from '../surroundings/my-ingresses.ts';
import { OPERATOR_KEY, shippedPolicy } from '../surroundings/shipped-policy.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

let audit: AuditLog;
let surroundings: Surroundings;
let place: Place;

beforeAll(async () => {
  audit = await createAuditLog();
  surroundings = await startSurroundings({ provisioningMs: 0, apiServerArgs: audit.apiServerArgs });
  place = placeOf(surroundings);
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
  await audit?.remove();
});

interface Role {
  readonly rules?: readonly {
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const READS = ['get', 'list', 'watch'];

/** As docs/install.md has it: reads, and patches of status. */
async function makeReadOnly(): Promise<void> {
  const select = ['clusterroles,roles', '-A', '-l', 'app.kubernetes.io/name=albridge'];
  const found = await place.kubectl(['get', ...select, '-o', 'json']);
  const { items } = JSON.parse(found) as { items: readonly Role[] };
  const narrowed = items.map((role) => ({
    ...role,
    rules: (role.rules ?? [])
      .map(({ resources, verbs, ...rule }) => {
        const isStatus = resources.every((resource) => resource.endsWith('/status'));
        const kept = verbs.filter((verb) => READS.includes(verb) || (isStatus && verb === 'patch'));
        return { ...rule, resources, verbs: kept };
      })
      .filter(({ verbs }) => verbs.length > 0),
  }));
  const list = { apiVersion: 'v1', kind: 'List', items: narrowed };
  await place.kubectl(['replace', '-f', '-'], JSON.stringify(list));
  const policy = shippedPolicy(await place.clusterId());
  const named = ['Look', 'ElbAsksEc2', 'FindCertificates'];
  const reads = policy.Statement.filter(({ Sid }) => named.includes(Sid));
  await place.standIn.setPolicy(OPERATOR_KEY, { ...policy, Statement: reads });
}

async function requests(): Promise<readonly AuditEntry[]> {
  const user = 'system:serviceaccount:albridge-system:albridge';
  return (await audit.entries()).filter((entry) => entry.user.username === user);
}

/** Requests of the operator that are no reads, such as `patch myingresses/status`. */
async function writesToCluster(): Promise<readonly string[]> {
  return (await requests())
    .filter(({ verb }) => !READS.includes(verb))
    .map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}/${objectRef?.subresource ?? ''}`);
}

async function writesToAws(): Promise<readonly string[]> {
  const calls = await place.standIn.operatorCalls();
  return calls.map(({ operation }) => operation).filter((name) => !name.startsWith('Describe'));
}

const MY_APP = `
apiVersion: demo.rtfm.co.ua/v1
kind: MyApp
metadata: { name: banner }
spec: { image: "nginx:1.29" }
`;

describe('an operator with ALBRIDGE_MODE=observe and read-only rights', () => {
  it('shows what it would do, writes only status, and lacks no right', async () => {
    const subnets = place.network.articleSubnets;
    const objects = await place.createNamespace('observed');
    const first = await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '1s' });
    await objects.create('held', { subnets });
    const arn = arnOf(await objects.whenReady('held'));
    await first.stop();
    await makeReadOnly();
    await place.standIn.clearCalls();
    const before = (await writesToCluster()).length;

    const observer = await surroundings.startOperator({
      ...{ ALBRIDGE_MODE: 'observe', ALBRIDGE_SWEEP_INTERVAL: '1s' },
    });
    await objects.create('new', {
      subnets,
      backends: [{ name: 'web', service: { name: 'web', port: 80 } }],
    });
    await place.kubectl(['apply', '-n', objects.namespace, '-f', '-'], MY_APP);
    await objects.startDeleting('held');
    const created = await objects.whenReason('new', 'ObserveMode');
    const held = await objects.whenReason('held', 'ObserveMode');
    const app = ['get', 'myapp', 'banner', '-n', objects.namespace, '-o'];
    await until('the MyApp says so', async () => {
      const reason = 'jsonpath={.status.conditions[?(@.type=="Ready")].reason}';
      return (await place.kubectl([...app, reason])) === 'ObserveMode';
    });

    expect(created.status?.plan).toMatchObject({
      generation: 1,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      omitted: 0,
    });
    expect(created.status?.plan?.steps).toContain('create load-balancer  (not there)');
    expect(created.metadata.finalizers).toBeUndefined();
    expect(readyOf(held)?.message).toContain('the deletion waits, status.plan has 1 step');
    expect(await place.standIn.balancer(arn)).toBeDefined();
    expect(await place.kubectl(['get', 'pods', '-n', objects.namespace, '-o', 'name'])).toBe('');
    expect(await writesToAws()).toEqual([]);
    const writes = new Set((await writesToCluster()).slice(before));
    expect(writes).toEqual(new Set(['patch myingresses/status', 'patch myapps/status']));
    const refused = (await requests()).filter(({ responseStatus }) => responseStatus?.code === 403);
    expect(refused.map(({ requestURI }) => requestURI)).toEqual([]);
    expect(observer.log.filter(({ level }) => level === 'error')).toEqual([]);
    await observer.stop();
  });
});
