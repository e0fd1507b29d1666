import { describe, expect, it } from 'vitest';
import { resourceTagKey } from '../../../../../src/apis/my-ingress.ts';
import { nameSecurityGroup } from '../../../../../src/controllers/my-ingress/graph/names.ts';
import {
  identifyTargetGroup,
  pickSecurityGroups,
} from '../../../../../src/controllers/my-ingress/graph/tags.ts';
import { desireOwnershipTags } from '../../../../../src/controllers/my-ingress/identity.ts';

const identity = { cluster: 'a', namespace: 'web', name: 'shop', uid: 'uid-1' };
const copied = desireOwnershipTags(identity);
const whole = { ...copied, [resourceTagKey]: 'x' };

describe('of security groups with the ownership tags of an object', () => {
  function pick(...given: readonly (readonly [name: string, tags: typeof copied])[]) {
    const found = given.map(([name, tags], index) => {
      return { securityGroup: { id: `sg-${index}`, name, vpcId: 'vpc-1', ingress: [] }, tags };
    });
    return pickSecurityGroups(found, identity).map(({ securityGroup: { id } }) => id);
  }

  it('those of another name have the tag for the resource, too', () => {
    expect(pick(['mine', copied], ['mine', whole])).toEqual(['sg-1']);
  });

  it('the one with the tag for the resource comes first', () => {
    const name = nameSecurityGroup(identity);
    expect(pick([name, copied], [name, whole])).toEqual(['sg-1', 'sg-0']);
  });
});

describe('a target group with the ownership tags of an object', () => {
  const id = (name: string, tags: typeof copied) => {
    return identifyTargetGroup({ targetGroup: { name }, tags }, identity);
  };

  it('is its own by the tag for the resource or by its name, and foreign otherwise', () => {
    expect(id('mine', whole)).toBe('x');
    expect(id('shop-api-b0681ec0', copied)).toBe('target-group/shop-api-b0681ec0');
    expect(id('mine', copied)).toBeUndefined();
  });
});
