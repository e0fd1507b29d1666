import { describe, expect, it } from 'vitest';
import {
  loadBalancerFinalizer,
  type MyIngress,
  type MyIngressSpec,
} from '../../../../../src/apis/my-ingress.ts';
import { NamedServices } from '../../../../../src/controllers/my-ingress/routes/named-services.ts';
import { MODE_ANNOTATION, PAUSED_ANNOTATION } from '../../../../../src/core/objects/annotations.ts';
import { FakeKube } from '../../../../fakes/fake-kube.ts';
import { ManualClock } from '../../../../fakes/manual-clock.ts';
import { draftApp } from '../attaching/app.ts';
import { AttachBench } from '../attaching/bench.ts';
import { draftOf } from '../drafts.ts';
import { SHOP, web } from '../traffic/specs.ts';

class Ground {
  readonly kube = new FakeKube();
  readonly clock = new ManualClock();
  readonly named = new NamedServices(this.kube.cache<MyIngress>('MyIngress'), this.clock);
  readonly changed: string[] = [];

  create(name: string, spec: Partial<MyIngressSpec>): MyIngress {
    return this.kube.create(draftOf(name, spec));
  }

  follow(): () => void {
    return this.named.follow((service) => this.changed.push(service));
  }

  /** Of the Services of SHOP. */
  get names(): readonly string[] {
    return ['web', 'api'].filter((name) => this.named.has(`web/${name}`));
  }
}

function ground(spec: Partial<MyIngressSpec>): Ground & { readonly object: MyIngress } {
  const made = new Ground();
  const object = made.create('shop', spec);
  made.follow();
  return Object.assign(made, { object });
}

describe('the Services that pods get the gate for', () => {
  it('are those of the backends of an object, in its namespace', () => {
    const { names, changed, named } = ground(SHOP);
    expect(names).toEqual(['web', 'api']);
    expect(changed).toEqual(['web/web', 'web/api']);
    expect(named.has('elsewhere/web')).toBe(false);
  });

  it('are not those of backends with nodes as targets: AWS sees no pod there', () => {
    const backends = [{ ...web, targetType: 'instance' as const }];
    expect(ground({ backends }).names).toEqual([]);
  });

  it('are none of an object that is only planned, until it is executed', () => {
    const made = new Ground();
    const { metadata, ...draft } = draftOf('shop', SHOP);
    const annotations = { [MODE_ANNOTATION]: 'plan' };
    const object = made.kube.create<MyIngress>({
      ...draft,
      metadata: { ...metadata, annotations },
    });
    made.follow();
    expect(made.names).toEqual([]);
    made.kube.editMeta(object, { annotations: {} });
    expect(made.names).toEqual(['web', 'api']);
  });

  it('do not change with weights, rules and pauses, so that no pod is replaced for one', () => {
    const { kube, object, names, changed } = ground({
      ...SHOP,
      defaultAction: { forward: [{ backend: 'web' }, { backend: 'api', weight: 0 }] },
      rules: [],
    });
    kube.editMeta(object, { annotations: { [PAUSED_ANNOTATION]: 'true' } });
    expect(names).toEqual(['web', 'api']);
    expect(changed).toHaveLength(2);
  });

  it('stay while another object names them', async () => {
    const made = ground(SHOP);
    const other = made.create('other', { backends: [web] });
    made.changed.splice(0);
    made.kube.delete(made.object);
    await made.clock.advance(15_000);
    expect(made.names).toEqual(['web']);
    expect(made.changed).toEqual(['web/api']);
    made.kube.delete(other);
    await made.clock.advance(15_000);
    expect(made.names).toEqual([]);
    expect(made.changed).toEqual(['web/api', 'web/web']);
  });

  it('follow an edit of the backends', () => {
    const made = ground(SHOP);
    made.changed.splice(0);
    made.kube.edit(made.object, (live) => ({ ...live, spec: { ...live.spec, backends: [web] } }));
    expect(made.names).toEqual(['web']);
    expect(made.changed).toEqual(['web/api']);
  });

  it('stay while their object is replaced by force, so that no pod is replaced twice', async () => {
    const made = ground(SHOP);
    const finalizers = ['somebody/else'];
    const edit = (change: Partial<MyIngress['metadata']>): unknown =>
      made.kube.editMeta(made.object, change);
    made.changed.splice(0);
    edit({ finalizers });
    made.kube.delete(made.object);
    await made.clock.advance(600_000);
    expect(made.kube.get(made.object)).toBeDefined();
    edit({ finalizers: [] });
    expect(made.kube.get(made.object)).toBeUndefined();
    await made.clock.advance(14_000);
    made.create('shop', { ...SHOP, backends: [web] });
    expect(made.names).toEqual(['web']);
    await made.clock.advance(600_000);
    expect(made.changed).toEqual(['web/api']);
  });

  it('stay also where they are attached, which an object that is being deleted no longer serves', async () => {
    const bench = await AttachBench.open({ backends: [web] });
    bench.attach(draftApp('shop'));
    const clock = new ManualClock();
    const changed: string[] = [];
    const named = new NamedServices(bench.attachments.view, clock);
    named.follow((service) => changed.push(service));
    const object = draftOf('shared');
    const finalizers = ['somebody/else'];
    bench.kube.editMeta(object, { finalizers });
    bench.kube.delete(object);
    await clock.advance(600_000);
    expect(bench.joined).toBe(bench.stored);
    bench.kube.editMeta(object, { finalizers: [] });
    await clock.advance(14_000);
    bench.ingress({ backends: [web] });
    await clock.advance(600_000);
    expect(changed).toEqual(['web/web', 'web/shop']);
    bench.detach(draftApp('shop'));
    expect(changed).toEqual(['web/web', 'web/shop', 'web/shop']);
  });

  it('stay also after a restart, by what status records as attached', async () => {
    const bench = await AttachBench.open();
    bench.attach(draftApp('shop'), draftApp('refused', { hosts: ['shop.example.com'] }));
    bench.record();
    bench.kube.editMeta(draftOf('shared'), { finalizers: ['somebody/else'] });
    bench.kube.delete(draftOf('shared'));
    await bench.restart();
    const { attachments } = bench;
    const changed: string[] = [];
    const recall = (object: MyIngress) => attachments.recall(object);
    const named = new NamedServices(attachments.view, new ManualClock(), recall);
    named.follow((service) => changed.push(service));
    bench.kube.editMeta(draftOf('shared'), { labels: { some: 'edit' } });
    expect(changed).toEqual(['web/shop']);
    expect(named.has('web/shop')).toBe(true);
  });

  describe.each([
    ['is paused', { [PAUSED_ANNOTATION]: 'true' }],
    ['is in plan mode', { [MODE_ANNOTATION]: 'plan' }],
  ])('of an object that serves and %s', (_how, annotations) => {
    const recorded = ['web', 'api'].map((name) => {
      return { targetGroup: `group-${name}`, backend: name, name, port: 80 };
    });
    const next = { name: 'next', service: { name: 'next', port: 80 } };

    function rest(
      made = new Ground(),
    ): Ground & { edit(backends: MyIngressSpec['backends']): void } {
      const object = made.create('shop', SHOP);
      made.kube.editMeta(object, { annotations, finalizers: [loadBalancerFinalizer] });
      made.kube.server.applyStatus(object, { owned: { services: recorded } });
      const edit = (backends: MyIngressSpec['backends']): void => {
        made.kube.edit(object, (live) => {
          return { ...live, spec: { ...live.spec, ...(backends && { backends }) } };
        });
      };
      return Object.assign(made, { edit });
    }

    it('do not change with an edit before it is carried out', () => {
      const made = new Ground();
      made.follow();
      const { edit } = rest(made);
      edit([web, next]);
      expect(made.changed).toEqual(['web/web', 'web/api']);
      made.kube.editMeta(draftOf('shop'), { annotations: {} });
      expect(made.changed.splice(2)).toEqual(['web/next', 'web/api']);
    });

    it('are after a restart those of its spec that are on record; of others nothing is known', () => {
      const made = rest();
      made.edit([web, next]);
      made.follow();
      const read = (): unknown[] =>
        ['web', 'api', 'next', 'other'].map((one) => made.named.has(`web/${one}`));
      expect(read()).toEqual([true, undefined, undefined, false]);
      made.changed.splice(0);
      made.kube.editMeta(draftOf('shop'), { annotations: {} });
      expect(read()).toEqual([true, false, true, false]);
      expect(new Set(made.changed)).toEqual(new Set(['web/api', 'web/next']));
    });
  });

  it('are none of an object that was deleted, after a moment', async () => {
    const made = ground(SHOP);
    made.kube.delete(made.object);
    await made.clock.advance(14_999);
    expect(made.names).toEqual(['web', 'api']);
    await made.clock.advance(1);
    expect(made.names).toEqual([]);
  });

  it('are followed no more after a stop, nor waited for', () => {
    const made = new Ground();
    const object = made.create('shop', SHOP);
    const stop = made.follow();
    made.kube.delete(object);
    stop();
    expect(made.clock.pendingTimers).toBe(0);
  });
});
