import { immortalContainerKind } from '../apis/immortal-container.ts';
import { myAppKind } from '../apis/my-app.ts';
import { webAppKind } from '../apis/web-app.ts';
import { Children } from '../core/children.ts';
import type { KubeObject, ResourceKind } from '../core/kube-object.ts';
import { labelSelector } from '../core/label-selector.ts';
import { createChildWriter } from '../kube/child-writer.ts';
import { withLeanMetadata } from '../kube/object-cache-ingest.ts';
import type { Runtime } from '../runtime.ts';

/** Whose children are kept whole. */
const OWNERS: readonly string[] = [immortalContainerKind, myAppKind, webAppKind].map(
  ({ group, kind }) => `${kind}.${group}`,
);

export interface LabelledKind {
  readonly kind: ResourceKind;
  readonly owner: ResourceKind;
  /** On every child that we make. */
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Anybody may put our labels on objects of any size. What no object of ours controls is kept without its
 * spec: its name is taken, and nothing else of it counts.
 */
export function leanChild(object: KubeObject): KubeObject {
  const child = withLeanMetadata(object);
  const [controller] = child.metadata.ownerReferences ?? [];
  const [group = ''] = controller?.apiVersion.split('/') ?? [];
  if (controller !== undefined && OWNERS.includes(`${controller.kind}.${group}`)) return child;
  const { apiVersion, kind, metadata } = child;
  return { apiVersion, kind, metadata };
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
    writer: createChildWriter(runtime.client, [kind]),
    owner,
    clock: runtime.ports.clock,
  });
}
