import type { MyIngress } from '../../../apis/my-ingress.ts';
import { getSource } from './attaching-object.ts';
import { type Decision, describeRefusal, findRefusal, isRefusalReason } from './decision.ts';

/**
 * A MyIngress with the routes that others attach to it, as `Attachments.join` gives it. Only in memory: its spec is
 * never written. Without any it is the stored object itself, and everything is as if nothing could be attached.
 */
export interface Joined extends MyIngress {
  readonly spec: MyIngress['spec'] & { readonly attached?: Decision };
}

/** Which spec, and which attached routes. */
export type Revision = number | string;

export function getRevision(object: MyIngress): Revision {
  const { generation } = object.metadata;
  const decision = findDecision(object);
  if (decision === undefined || decision.rules.length === 0) return generation;
  return `${generation} ${[...decision.digests.values()].join()}`;
}

export function findDecision({ spec }: Joined): Decision | undefined {
  return spec?.attached;
}

/** `status.attached[].digest` of an object none of whose rules is accepted. */
export const NO_RULES = '-';

/** Type of the condition that says whether all attached routes are served. */
export const ACCEPTED = 'AttachmentsAccepted';

/** True where routes are attached to the object, or status still reports some. */
export function hasAttached(object: MyIngress): boolean {
  const isAttached = findDecision(object) !== undefined || object.status?.attached !== undefined;
  return isAttached || wasStated(object);
}

/** Whether status has the condition. */
export function wasStated({ status }: MyIngress): boolean {
  return (status?.conditions ?? []).some(({ type }) => type === ACCEPTED);
}

/** True where the routes that are accepted are not those that status records as such. */
export function hasNewRoutes(object: MyIngress): boolean {
  const { decision, recorded } = listRecorded(object);
  const digests = decision?.digests ?? new Map<string, string>();
  const isSame = recorded.every((entry) => digests.get(getSource(entry)) === entry.digest);
  return !isSame || recorded.length !== digests.size;
}

/** True where status does not say which of the routes are refused: the others may be served as before. */
export function hasNewRefusals(object: MyIngress): boolean {
  const { decision, recorded } = listRecorded(object);
  return decision !== undefined && !recorded.every((entry) => isRefusedSo(entry, decision));
}

type Entry = NonNullable<MyIngress['status']['attached']>[number];

/** The entries of objects that are served; none while it is not known what attaches. */
function listRecorded(object: MyIngress): {
  readonly decision: Decision | undefined;
  readonly recorded: readonly Entry[];
} {
  const { attached = [] } = object.status ?? {};
  const decision = findDecision(object);
  if (decision?.isKnown === false) return { decision: undefined, recorded: [] };
  return { decision, recorded: attached.filter(({ digest }) => digest !== NO_RULES) };
}

function isRefusedSo(entry: Entry, decision: Decision): boolean {
  const refusal = findRefusal(decision, getSource(entry));
  if (refusal === undefined) return !isRefusalReason(entry.reason);
  const { reason, message } = describeRefusal(refusal);
  return entry.reason === reason && entry.message === message;
}
