import { describe, expect, it, onTestFinished } from 'vitest';
import { WebAppBench } from './bench.ts';

describe('status.url', () => {
  it('is the public one while the routes of spec.expose are served, and stays so while that is not known', async () => {
    const bench = new WebAppBench();
    onTestFinished(() => bench.stop());
    const inside = 'http://shop.web.svc:80';
    const url = 'https://shop.example.com/';
    const ingress = { name: 'shared' };
    bench.exposeState = { kind: 'attached', url };
    bench.store();
    await bench.start();
    await bench.serve(3);
    expect(bench.object.status.url).toBe(inside);
    await bench.edit({ expose: { ingress, hosts: ['shop.example.com'] } });
    expect(bench.object.status.url).toBe(url);
    for (const kind of ['unknown', 'pending'] as const) {
      bench.exposeState = { kind };
      await bench.annotate({ pass: kind });
      await bench.serve(2);
      expect(bench.object.status).toMatchObject({ url, availableReplicas: 2 });
      await bench.serve(3);
    }
    bench.exposeState = { kind: 'refused', reason: 'NotAllowed' };
    await bench.serve(2);
    expect(bench.object.status.url).toBe(inside);
    bench.exposeState = { kind: 'pending' };
    await bench.edit({ port: 8080 });
    expect(bench.object.status.url).toBe('http://shop.web.svc:8080');
    bench.exposeState = { kind: 'attached' };
    await bench.serve(3);
    expect(bench.object.status.url).toBe('http://shop.web.svc:8080');
    bench.exposeState = { kind: 'attached', url };
    await bench.serve(2);
    expect(bench.object.status.url).toBe(url);
    bench.exposeState = { kind: 'waiting' };
    await bench.serve(3);
    expect(bench.object.status.url, 'there is no load balancer').not.toBe(url);
  });
});
