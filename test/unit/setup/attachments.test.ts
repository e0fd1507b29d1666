import { expect, it } from 'vitest';
import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import type { WebApp } from '../../../src/apis/web-app.ts';
import { DEFAULT_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import type { KubeTransport } from '../../../src/kube/client/kube-transport.ts';
import { Operator } from '../../../src/operator.ts';
import { readWebApp, recallWebApp } from '../../../src/setup/attachments.ts';
import { ManualClock } from '../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { SilentLogger } from '../../fakes/silent-logger.ts';
import { ApiServerModel } from '../../simulation/api-model/api-server-model.ts';
import { BUILT_IN_KINDS } from '../../simulation/api-model/kinds.ts';
import { createModelTransport } from '../../simulation/api-model/model-transport.ts';
import { DEFINED_KINDS } from '../../simulation/served-definition.ts';

it('watches WebApps once for their own controller and for what they attach', async () => {
  const clock = new ManualClock();
  const random = seededRandom(1);
  const model = new ApiServerModel({ clock, random, kinds: [...BUILT_IN_KINDS, ...DEFINED_KINDS] });
  const inner = createModelTransport(model, 'operator');
  const asked: string[] = [];
  const transport: KubeTransport = {
    request: (request) => {
      asked.push(request.path);
      return inner.request(request);
    },
  };
  const operator = new Operator(
    {
      ...{ clock, transport, log: new SilentLogger(), metrics: new RecordingMetrics() },
      leadership: { isLeader: () => true },
      acquired: Promise.resolve(),
      api: { send: () => Promise.reject(new Error('down')) },
    },
    {
      ...{ mode: 'reconcile', kinds: ['myingress', 'webapp'], readinessGates: false },
      ...{ clusterId: 'cluster', namespaces: [], sweepIntervalMs: 300_000, concurrency: 4 },
      aws: { region: 'us-east-1', budget: DEFAULT_LIMITS, backendSecurityGroups: [] },
      ...{ identity: 'operator', podName: 'operator' },
    },
  );
  operator.start().catch(() => undefined);
  await clock.advance(1_000);
  const watches = asked.filter((path) => path === '/apis/apps.example.com/v1/webapps');
  const stopped = operator.stop(new Error('stopped'));
  await clock.advance(2_000);
  await stopped;
  expect(watches).toHaveLength(1);
});

it('knows the backends of a WebApp by its name alone, and of no other kind', () => {
  const ref = { kind: 'WebApp', namespace: 'team', name: 'shop' };
  const expose = { ingress: { name: 'shared' }, hosts: ['shop.example.com'] };
  const object = { metadata: ref, spec: { image: 'nginx', expose } } as unknown as WebApp;
  expect(recallWebApp(ref)).toEqual(readWebApp(object)?.backends);
  expect(recallWebApp({ ...ref, kind: 'Other' })).toEqual([]);
});
