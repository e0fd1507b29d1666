import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settings } from '../../../src/config/settings.ts';

it('the directory of the service account is the one of the adapter to Kubernetes', () => {
  const adapter = readFileSync(
    `${import.meta.dirname}/../../../src/kube/client/cluster-source.ts`,
    'utf8',
  );
  expect(adapter).toContain(`'${settings.serviceAccountDir.default}'`);
});
