import { describe, expect, it } from 'vitest';
import { draftApp } from './app.ts';
import { AttachBench } from './bench.ts';

const OLD = '2025-01-01T00:00:00Z';
const HOSTS = { hosts: ['shop.example.com'] };
const SELECTOR = { from: 'Selector', selector: { matchLabels: { team: 'a' } } } as const;

describe('a host and path after a restart', () => {
  it('stays with its holder where its port has become another one', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('z', HOSTS));
    bench.record();
    bench.attach(draftApp('a', { ...HOSTS, createdAt: OLD }));
    bench.edit({ listeners: [{ port: 8080, protocol: 'HTTP' }] });
    await bench.restart();
    expect(bench.served).toEqual(['WebApp/web/z']);
  });

  it.each([80, 443])(
    'stays with its holder where there was no listener, and port %s comes',
    async (port) => {
      const bench = await AttachBench.open();
      bench.attach(draftApp('z', HOSTS));
      bench.attach(draftApp('a', { ...HOSTS, createdAt: OLD }));
      bench.edit({ listeners: [] });
      for (const _pass of [1, 2]) {
        bench.record();
        await bench.restart();
        expect(bench.served).toEqual([]);
      }
      bench.edit({ listeners: [{ port, protocol: 'HTTP' }] });
      expect(bench.served).toEqual(['WebApp/web/z']);
    },
  );

  it('stays with its holder although that held many on ports that are gone', async () => {
    const paths = Array.from({ length: 25 }, (_, index) => `/p${index}/*`);
    const holder = draftApp('z', { ...HOSTS, paths });
    const bench = await AttachBench.open();
    bench.attach(holder);
    for (const port of [81, 82, 83, 84, 85]) {
      bench.edit({ listeners: [{ port, protocol: 'HTTP' }] });
      bench.record();
    }
    bench.attach(draftApp('a', { ...HOSTS, paths, createdAt: OLD }));
    await bench.restart();
    expect(new Set(bench.served)).toEqual(new Set(['WebApp/web/z']));
  });

  it('stays with a holder that is not served while labels are not known', async () => {
    const bench = await AttachBench.open({ allowedNamespaces: SELECTOR });
    bench.label('team', { team: 'a' });
    const holder = draftApp('z', { ...HOSTS, namespace: 'team' });
    bench.attach(draftApp('first'), holder);
    await bench.namespacesRead();
    const grown = { hosts: [...HOSTS.hosts, 'first.example.com'], namespace: 'team' };
    bench.attach(draftApp('z', grown), draftApp('a', HOSTS));
    bench.record();
    for (const _restart of [1, 2]) {
      await bench.restart();
      bench.record();
      expect(bench.served).toEqual(['WebApp/web/first']);
      expect(bench.state(draftApp('a'))).toBe('refused HostAndPathTaken');
    }
    bench.attach(holder);
    expect(bench.served).toEqual(['WebApp/team/z', 'WebApp/web/first']);
  });
});

it('a host goes by age where the MyIngress is another one of the same name, also where others view its end', async () => {
  const bench = await AttachBench.open();
  bench.attachments.view.subscribe(() => undefined);
  bench.attach(draftApp('z', HOSTS));
  bench.record();
  bench.attach(draftApp('a', { ...HOSTS, createdAt: OLD }));
  expect(bench.served).toEqual(['WebApp/web/z']);
  bench.kube.delete(bench.stored);
  bench.ingress();
  expect(bench.served).toEqual(['WebApp/web/a']);
});
