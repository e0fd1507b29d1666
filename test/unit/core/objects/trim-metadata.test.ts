import { describe, expect, it } from 'vitest';
import {
  getReconcileRequest,
  isPaused,
  isPlanOnly,
} from '../../../../src/core/objects/annotations.ts';
import type { KubeObject, ObjectMeta } from '../../../../src/core/objects/kube-object.ts';
import { boundMetadata } from '../../../../src/core/objects/trim-metadata.ts';

const RUNNING = 'albridge.io/load-balancer';
const plain: ObjectMeta = {
  name: 'shop',
  namespace: 'web',
  uid: 'u',
  resourceVersion: '7',
  generation: 2,
  creationTimestamp: '2026-01-01T00:00:00Z',
  finalizers: [RUNNING, 'example.com/mine'],
  labels: { app: 'shop' },
  annotations: { 'albridge.io/paused': 'true', 'albridge.io/reconcile-requested-at': 'now' },
  ownerReferences: [
    {
      apiVersion: 'v1',
      kind: 'A',
      name: 'a',
      uid: '1',
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
};

function many<T>(count: number, one: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => one(index));
}

function keyed(count: number, prefix: string): Record<string, string> {
  return Object.fromEntries(many(count, (index) => [`${prefix}${index}`, 'x']));
}

describe('metadata in memory', () => {
  it('is as it was, of an object as people write them', () => {
    expect(boundMetadata(plain)).toEqual(plain);
  });

  it('keeps the annotations by which an object is only planned, or paused', () => {
    const bound = (annotations: Readonly<Record<string, string>>): KubeObject => {
      return { apiVersion: 'v1', kind: 'A', metadata: boundMetadata({ ...plain, annotations }) };
    };
    expect(isPlanOnly(bound({ 'albridge.io/mode': 'plan' }))).toBe(true);
    expect(isPlanOnly(bound({ 'albridge.io/mode': 'paln' }))).toBe(true);
    expect(isPaused(bound({ 'albridge.io/paused': 'true' }))).toBe(true);
  });

  const long = 'x'.repeat(250_000);
  const attacks: Readonly<Record<string, Partial<ObjectMeta>>> = {
    '80,000 labels': { labels: keyed(80_000, 'label-') },
    '64 long labels': { labels: keyed(64, 'x'.repeat(300)) },
    '100,000 annotations in our name': { annotations: keyed(100_000, 'albridge.io/x') },
    'the last applied configuration': {
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': long },
    },
    '250 kB of reconcile-requested-at': {
      annotations: { 'albridge.io/reconcile-requested-at': long },
    },
    '50,000 finalizers': { finalizers: many(50_000, (index) => `example.com/${index}`) },
    '50,000 finalizers in our name': {
      finalizers: many(50_000, (index) => `albridge.io/${index}`),
    },
    'a controller of a long name': {
      ownerReferences: [{ apiVersion: long, kind: long, name: long, uid: long, controller: true }],
    },
    '10,000 owners': {
      ownerReferences: many(10_000, (index) => {
        return { apiVersion: 'v1', kind: 'A', name: 'a', uid: `${index}` };
      }),
    },
    managedFields: { managedFields: [long] } as Partial<ObjectMeta>,
  };
  it.each(Object.entries(attacks))('stays small for %s', (_, attack) => {
    const held = boundMetadata({ ...plain, ...attack });
    expect(JSON.stringify(held).length).toBeLessThan(5000);
  });

  it('shows every new value of a long token as another one', () => {
    const tokenOf = (value: string): string | undefined => {
      const annotations = { 'albridge.io/reconcile-requested-at': value };
      const metadata = boundMetadata({ ...plain, annotations });
      return getReconcileRequest({ metadata } as KubeObject);
    };
    const unbound = { ...plain, annotations: { 'albridge.io/reconcile-requested-at': `${long}1` } };
    expect(getReconcileRequest({ apiVersion: 'v1', kind: 'A', metadata: unbound })).toBe(
      tokenOf(`${long}1`),
    );
    expect(tokenOf('x'.repeat(256))).toBe('x'.repeat(256));
    expect(tokenOf(`${long}1`)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(tokenOf(`${long}1`)).not.toBe(tokenOf(`${long}2`));
  });

  it('keeps our finalizer, however many others stand before it', () => {
    const finalizers = [...many(50_000, (index) => `example.com/${index}`), RUNNING];
    expect(boundMetadata({ ...plain, finalizers }).finalizers).toContain(RUNNING);
  });

  it('keeps the first labels in their order, so that every pod of a template has the same', () => {
    const labels = Object.keys(
      boundMetadata({ ...plain, labels: keyed(80_000, 'l') }).labels ?? {},
    );
    expect([labels.length, labels[0], labels[63]]).toEqual([64, 'l0', 'l63']);
  });
});
