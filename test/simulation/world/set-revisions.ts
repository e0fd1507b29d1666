import { createHash } from 'node:crypto';
import { canonical, type Json, type StoredObject } from '../api-model/stored-object.ts';

export interface Template {
  readonly metadata: Json;
  readonly spec?: Json;
}

/** https://kubernetes.io/docs/reference/labels-annotations-taints/#controller-revision-hash */
export const REVISION = 'controller-revision-hash';
/** From a change to what a controller does about it. */
export const LATER_MS = 100;

export function hashTemplate(template: Partial<Template>): string {
  return createHash('sha256').update(canonical(template)).digest('hex').slice(0, 8);
}

/** Of the template that a pod was made from. */
export function revisionOf({ metadata }: StoredObject): string | undefined {
  return metadata.labels?.[REVISION];
}
