import { expect, it } from 'vitest';
import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import { TrafficInvariants } from '../../simulation/traffic/aws-invariants.ts';
import type { Picture, Resource } from '../../simulation/traffic/resources.ts';

const tags = new Map([
  ['albridge.io/resource', 'target-group/web'],
  ['albridge.io/managed-by', 'albridge'],
]);
const GROUP = {
  ...{ kind: 'targetGroup', key: 'arn:group', tags },
  record: { name: 'shop-web', tags },
} as unknown as Resource;

function draftRecord(targetGroups: readonly string[]): MyIngress {
  const metadata = { namespace: 'web', name: 'shop', finalizers: ['albridge.io/load-balancer'] };
  return { metadata, status: { owned: { targetGroups } } } as unknown as MyIngress;
}

/** The promises that a create breaks once its name was on record, and then dropped over this account. */
function judgeCreate(dropped: Picture): readonly string[] {
  const broken: string[] = [];
  type Parts = ConstructorParameters<typeof TrafficInvariants>[0];
  const invariants = new TrafficInvariants({
    claims: { ownerOf: () => 'web/shop' },
    object: () => draftRecord([]),
    lostFinalizers: { mayBeUnknown: () => false },
    isGoneInSpite: () => false,
    report: (promise: string) => broken.push(promise),
  } as unknown as Parts);
  invariants.noteRecord(draftRecord(['shop-web']), () => new Map());
  invariants.noteRecord(draftRecord([]), () => dropped);
  const call = { operation: 'CreateTargetGroup' } as Parameters<typeof invariants.judge>[0];
  invariants.judge(call, [{ before: undefined, after: GROUP }], new Map([[GROUP.key, GROUP]]));
  return broken;
}

it('a name that was dropped from the record counts only while AWS has it', () => {
  expect(judgeCreate(new Map())).toContain('record-before-create');
  expect(judgeCreate(new Map([[GROUP.key, GROUP]]))).not.toContain('record-before-create');
});
