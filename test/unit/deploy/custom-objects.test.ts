import { expect, it } from 'vitest';
import { isForAnnotation } from '../../../deploy/custom-objects.ts';

it.each([
  ['the ConfigMonitor that albridge made for a ConfigMap', 'albridge', true],
  ['not one that others made for it', 'kopf', false],
])('counts as one of an annotation %s', (_, madeBy, isCounted) => {
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: 'a1' };
  const monitor = {
    apiVersion: 'magalix.com/v1',
    kind: 'ConfigMonitor',
    metadata: {
      name: 'settings-annotated',
      labels: { 'app.kubernetes.io/managed-by': madeBy },
      ownerReferences: [{ ...owner, controller: true }],
    },
  };
  expect(isForAnnotation(monitor)).toBe(isCounted);
});
