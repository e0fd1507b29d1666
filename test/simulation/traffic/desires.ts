import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import { listParts } from '../../../src/controllers/my-ingress/rules/desired.ts';
import { type Resource, resourceIdOf } from './resources.ts';
import { listListeners, listRules } from './spec-answers.ts';

/** What AWS cannot change of a target group, as far as a spec has it. */
const DEFAULTS = {
  protocol: 'HTTP',
  protocolVersion: 'HTTP1',
  targetType: 'ip',
  ipAddressType: 'ipv4',
} as const;
export const FIXED_FIELDS = Object.keys(DEFAULTS) as readonly (keyof typeof DEFAULTS)[];

/** Whether the spec asks for this resource, by its identity and by what AWS cannot change of it. */
export function desiresResource(spec: MyIngressSpec, resource: Resource): boolean {
  return listResourceIds(spec).includes(resourceIdOf(resource)) && hasFixedSettings(spec, resource);
}

/** Identities of everything next to the balancer. */
export function listResourceIds(spec: MyIngressSpec): readonly string[] {
  const listeners = listListeners(spec);
  return [
    ...(hasManagedGroup(spec) ? ['security-group/frontend'] : []),
    ...(spec.backends ?? []).map(({ name }) => `target-group/spec/${name}`),
    ...listeners.map(({ port }) => `listener/${port}`),
    ...listeners.flatMap(({ port }) =>
      listRules(spec, port).flatMap((rule) =>
        listParts(rule).map(({ label }) => `rule/${port}/spec/${rule.name}/${label}`),
      ),
    ),
  ];
}

/** A managed group exists only where listeners are, none is given, and an adopted balancer asks for it. */
export function hasManagedGroup(spec: MyIngressSpec): boolean {
  if (spec.securityGroups !== undefined || listListeners(spec).length === 0) return false;
  return spec.adopt === undefined || spec.inbound !== undefined;
}

function hasFixedSettings(spec: MyIngressSpec, resource: Resource): boolean {
  if (resource.kind !== 'targetGroup') return true;
  const id = resourceIdOf(resource);
  const backend = (spec.backends ?? []).find(({ name }) => id === `target-group/spec/${name}`);
  const desired = { ...DEFAULTS, ...backend };
  return FIXED_FIELDS.every((field) => resource.record[field] === desired[field]);
}
