// Lives here: routes that other objects attach to a MyIngress: who may, in which order, who holds a host and path.
// May import it: src/controllers/my-ingress, src/setup, src/cli/drawing, src/cli/objects and src/cli/ui.
// Start with: this file, then decide.ts, which is pure, and attachments.ts; docs/attaching.md is the contract.

import { compareText, type Key } from '../../../core/objects/kube-object.ts';
import type { BackendSpec, RuleSpec } from '../routes/traffic-spec.ts';

/** The name of an object that attaches routes. */
export interface SourceRef {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One object of any kind, and the routes that it asks a MyIngress to serve. */
export interface AttachingObject extends SourceRef {
  /** `metadata.creationTimestamp`: decides who is first. */
  readonly createdAt: string;
  /** The MyIngress that it names. */
  readonly ingress: Key;
  /** Services of its own namespace. */
  readonly backends: readonly BackendSpec[];
  /** Actions name its own backends. */
  readonly rules: readonly RuleSpec[];
}

/** Part of the identity of its rules and target groups in AWS. Frozen for good; no backend of a spec has a slash. */
export function getSource({ kind, namespace, name }: SourceRef): string {
  return `${kind}/${namespace}/${name}`;
}

/** The inverse of `getSource`; undefined for the spec. */
export function parseSource(source: string): SourceRef | undefined {
  const [kind = '', namespace, name] = source.split('/');
  return namespace === undefined || name === undefined ? undefined : { kind, namespace, name };
}

/** First come, first served: by creation, then by name; stable, and independent of events and restarts. */
export function compareAge(a: AttachingObject, b: AttachingObject): number {
  return compareText(a.createdAt, b.createdAt) || compareText(getSource(a), getSource(b));
}
