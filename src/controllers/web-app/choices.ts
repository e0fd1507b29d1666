import { type FieldPath, omitKeys, toFields } from '../../core/objects/fields.ts';
import type { KubeObject } from '../../core/objects/kube-object.ts';
import { READINESS_GATE } from '../../pods/pod.ts';
import { dropNulls, type PodTemplate } from '../../pods/pod-template.ts';
import { CONTAINER, type Deployment, findApp, type PodSpec } from './deployment.ts';

/** As in https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/object-meta/#System */
const POD: FieldPath = ['f:spec', 'f:template', 'f:spec'];
const APP: FieldPath = [...POD, 'f:containers', `k:${JSON.stringify({ name: CONTAINER })}`];
const PROBE: FieldPath = [...APP, 'f:readinessProbe'];

/** Which fields of a pod are ours depends on those that others have set among these. */
const CHOICES: readonly FieldPath[] = [
  [...POD, 'f:terminationGracePeriodSeconds'],
  [...POD, 'f:readinessGates'],
  [...APP, 'f:lifecycle', 'f:preStop'],
  [...PROBE, 'f:httpGet'],
  [...PROBE, 'f:exec'],
  [...PROBE, 'f:grpc'],
];

interface ManagedObject extends KubeObject {
  readonly metadata: KubeObject['metadata'] & { readonly managedFields?: readonly FieldOwner[] };
}

interface FieldOwner {
  readonly manager?: string;
  readonly fieldsV1?: object;
}

/** Names the choices that `manager` alone has made in a whole Deployment. */
export function listHeld({ metadata }: ManagedObject, manager: string): readonly string[] {
  const { managedFields = [] } = metadata;
  return CHOICES.flatMap((path) => {
    const holders = managedFields.filter(({ fieldsV1 }) => hasField(fieldsV1, path));
    const isHeld = holders.length > 0 && holders.every((holder) => holder.manager === manager);
    return isHeld ? (path.at(-1)?.slice('f:'.length) ?? []) : [];
  });
}

function hasField(fields: object | undefined, path: FieldPath): boolean {
  const found = path.reduce<unknown>((inner, field) => toFields(inner)[field], fields);
  return found !== undefined;
}

/**
 * The choices of others in a pod; `podTemplate` counts as one of them. Those of an earlier template are held by us
 * alone, and leave the pods with the next apply.
 */
export function selectChoices(
  { spec, held = [] }: Pick<Deployment, 'spec' | 'held'>,
  template: PodTemplate = {},
): PodSpec {
  const observed = spec?.template?.spec ?? {};
  const chosen = dropNulls(template.spec ?? {}) as PodSpec;
  const { lifecycle, readinessProbe } = findApp(observed) ?? {};
  const container = {
    name: CONTAINER,
    readinessProbe: omitKeys({ ...readinessProbe }, held),
    lifecycle: { ...omitKeys({ ...lifecycle }, held), ...findApp(chosen)?.lifecycle },
  };
  return {
    ...omitKeys({ ...observed }, held),
    ...(chosen.terminationGracePeriodSeconds !== undefined && {
      terminationGracePeriodSeconds: chosen.terminationGracePeriodSeconds,
    }),
    readinessGates: selectGates({ observed, held, chosen }),
    containers: [container],
  };
}

interface Gates {
  readonly observed: PodSpec;
  readonly held: readonly string[];
  readonly chosen: PodSpec;
}

/** With ours: it stays while it is not known whether it is needed. */
function selectGates({ observed, held, chosen }: Gates): NonNullable<PodSpec['readinessGates']> {
  const inTemplate = listGates(chosen);
  const areOfOthers = !held.includes('readinessGates');
  return (observed.readinessGates ?? []).filter(
    ({ conditionType }) =>
      !inTemplate.includes(conditionType) && (areOfOthers || conditionType === READINESS_GATE),
  );
}

/** True where the pods have the gate whatever albridge does. */
export function isGateChosen({ spec }: PodTemplate = {}): boolean {
  return listGates(dropNulls(spec ?? {}) as PodSpec).includes(READINESS_GATE);
}

/** The schema takes any value here; the API server refuses all but lists. */
function listGates(spec: PodSpec): readonly unknown[] {
  const given: unknown = spec.readinessGates;
  return Array.isArray(given) ? given.map((gate) => toFields(gate)['conditionType']) : [];
}
