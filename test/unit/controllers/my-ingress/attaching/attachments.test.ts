import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../../src/apis/my-ingress.ts';
import { findDecision } from '../../../../../src/controllers/my-ingress/attaching/joined.ts';
import { draftOf } from '../drafts.ts';
import { draftApp } from './app.ts';
import { AttachBench } from './bench.ts';

const OLD = '2025-01-01T00:00:00Z';
const HOSTS = { hosts: ['shop.example.com'] };
const SELECTOR = { from: 'Selector', selector: { matchLabels: { team: 'a' } } } as const;
const APP = draftApp('app');
const GUEST = draftApp('guest', { namespace: 'team' });

describe('a MyIngress', () => {
  it('is the stored object itself while nothing attaches to it', async () => {
    const bench = await AttachBench.open();
    bench.attach({ ...APP, ingress: 'web/another' });
    expect(bench.joined).toBe(bench.stored);
    expect(bench.attachments.view.get('web/shared')).toBe(bench.stored);
  });

  it('is joined with what attaches to it, also in the view, and not written', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    expect(bench.served).toEqual(['WebApp/web/app']);
    const { view } = bench.attachments;
    for (const object of [view.get('web/shared'), ...view.list()]) {
      expect(object && findDecision(object)?.rules).toHaveLength(1);
    }
    expect(bench.stored.spec).not.toHaveProperty('attached');
    expect(bench.kube.writes).toEqual([]);
  });

  it('that is being deleted serves nothing that attaches', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    const finalizers = ['keep'];
    bench.kube.editMeta(draftOf('shared'), { finalizers });
    bench.kube.delete(draftOf('shared'));
    expect(bench.joined).toBe(bench.stored);
    expect(bench.state(APP)).toBe('deleting');
  });

  it('without a spec serves nothing', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    const { spec: _none, ...stored } = bench.stored;
    expect(findDecision(bench.attachments.join(stored as MyIngress))).toBeUndefined();
  });

  it('is decided once while nothing changes, and again when its spec or an object does', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    const first = findDecision(bench.joined);
    expect(findDecision(bench.joined)).toBe(first);
    bench.edit({ listeners: [{ port: 8080, protocol: 'HTTP' }] });
    const second = findDecision(bench.joined);
    expect(second).not.toBe(first);
    bench.attach(draftApp('app', HOSTS));
    expect(findDecision(bench.joined)?.rules[0]?.rule.hosts).toEqual(HOSTS.hosts);
  });

  it('of the same name and generation after a deletion is decided again', async () => {
    const bench = await AttachBench.open({ allowedNamespaces: { from: 'All' } });
    bench.attach(GUEST);
    expect(bench.served).toEqual(['WebApp/team/guest']);
    bench.kube.delete(draftOf('shared'));
    bench.ingress();
    expect(bench.served).toEqual([]);
  });
});

describe('an object', () => {
  it('of the own namespace alone may attach by default', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP, GUEST);
    expect(bench.served).toEqual(['WebApp/web/app']);
    expect(bench.state(GUEST)).toBe('refused NotAllowed');
  });

  it('of any namespace may where the spec allows all', async () => {
    const bench = await AttachBench.open({ allowedNamespaces: { from: 'All' } });
    bench.attach(APP, GUEST);
    expect(bench.served.toSorted()).toEqual(['WebApp/team/guest', 'WebApp/web/app']);
  });

  it('attaches and detaches as the labels of its namespace change', async () => {
    const bench = await AttachBench.open({ allowedNamespaces: SELECTOR });
    bench.label('team', {});
    bench.attach(GUEST);
    await bench.namespacesRead();
    expect(bench.state(GUEST)).toBe('refused NotAllowed');
    bench.queued.length = 0;
    bench.label('team', { team: 'a', other: 'x' });
    expect(bench.queued).toEqual(['web/shared']);
    expect(bench.served).toEqual(['WebApp/team/guest']);
    bench.label('team', { team: 'b' });
    expect(bench.served).toEqual([]);
  });

  it('moves with the MyIngress that it names', async () => {
    const bench = await AttachBench.open();
    bench.kube.create(draftOf('another'));
    bench.attach(APP);
    bench.queued.length = 0;
    bench.attach({ ...APP, ingress: 'web/another' });
    expect(bench.queued.toSorted()).toEqual(['web/another', 'web/shared']);
    expect(bench.served).toEqual([]);
    expect(bench.attachments.listObjects('web/another')).toHaveLength(1);
    expect(bench.attachments.listObjects('web/shared')).toEqual([]);
  });

  it('that is created again queues no MyIngress that it named before', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    bench.detach(APP);
    bench.queued.length = 0;
    bench.attach({ ...APP, ingress: 'web/another' });
    expect(bench.queued).toEqual([]);
  });

  it('that is deleted frees its host, and has no state', async () => {
    const bench = await AttachBench.open();
    const [holder, next] = [draftApp('z', HOSTS), draftApp('a', HOSTS)];
    bench.attach(holder);
    expect(bench.served).toEqual(['WebApp/web/z']);
    bench.attach(next);
    expect(bench.state(next)).toBe('refused HostAndPathTaken');
    bench.queued.length = 0;
    bench.detach(holder);
    expect(bench.queued).toEqual(['web/shared']);
    expect(bench.served).toEqual(['WebApp/web/a']);
    expect(bench.state(holder)).toBeUndefined();
  });

  it('that is the last one to leave is noticed too', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    expect(bench.served).toEqual(['WebApp/web/app']);
    bench.queued.length = 0;
    bench.detach(APP);
    expect(bench.queued).toEqual(['web/shared']);
    expect(bench.joined).toBe(bench.stored);
  });
});

describe('a host and path', () => {
  it('stays with its holder across a restart, by what status records', async () => {
    const bench = await AttachBench.open();
    const holder = draftApp('z', HOSTS);
    const thief = draftApp('a', { ...HOSTS, createdAt: OLD });
    bench.attach(holder);
    expect(bench.served).toEqual(['WebApp/web/z']);
    bench.record();
    bench.attach(thief);
    await bench.restart();
    expect(bench.served).toEqual(['WebApp/web/z']);
  });

  it('stays with its holder while the spec of the MyIngress changes', async () => {
    const bench = await AttachBench.open();
    const holder = draftApp('z', HOSTS);
    bench.attach(holder);
    expect(bench.served).toEqual(['WebApp/web/z']);
    bench.attach(draftApp('a', { ...HOSTS, createdAt: OLD }));
    bench.edit({ tags: { team: 'a' } });
    expect(bench.served).toEqual(['WebApp/web/z']);
  });

  it('stays with its holder across a restart also where another host of it is taken', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('first', HOSTS));
    const holder = draftApp('z', { hosts: ['shop.example.com', '*.example.com'] });
    bench.attach(holder);
    bench.record();
    bench.attach(draftApp('a', { hosts: ['*.example.com'], createdAt: OLD }));
    await bench.restart();
    expect(bench.served).toEqual(['WebApp/web/first', 'WebApp/web/z']);
  });

  it('stays with its holder also while that asks for one more during a restart', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('z', HOSTS));
    bench.record();
    bench.attach(draftApp('z', { hosts: [...HOSTS.hosts, 'cart.example.com'] }));
    bench.attach(draftApp('a', { ...HOSTS, createdAt: OLD }));
    await bench.restart();
    expect(bench.served).toEqual(['WebApp/web/z']);
  });

  it('stays across a restart with a holder that is not served for now', async () => {
    const bench = await AttachBench.open();
    const holder = draftApp('z', HOSTS);
    bench.attach(draftApp('first'), holder);
    bench.record();
    bench.attach(draftApp('z', { hosts: [...HOSTS.hosts, 'first.example.com'] }));
    bench.record();
    bench.attach(draftApp('a', { ...HOSTS, createdAt: OLD }));
    await bench.restart();
    expect(bench.served).toEqual(['WebApp/web/first']);
    bench.attach(holder);
    expect(bench.served).toEqual(['WebApp/web/first', 'WebApp/web/z']);
  });

  it('stays with its holder also where another one is listed first after a restart', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('a', { hosts: ['another.example.com'] }), draftApp('z', HOSTS));
    bench.record();
    bench.attach(draftApp('a', HOSTS));
    expect(bench.served).toEqual(['WebApp/web/z']);
    bench.record();
    await bench.restart();
    expect(bench.served).toEqual(['WebApp/web/z']);
  });

  it('goes by age where the MyIngress is another one of the same name', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('z', HOSTS));
    expect(bench.served).toEqual(['WebApp/web/z']);
    bench.attach(draftApp('a', { ...HOSTS, createdAt: OLD }));
    bench.kube.delete(draftOf('shared'));
    bench.ingress();
    expect(bench.served).toEqual(['WebApp/web/a']);
  });

  it('goes by age where status is lost', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('z', HOSTS));
    expect(bench.served).toEqual(['WebApp/web/z']);
    bench.attach(draftApp('a', { ...HOSTS, createdAt: OLD }));
    await bench.restart();
    expect(bench.served).toEqual(['WebApp/web/a']);
  });
});

describe('before everything is read', () => {
  it('nothing is decided, and the MyIngress says so', async () => {
    const bench = new AttachBench();
    bench.ingress();
    bench.attach(APP);
    expect(findDecision(bench.joined)).toMatchObject({ isKnown: false, rules: [] });
    expect(bench.state(APP)).toBe('unknown');
    bench.queued.length = 0;
    await bench.apps.allRead();
    expect(bench.queued).toEqual(['web/shared']);
    expect(bench.served).toEqual(['WebApp/web/app']);
  });

  it('a MyIngress to which nothing ever attached is not queued', async () => {
    const bench = new AttachBench();
    bench.ingress();
    await bench.apps.allRead();
    expect(bench.queued).toEqual([]);
  });

  it('a MyIngress to which nothing attaches any more is queued once that is known', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    bench.record();
    bench.detach(APP);
    bench.queued.length = 0;
    await bench.restart();
    expect(bench.queued).toEqual(['web/shared']);
  });

  it('routes on record stay attached while labels are not known, and none is added', async () => {
    const bench = await AttachBench.open({ allowedNamespaces: { from: 'All' } });
    bench.attach(GUEST);
    bench.record();
    bench.edit({ allowedNamespaces: SELECTOR });
    const newcomer = draftApp('new', { namespace: 'team' });
    bench.attach(newcomer);
    expect(bench.served).toEqual(['WebApp/team/guest']);
    expect(bench.state(newcomer)).toBe('refused NamespacesUnknown');
    bench.label('team', {});
    bench.queued.length = 0;
    await bench.namespacesRead();
    expect(bench.queued).toEqual(['web/shared']);
    expect(bench.served).toEqual([]);
    expect(bench.state(newcomer)).toBe('refused NotAllowed');
  });

  it('a route on record as refused is not added while labels are not known', async () => {
    const bench = await AttachBench.open(
      { allowedNamespaces: SELECTOR },
      { readsNamespaces: false },
    );
    const entry = { kind: 'WebApp', namespace: 'team', name: 'guest', digest: '-', reason: 'X' };
    bench.kube.server.applyStatus(bench.stored, { attached: [entry] });
    bench.attach(GUEST);
    expect(bench.served).toEqual([]);
    expect(bench.state(GUEST)).toBe('refused NamespacesUnknown');
  });
});

describe('the state of an object', () => {
  it('is what the status of the MyIngress records of the same routes', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('another'), APP);
    expect(bench.state(APP)).toBe('pending');
    bench.record('Attaching');
    expect(bench.state(APP)).toBe('pending');
    bench.record('TooManyTargetGroups');
    expect(bench.state(APP)).toBe('failed TooManyTargetGroups');
    bench.record();
    expect(bench.state(APP)).toBe('attached');
    bench.attach(draftApp('app', HOSTS));
    expect(bench.state(APP)).toBe('pending');
    expect(bench.state(draftApp('another'))).toBe('attached');
  });

  it('names the claim that is taken, and not who has it', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('a', HOSTS), draftApp('b', HOSTS));
    expect(bench.attachments.read(draftApp('b'))).toEqual({
      ...{ kind: 'refused', reason: 'HostAndPathTaken' },
      claim: 'shop.example.com/* on port 80',
    });
  });

  it('does not show whether there is a MyIngress in another namespace', async () => {
    const bench = await AttachBench.open();
    const [own, other] = [
      { ...APP, ingress: 'web/none' } as const,
      { ...GUEST, ingress: 'web/none' } as const,
    ];
    bench.attach(own, other, { ...GUEST, name: 'third' });
    expect(bench.state(own)).toBe('missing');
    const third = { ...GUEST, name: 'third' };
    expect(bench.attachments.read(other)).toEqual(bench.attachments.read(third));
    const finalizers = ['keep'];
    bench.kube.editMeta(draftOf('shared'), { finalizers });
    bench.kube.delete(draftOf('shared'));
    expect(bench.attachments.read(other)).toEqual(bench.attachments.read(third));
  });

  it('says to each that may attach that the MyIngress is being deleted', async () => {
    const bench = await AttachBench.open({ allowedNamespaces: { from: 'All' } });
    bench.attach(APP, GUEST);
    const finalizers = ['keep'];
    bench.kube.editMeta(draftOf('shared'), { finalizers });
    bench.kube.delete(draftOf('shared'));
    expect([APP, GUEST].map((one) => bench.state(one))).toEqual(['deleting', 'deleting']);
  });

  it('says that the namespace of the MyIngress is not watched', async () => {
    const bench = await AttachBench.open({}, { namespaces: ['team'] });
    bench.attach(GUEST);
    expect(bench.state(GUEST)).toBe('unwatched');
    const watched = await AttachBench.open({}, { namespaces: ['team', 'web'] });
    watched.attach(GUEST);
    expect(watched.state(GUEST)).toBe('refused NotAllowed');
  });

  it('is announced when it changes, and only then', async () => {
    const bench = await AttachBench.open();
    const late = draftApp('late', HOSTS);
    bench.attach(draftApp('a', HOSTS), late, APP);
    bench.record();
    bench.heard.length = 0;
    bench.record();
    bench.edit({ tags: { team: 'a' } });
    expect(bench.heard).toEqual([]);
    bench.detach(draftApp('a'));
    expect(bench.heard).toEqual(['WebApp/web/late pending']);
    bench.kube.delete(draftOf('shared'));
    expect(bench.heard.slice(1).toSorted()).toEqual([
      'WebApp/web/app missing',
      'WebApp/web/late missing',
    ]);
  });

  it('is announced to each follower from now on, whatever was announced before', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    const heard: string[] = [];
    bench.attachments.follow(({ name }) => heard.push(name));
    expect(heard).toEqual(['app']);
  });

  it('is announced to an object that attaches again as before', async () => {
    const bench = await AttachBench.open();
    bench.attach(APP);
    bench.detach(APP);
    bench.heard.length = 0;
    bench.attach(APP);
    expect(bench.heard).toEqual(['WebApp/web/app pending']);
  });
});

describe('the view', () => {
  it('gives changes of the MyIngress with what is attached, and changes of what is attached', async () => {
    const bench = await AttachBench.open();
    const rules: (number | undefined)[] = [];
    const stop = bench.attachments.view.subscribe(({ object }) => {
      rules.push(findDecision(object)?.rules.length);
    });
    bench.attach(APP);
    bench.edit({ tags: { team: 'a' } });
    bench.detach(APP);
    expect(rules).toEqual([undefined, 1, 1, undefined]);
    stop();
    bench.attach(APP);
    bench.edit({ tags: {} });
    expect(rules).toHaveLength(4);
  });
});

describe('a stop', () => {
  it('ends everything that is followed', async () => {
    const bench = await AttachBench.open();
    bench.stop();
    bench.attach(APP);
    expect(bench.attachments.listObjects('web/shared')).toEqual([]);
  });

  it('queues nothing that is read later', async () => {
    const bench = new AttachBench();
    bench.ingress();
    bench.attach(APP);
    bench.queued.length = 0;
    bench.stop();
    await bench.apps.allRead();
    expect(bench.queued).toEqual([]);
  });

  it('of a follower of the states ends the announcements', async () => {
    const bench = await AttachBench.open();
    const heard: string[] = [];
    const stop = bench.attachments.follow(({ name }) => heard.push(name));
    stop();
    bench.attach(APP);
    expect(heard).toEqual([]);
  });
});
