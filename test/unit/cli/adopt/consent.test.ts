import { describe, expect, it } from 'vitest';
import {
  composeConsentTags,
  composeTagCommand,
  listWarnings,
  refuseUnadoptable,
} from '../../../../src/cli/adopt/consent.ts';
import { canAdopt } from '../../../../src/controllers/my-ingress/identity.ts';

const ADOPTER = { cluster: 'blue', namespace: 'web', name: 'shop' };
const BALANCER = { arn: 'arn:lb', type: 'application' };
const HELD = {
  'albridge.io/cluster': 'blue',
  'albridge.io/namespace': 'api',
  'albridge.io/name': 'x',
};

function refuse(tags: Readonly<Record<string, string>>, type = 'application'): () => void {
  return () => refuseUnadoptable({ ...BALANCER, type }, tags, ADOPTER);
}

describe('the consent to an adoption', () => {
  it('is what the operator asks for', () => {
    const tags = composeConsentTags(ADOPTER);
    expect(canAdopt(tags, { ...ADOPTER, uid: 'u1' })).toBe(true);
  });

  it('is a command that a shell takes as it is', () => {
    expect(composeTagCommand(['arn:a', 'arn:b'], { k: "it's $HOME" })).toBe(
      `aws elbv2 add-tags --resource-arns arn:a arn:b --tags 'Key=k,Value=it'\\''s $HOME'`,
    );
  });

  it('is not asked for where it would not help', () => {
    expect(refuse({ team: 'web' })).not.toThrow();
    expect(refuse({}, 'network')).toThrow(/of type network: albridge adopts application/);
    expect(refuse({ ...HELD, 'albridge.io/uid': 'u1' })).toThrow(
      /is held by MyIngress api\/x of cluster blue: set its deletionPolicy to Retain/,
    );
    expect(refuse({ 'albridge.io/cluster': 'blue', 'albridge.io/uid': 'u1' })).toThrow(
      'was released and still has tags of albridge: aws elbv2 remove-tags --resource-arns arn:lb --tag-keys albridge.io/cluster albridge.io/uid, then',
    );
  });

  it('warns of another controller, and of a cluster id that any Deployment may have named', () => {
    const proved = { clusterId: 'blue', doubt: undefined };
    expect(listWarnings(proved, { team: 'web' })).toEqual([]);
    expect(listWarnings(proved, { 'elbv2.k8s.aws/cluster': 'x' })).toEqual([
      expect.stringContaining('elbv2.k8s.aws/cluster'),
    ]);
    expect(listWarnings({ ...proved, doubt: 'it is not proved' }, {})).toEqual([
      expect.stringContaining('that blue is the id of this cluster is not proved'),
    ]);
  });
});
