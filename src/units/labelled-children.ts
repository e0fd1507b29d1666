import { Children } from '../core/children.ts';
import type { KubeObject, ResourceKind } from '../core/kube-object.ts';
import { labelSelector } from '../core/label-selector.ts';
import { createChildWriter } from '../kube/child-writer.ts';
import type { Runtime } from '../runtime.ts';
import { leanChild } from './lean-child.ts';

export interface LabelledKind {
  readonly kind: ResourceKind;
  readonly owner: ResourceKind;
  /** On every child that we make. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Only what carries our labels is watched. A child that has lost one looks deleted: the pass finds it
 * by its name and puts the label back.
 */
export function labelledChildren<T extends KubeObject>(
  runtime: Runtime,
  { kind, owner, labels }: LabelledKind,
): Children<T> {
  return new Children<T>({
    cache: runtime.watch<T>(kind, { labelSelector: labelSelector(labels), transform: leanChild }),
    writer: createChildWriter(runtime.client, [kind], leanChild),
    owner,
    clock: runtime.ports.clock,
  });
}
