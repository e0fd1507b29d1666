import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { reasonsOfMyIngress } from '../../src/cli/objects/kinds.ts';
import { conditionOf, isReady, type MyIngresses, readyOf } from '../surroundings/my-ingresses.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { quietFor } from '../surroundings/until.ts';
import { askForALook, nameFor, refusal, refuse } from './setup-faults.ts';
import { type Place, placeOf } from './setup-place.ts';

let surroundings: Surroundings;
let place: Place;
let objects: MyIngresses;
let subnets: readonly string[];

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
  objects = await place.createNamespace('stalled');
  subnets = place.network.articleSubnets;
  await surroundings.startOperator({ ALBRIDGE_SWEEP_INTERVAL: '1h' });
});

afterEach(() => place.standIn.clearFaults());

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

/** Answers like AWS's, as its model of the operation or its list of common errors has them. */
const refusals = {
  ValidationError: { code: 'ValidationError', status: 400 },
  InvalidScheme: { code: 'InvalidScheme', status: 400 },
  InvalidConfigurationRequest: { code: 'InvalidConfigurationRequest', status: 400 },
  DuplicateTagKeys: { code: 'DuplicateTagKeys', status: 400 },
  TooManyTags: { code: 'TooManyTags', status: 400 },
  SubnetNotFound: { code: 'SubnetNotFound', status: 400 },
  InvalidSubnet: { code: 'InvalidSubnet', status: 400 },
  AvailabilityZoneNotSupported: { code: 'AvailabilityZoneNotSupported', status: 400 },
  InvalidSecurityGroup: { code: 'InvalidSecurityGroup', status: 400 },
  TooManyLoadBalancers: { code: 'TooManyLoadBalancers', status: 400 },
  OperationNotPermitted: { code: 'OperationNotPermitted', status: 400 },
  ResourceInUse: { code: 'ResourceInUse', status: 400 },
  CredentialsRefused: { code: 'InvalidClientTokenId', status: 403 },
  AwsError: { code: 'SomethingNobodyHasHeardOf', status: 400 },
} as const;

type Refused = keyof typeof refusals;
const reasons = Object.keys(refusals) as readonly Refused[];

describe('a refusal that needs action by a person', () => {
  beforeAll(async () => {
    for (const reason of reasons) {
      const { code, status } = refusals[reason];
      const effect = refusal(code, status);
      await place.standIn.addFault({ operation: 'CreateLoadBalancer', effect });
      await objects.create(nameFor(reason), { subnets });
      await objects.whenReason(nameFor(reason), reason);
    }
  });

  it.each(reasons)('%s is reported in the condition and in an event', async (reason) => {
    const object = await objects.get(nameFor(reason));
    expect(object.status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason, observedGeneration: 1 },
      { type: 'Stalled', status: 'True', reason },
    ]);
    const { message = '' } = readyOf(object) ?? {};
    expect(message).toContain('said by AWS');
    expect(message).toContain(reasonsOfMyIngress[reason].next);
    expect(await objects.event(nameFor(reason), reason)).toMatchObject({
      type: 'Warning',
      note: message,
    });
  });

  it('is not retried again and again', async () => {
    const before = await callsByOperation();
    await quietFor(3000);
    expect(await callsByOperation()).toEqual(before);
    expect(await place.standIn.operatorCalls('CreateLoadBalancer')).toHaveLength(reasons.length);
  });

  it('is resolved at once by an edit', async () => {
    for (const reason of reasons) await objects.edit(nameFor(reason), { tags: { edit: '1' } });
    await Promise.all(
      reasons.map(async (reason) => {
        const object = await objects.when(nameFor(reason), isReady);
        expect(conditionOf(object, 'Stalled')).toBeUndefined();
      }),
    );
    expect(await place.standIn.balancersOf(objects.namespace)).toHaveLength(reasons.length);
  });

  it('names the missing right', async () => {
    const operations = { CreateLoadBalancer: {}, AddTags: { tags: { team: 'web' } } };
    for (const [operation, edit] of Object.entries(operations)) {
      await refuse(place.standIn, operation, refusal('AccessDenied', 403));
      if (!(await objects.exists('web-denied'))) await objects.create('web-denied', { subnets });
      else await objects.edit('web-denied', edit);
      const denied = await objects.whenReason('web-denied', 'AccessDenied');
      expect(readyOf(denied)?.message).toContain(`allow elasticloadbalancing:${operation} in `);
      await place.standIn.clearFaults();
      await askForALook(objects, 'web-denied');
      await objects.whenReady('web-denied');
    }
  });

  it("comes from the account's own quota, and is over when that is raised", async () => {
    const { length } = await place.standIn.balancers();
    await place.standIn.changeSettings({ quota: length });
    await objects.create('web-quota', { subnets });
    const full = await objects.whenReason('web-quota', 'TooManyLoadBalancers');
    expect(readyOf(full)?.message).toContain('Service Quotas');
    await place.standIn.changeSettings({ quota: 1000 });
    await askForALook(objects, 'web-quota');
    await objects.whenReady('web-quota');
  });
});

describe('a create that AWS answers with a balancer of others', () => {
  it('does not lead to a change of it', async () => {
    const name = 'raced-by-another';
    const arn = await place.outsider.createBalancer({
      Name: name,
      Subnets: [...subnets],
      Scheme: 'internet-facing',
    });
    const before = await place.standIn.balancer(arn);
    // The look before the create does not see it yet.
    await place.standIn.addFault({
      operation: 'DescribeLoadBalancers',
      effect: { kind: 'staleReads', ageMs: 60_000 },
    });
    await objects.create('web-raced', { name, subnets });
    const object = await objects.whenReason('web-raced', 'NameConflict');
    expect(readyOf(object)?.message).not.toContain(arn);
    await objects.startDeleting('web-raced');
    await objects.isGone('web-raced');
    expect(await place.standIn.balancer(arn)).toEqual(before);
    expect(await place.standIn.writesOn(arn)).toEqual([]);
  });
});

async function callsByOperation(): Promise<Readonly<Record<string, number>>> {
  const calls = await place.standIn.operatorCalls();
  const counts: Record<string, number> = {};
  for (const { operation } of calls) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}
