import { describe, expect, it } from 'vitest';
import { adoptFieldOwners, FIELD_MANAGER } from '../../../../src/kube/write/server-side-apply.ts';

const OWNER = 'uid-of-web-app';
const ownedByUs = { 'f:ownerReferences': { [`k:{"uid":"${OWNER}"}`]: {} } };

describe('a child whose managedFields someone has cleared', () => {
  it('keeps what others have set', () => {
    const fieldsV1 = { 'f:metadata': ownedByUs };
    const sidecar = { 'f:containers': { 'k:{"name":"mesh"}': {} } };
    const all = { ...fieldsV1, 'f:spec': { 'f:template': { 'f:spec': sidecar } } };
    const owners = [
      { manager: FIELD_MANAGER, operation: 'Apply', fieldsV1 },
      { manager: 'before-first-apply', operation: 'Update', fieldsV1: all },
    ];
    expect(adoptFieldOwners(owners, [], OWNER)).toBeUndefined();
  });
});
