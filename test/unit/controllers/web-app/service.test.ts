import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebAppBench } from './bench.ts';

let bench: WebAppBench;

beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

describe('a WebApp with spec.service', () => {
  it('becomes a Service as it says, whose port http is that of the pods', async () => {
    const annotations = { 'example.com/scheme': 'internal' };
    bench.store({ port: 8080, service: { port: 80, type: 'LoadBalancer', annotations } });
    await bench.start();
    expect(bench.service).toMatchObject({
      metadata: { annotations },
      spec: { type: 'LoadBalancer', ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
    });
    expect(bench.object.status).toMatchObject({ url: 'http://shop.web.svc:80' });
    expect(bench.deployment.spec).toMatchObject({
      template: { spec: { containers: [{ ports: [{ containerPort: 8080 }] }] } },
    });
  });

  it('leaves others the type where it names none', async () => {
    bench.store({ service: { port: 8080 } });
    await bench.start();
    expect(bench.service).toMatchObject({ spec: { ports: [{ port: 8080, targetPort: 80 }] } });
    expect(bench.service).not.toHaveProperty('spec.type');
  });
});

it('repairs a selector that others have narrowed, by which the Service has no pods', async () => {
  await bench.run();
  bench.kube.edit(bench.service, (live) => {
    const { spec } = live as typeof live & { readonly spec: { readonly selector: object } };
    return { ...live, spec: { ...spec, selector: { ...spec.selector, track: 'canary' } } };
  });
  await bench.clock.settle();
  expect(bench.service).not.toHaveProperty('spec.selector.track');
  expect(bench.events.recorded.at(-1)?.note).toBe('Repaired Service shop: spec.selector');
  bench.takeWrites();
  await bench.edit({});
  expect(bench.takeWrites()).toEqual([]);
});

it('leaves the selector of a Deployment alone that a webhook has extended, since it is immutable', async () => {
  await bench.run();
  bench.takeWrites();
  await bench.editDeployment((live) => {
    const { spec } = live as typeof live & {
      readonly spec: { readonly selector: { readonly matchLabels: object } };
    };
    const matchLabels = { ...spec.selector.matchLabels, team: 'blue' };
    return { ...live, spec: { ...spec, selector: { matchLabels } } };
  });
  expect(bench.takeWrites()).not.toContain('apply');
  expect(bench.deployment).toHaveProperty('spec.selector.matchLabels.team');
});
