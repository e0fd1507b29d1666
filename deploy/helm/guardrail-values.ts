import { LISTS, TENANT } from '../guardrail-lists.ts';
import { closed, type Schema, toggle } from './schema.ts';

/** The values of the chart about guardrails. */

const GUARDRAIL_PARAMETERS = Object.fromEntries(
  Object.keys(LISTS)
    .filter((list) => list !== 'namespaces')
    .map((list) => [`default.${list}`, '']),
);

/** As the policy of deploy/guardrails.ts demands, which applies only once it is there. */
const GUARDRAIL_LISTS = Object.fromEntries(
  Object.entries(LISTS).map(([list, { form, ...rest }]): readonly [string, Schema] => {
    const entry = form.slice(1, -1);
    const one = 'mayBeCidr' in rest ? `(${entry}|[0-9A-Fa-f.:]+/[0-9]+)` : `(${entry})`;
    const pattern = `^[\\s,]*(${one}([\\s,]+${one})*)?[\\s,]*$`;
    return [`[.]${list}$`, { type: 'string', pattern }];
  }),
);

export function describeGuardrails(): Schema {
  return closed('Which namespaces may name what: docs/security.md.', {
    enabled: toggle('Whether the guardrails are installed.', false),
    parameters: {
      description:
        'Data of the ConfigMap albridge-guardrails/tenants: lists by <tenant>.<list>. What no list names is refused.',
      type: 'object',
      propertyNames: {
        pattern: `^${TENANT}[.](${Object.keys(LISTS).join('|')})$`,
        not: { const: 'default.namespaces' },
      },
      patternProperties: GUARDRAIL_LISTS,
      additionalProperties: { type: 'string' },
      default: GUARDRAIL_PARAMETERS,
    },
  });
}
