import type { MyIngress } from '../../src/apis/my-ingress.ts';

/** Whether no pass has written status, but that the object is paused: written anew, for what judges the operator. */
export function hasNoStatus(status: Partial<MyIngress['status']> = {}): boolean {
  const { conditions = [], observedGeneration: _, ...fields } = status;
  return Object.keys(fields).length === 0 && conditions.every(({ reason }) => reason === 'Paused');
}
