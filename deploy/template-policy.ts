import {
  ADDS_NO_LABEL,
  addsOnlyAnnotations,
  addsOnlyFields,
  BOUNDS_OF_ALL,
  HAS_NO_PRIORITY,
  type Rules,
  TEMPLATE_FIELDS,
  TEMPLATE_VARIABLES,
} from './pod-rules.ts';

/** Judges the users of one kind; deploy/policies.ts writes it. */
interface TemplatePolicy {
  readonly name: string;
  readonly group: string;
  readonly resources: readonly string[];
  readonly operations: readonly string[];
  readonly condition: { readonly name: string; readonly expression: string };
  readonly variables: Rules;
  readonly validations: Rules;
}

/**
 * A template makes albridge create pods, so who writes one must be allowed to create pods there, and gets
 * no pod that albridge may not make. The same holds for who edits an object with a template: its image
 * would get what the template mounts.
 */
export function limitTemplates(group: string, resource: string): TemplatePolicy {
  const rules = {
    ...addsOnlyFields(TEMPLATE_FIELDS),
    ...BOUNDS_OF_ALL,
    ...HAS_NO_PRIORITY,
    ...ADDS_NO_LABEL,
    ...addsOnlyAnnotations('false'),
  };
  return {
    name: 'pod-template',
    group,
    resources: [resource],
    operations: ['CREATE', 'UPDATE'],
    condition: {
      name: 'writes-a-spec-with-a-pod-template',
      expression:
        'dyn(object).?spec.?podTemplate.hasValue() && (oldObject == null || dyn(object).spec != dyn(oldObject).?spec.orValue({}))',
    },
    variables: TEMPLATE_VARIABLES,
    validations: {
      'to set spec.podTemplate you must be allowed to create pods in this namespace; ask for that right, or leave spec.podTemplate out': `
        authorizer.group('').resource('pods').namespace(request.namespace).check('create').allowed()`,
      ...Object.fromEntries(
        Object.entries(rules).map(([message, expression]) => [
          `spec.podTemplate is refused: ${message}`,
          expression,
        ]),
      ),
    },
  };
}
