import { expect, it } from 'vitest';
import { listHeld } from '../../../../src/controllers/web-app/choices.ts';

interface Owner {
  readonly manager: string;
  readonly fieldsV1: object;
}

function holdProbe(manager: string, probe: object): Owner {
  const app = { 'k:{"name":"app"}': { '.': {}, 'f:readinessProbe': probe } };
  const pod = { 'f:containers': app, 'f:terminationGracePeriodSeconds': {} };
  return { manager, fieldsV1: { 'f:spec': { 'f:template': { 'f:spec': pod } } } };
}

function listHeldOf(managedFields: readonly object[] = []): readonly string[] {
  const metadata = { name: 'shop', namespace: 'web', managedFields };
  return listHeld({ apiVersion: 'apps/v1', kind: 'Deployment', metadata }, 'albridge');
}

it('a choice is held by the one manager that made it', () => {
  const ours = holdProbe('albridge', { 'f:httpGet': { 'f:port': {} } });
  expect(listHeldOf([ours])).toEqual(['terminationGracePeriodSeconds', 'httpGet']);
  const status = { manager: 'albridge', fieldsV1: { 'f:status': {} } };
  expect(listHeldOf([status, ours])).toEqual(['terminationGracePeriodSeconds', 'httpGet']);
});

it('a choice that others have made as well, or alone, is not held', () => {
  const ours = holdProbe('albridge', { 'f:httpGet': { 'f:path': {} } });
  const theirs = holdProbe('kubectl-patch', { 'f:httpGet': { 'f:port': {} } });
  expect(listHeldOf([ours, theirs])).toEqual([]);
  expect(listHeldOf([theirs])).toEqual([]);
  expect(listHeldOf()).toEqual([]);
});
