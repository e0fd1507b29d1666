import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limitOperator } from '../surroundings/limited-operator.ts';
import type { LogLine } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { quietFor } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

const UNSUPPORTED =
  'nodes are not read here; set targetType to ip in spec.backends, or install albridge for the whole cluster';

let surroundings: Surroundings;
let place: Place;
let subnets: readonly string[];

beforeAll(async () => {
  // Only the controller manager empties and removes namespaces.
  surroundings = await startSurroundings({ provisioningMs: 0, controllerManager: true });
  place = placeOf(surroundings);
  subnets = place.network.articleSubnets;
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

describe('a deleted namespace', () => {
  it('is deleted with everything in it, including balancers, without an error in the log', async () => {
    const operator = await surroundings.startOperator();
    const objects = await place.createNamespace('doomed');
    await objects.create('one', { subnets });
    await objects.create('two', { subnets });
    await objects.create('refused', {
      subnets: ['subnet-0000000000000000f', 'subnet-0000000000000000e'],
    });
    for (const name of ['one', 'two']) await objects.whenReady(name);
    await objects.whenReason('refused', 'SubnetNotFound');
    const isError = ({ level }: LogLine): boolean => level === 'error';
    await operator.waitForLine((line) => isError(line) && line['reason'] === 'SubnetNotFound');
    const errors = operator.log.filter(isError).length;

    await place.kubectl(['delete', 'namespace', objects.namespace, '--timeout=90s']);

    expect(await place.standIn.balancers()).toEqual([]);
    // Its last words are read by then.
    await operator.stop();
    expect(operator.log.filter(isError).slice(errors)).toEqual([]);
    const deleted = operator.log.filter(({ reason }) => reason === 'DeletedALB');
    expect(deleted).toHaveLength(2);
  });
});

describe('ALBRIDGE_NAMESPACES', () => {
  it('limits the operator to the namespaces that it names', async () => {
    const served = await place.createNamespace('served');
    const other = await place.createNamespace('other');
    await limitOperator(surroundings.aws.environment, 'test-cluster');
    const operator = await surroundings.startOperator({
      ALBRIDGE_NAMESPACES: served.namespace,
      ALBRIDGE_CLUSTER_ID: 'test-cluster',
    });
    await other.create('web', { subnets });
    await served.create('web', { subnets });
    const object = await served.whenReady('web');
    const balancer = await place.standIn.balancer(object.status.alb?.arn as string);
    expect(balancer?.tags['albridge.io/cluster']).toBe('test-cluster');
    await quietFor(1000);
    expect((await other.get('web')).status.observedGeneration).toBe(-1);
    await operator.stop();
  });

  it('reports a backend of instances as unsupported, and is Ready', async () => {
    const served = await place.createNamespace('served');
    await limitOperator(surroundings.aws.environment, 'test-cluster');
    const operator = await surroundings.startOperator({
      ALBRIDGE_NAMESPACES: served.namespace,
      ALBRIDGE_CLUSTER_ID: 'test-cluster',
    });
    const service = { name: 'web', port: 80 };
    const backends = [{ name: 'web', service, targetType: 'instance' as const }];
    await served.create('web', { subnets, backends });
    const { status } = await served.whenReady('web');
    const resolved = status.conditions?.find(({ type }) => type === 'BackendsResolved');
    expect(resolved).toMatchObject({ status: 'False', reason: 'BackendUnsupported' });
    expect(resolved?.message).toBe(`backend web: ${UNSUPPORTED}`);
    expect(status.backends?.[0]?.message).toBe(UNSUPPORTED);
    await operator.stop();
  });
});
