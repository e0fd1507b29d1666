import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PodTemplate } from '../../../src/pods/pod-template.ts';
import { POD as IMMORTAL_POD, ImmortalBench } from '../controllers/immortal-container/bench.ts';
import { MyAppBench, PODS } from '../controllers/my-app/bench.ts';

const [POD] = PODS;
const many = Array.from({ length: 70 }, (_, index) => [`a-${100 + index}`, 'x']);

const templates: Readonly<Record<string, PodTemplate>> = {
  annotations: { metadata: { annotations: { 'example.com/scrape': 'true' } } },
  'more labels than the cache holds': { metadata: { labels: Object.fromEntries(many) } },
  'a token': { spec: { automountServiceAccountToken: true } },
  'a grace period': { spec: { terminationGracePeriodSeconds: 60 } },
  ports: { spec: { containers: [{ name: 'shop', ports: [{ containerPort: 9090 }] }] } },
};

describe.each(Object.entries(templates))('pods with %s of a template', (_name, podTemplate) => {
  let app: MyAppBench;
  let container: ImmortalBench;

  beforeEach(async () => {
    [app, container] = [new MyAppBench(), new ImmortalBench()];
    await app.start();
    await container.start();
  });
  afterEach(async () => {
    await app.stop();
    container.stop();
  });

  it('are left alone by a second pass of a MyApp', async () => {
    await app.apply({ replicas: 1, podTemplate });
    expect(app.kubelet.pod(POD)).toMatchObject({ metadata: podTemplate.metadata ?? {} });
    await app.kubelet.run(POD);
    expect(app.condition('Ready')).toBe('True Running');
    app.takeWrites();
    await app.clock.advance(3600_000);
    await app.annotate({ 'example.com/note': 'read me' });
    expect(app.takeWrites()).toEqual([]);
    expect(app.events.reasons).not.toContain('DriftRepaired');
  });

  it('are left alone by a second pass of an ImmortalContainer', async () => {
    await container.apply();
    await container.edit('nginx:1.27', podTemplate);
    expect(container.kubelet.pod(IMMORTAL_POD)).toMatchObject({
      metadata: podTemplate.metadata ?? {},
    });
    await container.kubelet.run(IMMORTAL_POD);
    container.takeWrites();
    await container.clock.advance(3600_000);
    await container.annotate({ 'example.com/note': 'read me' });
    expect(container.takeWrites()).toEqual([]);
    expect(container.events.reasons).not.toContain('DriftRepaired');
  });
});
