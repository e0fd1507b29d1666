import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../src/core/kube-object.ts';
import { leanChild } from '../../../src/units/labelled-children.ts';

const metadata = { name: 'p', namespace: 'web', uid: 'u', resourceVersion: '1' };

function pod(apiVersion: string, kind: string): KubeObject {
  const ownerReferences = [{ apiVersion, kind, name: 'o', uid: 'o', controller: true }];
  const spec = { containers: [{ name: 'c', args: ['x'.repeat(1_000_000)] }] };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...metadata, ownerReferences },
    spec,
  } as KubeObject;
}

describe('a pod with our labels in memory', () => {
  it.each([
    ['demo.rtfm.co.ua/v1', 'MyApp'],
    ['immortalcontainer.flugel.it/v1alpha1', 'ImmortalContainer'],
    ['apps.example.com/v2', 'WebApp'],
  ])('is whole where an object of %s, %s controls it', (apiVersion, kind) => {
    expect(leanChild(pod(apiVersion, kind))).toEqual(pod(apiVersion, kind));
  });

  it('is a name and a controller where none of ours does', () => {
    const held = leanChild(pod('apps/v1', 'ReplicaSet'));
    expect(JSON.stringify(held).length).toBeLessThan(500);
    expect(held.metadata).toEqual(pod('apps/v1', 'ReplicaSet').metadata);
  });
});
