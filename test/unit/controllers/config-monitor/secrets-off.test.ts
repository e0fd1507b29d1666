import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SecretReader } from '../../../../src/controllers/config-monitor/scope.ts';
import { ConfigMonitorBench } from './bench.ts';

let bench: ConfigMonitorBench;

beforeEach(async () => {
  bench = await ConfigMonitorBench.configured();
});

afterEach(() => bench.stop());

it('an edit that takes out a Secret restarts the pods for a change that the ConfigMap had while Secrets were off', async () => {
  await bench.store('Secret', 'db', { password: 'x' });
  await bench.deploy(2);
  await bench.monitor({ sources: [{ kind: 'Secret', name: 'db' }] });
  await bench.clock.advance(1_000);
  expect(bench.condition('Ready')).toBe('True Watching');
  // As src/setup/secrets/secrets.ts has it where the component is not installed.
  const secrets = bench.secrets.bind(bench);
  bench.secretFault = { kind: 'off' };
  bench.secrets = (cache): SecretReader => ({ ...secrets(cache), keyId: '' });
  await bench.restart();
  await bench.change('two', 10_000);
  expect(bench.condition('Stalled')).toBe('True SecretsOff');
  await bench.editMonitor({ sources: [] });
  await bench.clock.advance(120_000);
  expect(bench.condition('Ready')).toBe('True Watching');
  expect(bench.kept()).toBe(0);
});
