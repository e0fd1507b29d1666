import { describe, expect, it } from 'vitest';
import {
  loadBalancerFinalizer,
  type MyIngress,
  type MyIngressSpec,
} from '../../../../src/apis/my-ingress.ts';
import { DeclaredBackends } from '../../../../src/controllers/my-ingress/declared-backends.ts';
import { MODE_ANNOTATION, PAUSED_ANNOTATION } from '../../../../src/core/objects/annotations.ts';
import { FakeKube } from '../../../fakes/fake-kube.ts';
import { draftOf } from './drafts.ts';
import { api, SHOP, web } from './traffic/specs.ts';

function declare(kube: FakeKube): DeclaredBackends {
  const view = kube.cache<MyIngress>('MyIngress');
  return new DeclaredBackends({ view, decided: Promise.resolve() }, Promise.resolve());
}

interface Ground {
  readonly kube: FakeKube;
  readonly changed: string[];
  /** Names of the declared backends of namespace web. */
  names(): readonly string[];
}

function follow(spec: Partial<MyIngressSpec>): Ground & { readonly object: MyIngress } {
  const kube = new FakeKube();
  const object = kube.create(draftOf('shop', spec));
  const declared = declare(kube);
  const changed: string[] = [];
  declared.follow((namespace) => changed.push(namespace));
  const { namespace } = object.metadata;
  const names = (): readonly string[] => {
    const owners = declared.list(namespace).map(({ owner }) => owner);
    expect(owners.every((owner) => declared.isActive(owner))).toBe(true);
    return declared.list(namespace).map(({ backend }) => backend);
  };
  return { kube, object, changed, names };
}

describe('the backends that pods wait for', () => {
  it('are those that an action sends requests to, with their Services', () => {
    const kube = new FakeKube();
    kube.create(draftOf('shop', SHOP));
    const declared = declare(kube);
    declared.follow(() => {});
    const namespace = draftOf('shop').metadata.namespace ?? '';
    const owner = `${namespace}/shop`;
    expect(declared.list(namespace)).toEqual([
      { owner, backend: 'web', service: web.service, targetType: 'ip' },
      { owner, backend: 'api', service: api.service, targetType: 'ip' },
    ]);
    expect(declared.list('elsewhere')).toEqual([]);
  });

  it.each<readonly [string, Partial<MyIngressSpec>, readonly string[]]>([
    ['none of no rule', { ...SHOP, rules: [] }, ['web']],
    [
      'none of weight 0',
      {
        ...SHOP,
        defaultAction: { forward: [{ backend: 'web' }, { backend: 'api', weight: 0 }] },
        rules: [],
      },
      ['web'],
    ],
    [
      'none of listeners that redirect alone',
      { ...SHOP, listeners: [{ port: 80, protocol: 'HTTP', redirectToHTTPS: true }] },
      [],
    ],
  ])('%s', (_name, spec, names) => {
    expect(follow(spec).names()).toEqual(names);
  });

  it('may be of an object that has none now or is paused, as its groups serve on, and of none that is gone', () => {
    const kube = new FakeKube();
    const object = kube.create(draftOf('shop', {}));
    const declared = declare(kube);
    declared.follow(() => {});
    const isActive = (): boolean => declared.isActive(`${object.metadata.namespace}/shop`);
    expect(isActive()).toBe(true);
    kube.editMeta(object, { annotations: { [PAUSED_ANNOTATION]: 'true' } });
    expect(isActive()).toBe(true);
    kube.delete(object);
    expect(isActive()).toBe(false);
  });

  it('change with what is attached from another namespace, which later edits do not concern', () => {
    const { kube, object, changed } = follow(SHOP);
    const { namespace } = object.metadata;
    const source = 'WebApp/far/app';
    const attached = {
      backends: [{ source, namespace: 'far', backend: web }],
      rules: [{ source, rule: { name: 'far', forward: [{ backend: 'web' }] } }],
    };
    const changedBy = (spec: object): readonly string[] => {
      changed.length = 0;
      kube.edit(object, (live) => ({ ...live, spec: { ...live.spec, ...spec } }));
      return changed.toSorted();
    };
    expect(changedBy({ attached })).toEqual(['far', namespace]);
    expect(changedBy({ attached: undefined })).toEqual(['far', namespace]);
    expect(changedBy({ rules: [] })).toEqual([namespace]);
  });

  it('are none while the object is paused, and again afterwards', () => {
    const { kube, object, changed, names } = follow(SHOP);
    const annotate = (value: string): void => {
      kube.editMeta(object, { annotations: { [PAUSED_ANNOTATION]: value } });
    };
    annotate('true');
    expect(names()).toEqual([]);
    annotate('false');
    expect(names()).toEqual(['web', 'api']);
    expect(changed).toHaveLength(3);
  });

  it('are none of an object that is only planned, until it is executed', () => {
    const { kube, object, names } = follow(SHOP);
    const annotations = { [MODE_ANNOTATION]: 'plan' };
    kube.edit(object, (live) => ({ ...live, metadata: { ...live.metadata, annotations } }));
    expect(names()).toEqual([]);
    kube.editMeta(object, { finalizers: [loadBalancerFinalizer] });
    expect(names()).toEqual([]);
    kube.editMeta(object, { annotations: {} });
    expect(names()).toEqual(['web', 'api']);
  });

  it('are none of an object that is being deleted, or gone', () => {
    const { kube, object, names } = follow(SHOP);
    kube.editMeta(object, { finalizers: ['somebody/else'] });
    kube.delete(object);
    expect(kube.get(object)?.metadata.deletionTimestamp).toBeDefined();
    expect(names()).toEqual([]);
    kube.deleteInSpite(object);
    expect(names()).toEqual([]);
  });
});
