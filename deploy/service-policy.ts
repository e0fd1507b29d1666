import { ANNOTATIONS, addsOnly, DESIRED_HASH, type Rules } from './pod-rules.ts';

/** A platform team sets it on a namespace: docs/webapp.md */
const OPEN_LABEL = 'albridge.io/service';
const WHERE_CLOSED = `where the namespace lacks ${OPEN_LABEL}: full`;
const IS_OPEN = `namespaceObject.metadata.?labels[?'${OPEN_LABEL}'].orValue('') == 'full'`;

const SETS_THEM = [
  `(dyn(object).?spec.?service.?type.orValue('ClusterIP') != 'ClusterIP' || dyn(object).?spec.?service.?annotations.orValue({}).size() > 0)`,
  `(oldObject == null || ['service', 'port'].exists(k, dyn(object).?spec[?k] != dyn(oldObject).?spec[?k]))`,
].join(' &&\n  ');

/** Judges who writes `spec.service` of this kind; deploy/policies.ts writes it. */
interface ServicePolicy {
  readonly name: string;
  readonly group: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly condition: { readonly name: string; readonly expression: string };
  readonly validations: Rules;
}

/**
 * A port of each node, a load balancer of the cloud and the annotations of its controllers reach past the
 * namespace, so who sets them must be allowed to create Services there. The same holds for the port of
 * such a Service.
 */
export function limitServices(group: string, resource: string): ServicePolicy {
  return {
    name: 'service-spec',
    group,
    resources: [resource],
    operations: ['CREATE', 'UPDATE'],
    condition: {
      name: 'sets-type-or-annotations-of-a-service',
      expression: SETS_THEM,
    },
    validations: {
      'to set type or annotations in spec.service you must be allowed to create Services in this namespace; ask for that right, or leave them out': `
        authorizer.group('').resource('services').namespace(request.namespace).check('create').allowed()`,
      [`spec.service is refused: albridge sets no type of a Service but ClusterIP, and no annotations, ${WHERE_CLOSED}`]:
        IS_OPEN,
    },
  };
}

/** The same for a stolen token of the operator, which needs no object of the kind. */
export const SERVICE_VARIABLES = {
  isOpen: IS_OPEN,
  annotationsBefore: `oldObject == null ? dyn({}) : dyn(oldObject.metadata.${ANNOTATIONS})`,
};

export const BOUNDS_OF_SERVICES: Rules = {
  'albridge makes no Service that is an alias of another host': `
    object.spec.?type.orValue('ClusterIP') != 'ExternalName' ||
    (oldObject != null && oldObject.spec.?type == object.spec.?type)`,
  [`albridge sets no type of a Service but ClusterIP ${WHERE_CLOSED}`]: `
    variables.isOpen || object.spec.?type.orValue('ClusterIP') == 'ClusterIP' ||
    (oldObject != null && oldObject.spec.?type == object.spec.?type)`,
  [`albridge adds no annotation to a Service but its own ${WHERE_CLOSED}`]: `
    variables.isOpen || ${addsOnly(DESIRED_HASH, `object.metadata.${ANNOTATIONS}`, 'variables.annotationsBefore')}`,
  'albridge adds no external address to a Service': `
    object.spec.?externalIPs.orValue([]).all(ip,
      oldObject != null && ip in oldObject.spec.?externalIPs.orValue([]))`,
};
