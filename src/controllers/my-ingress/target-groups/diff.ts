import type { TargetGroup } from '../../../aws/elbv2/traffic.ts';
import type { DesiredTargetGroup, ObservedTargetGroup } from '../graph/graph.ts';
import { LOAD_BALANCER_ID } from '../graph/resource-id.ts';
import type { Step } from '../graph/steps.ts';
import { diffTags } from '../graph/tags.ts';
import { attributeDefaults } from './attribute-defaults.ts';

type Strings = Readonly<Record<string, string>>;

/** The steps of one group that is not there; it has AWS's defaults for attributes then. */
export function createTargetGroup(desired: DesiredTargetGroup): readonly Step[] {
  const { id, name, fixed, port, healthCheck, tags } = desired;
  const create: Step = {
    ...{ id, operation: 'CreateTargetGroup', why: 'not there', needs: [LOAD_BALANCER_ID] },
    input: { name, port, ...fixed, healthCheck, tags },
  };
  return [create, ...setAttributes(desired, {})];
}

/** The steps of one group that is there under its name; what cannot be changed is part of the name. */
export function updateTargetGroup(
  desired: DesiredTargetGroup,
  { targetGroup, tags, attributes }: ObservedTargetGroup,
  appliedTags: readonly string[],
): readonly Step[] {
  const { id } = desired;
  const differing = diffHealthCheck(desired, targetGroup);
  const { arn } = targetGroup;
  const check: Step = {
    ...{ id, operation: 'ModifyTargetGroup', why: differing.join('; '), needs: [] },
    input: { arn, protocolVersion: targetGroup.protocolVersion, healthCheck: desired.healthCheck },
  };
  const marks = diffTags(desired.tags, tags, { resource: arn, appliedTags });
  return [
    ...(differing.length === 0 ? [] : [check]),
    ...(attributes === undefined ? [] : setAttributes(desired, attributes)),
    ...marks.map((call) => ({ id, needs: [], ...call })),
  ];
}

export function diffHealthCheck(
  { healthCheck }: Pick<DesiredTargetGroup, 'healthCheck'>,
  observed: Pick<TargetGroup, 'healthCheck'>,
): readonly string[] {
  return describeDifferences({ ...healthCheck }, { ...observed.healthCheck }, 'healthCheck.');
}

/**
 * AWS refuses stickiness of a group that a forward without stickiness names beside others: of a group in use it
 * comes on after the rules, also those that are deleted; off, before them.
 * https://github.com/argoproj/argo-rollouts/pull/1577
 */
export function turnsStickinessOn(step: Step): step is Step<'ModifyTargetGroupAttributes'> {
  const { operation, input } = step;
  return (
    operation === 'ModifyTargetGroupAttributes' && input.attributes['stickiness.enabled'] === 'true'
  );
}

/** An attribute that the answer lacks, as that of some endpoints does, has its default. */
function setAttributes(
  { id, name, attributes }: DesiredTargetGroup,
  read: Strings,
): readonly Step[] {
  const observed = { ...attributeDefaults, ...read };
  const why = describeDifferences(attributes, observed, '');
  if (why.length === 0) return [];
  const set = Object.entries(attributes).filter(([key, value]) => observed[key] !== value);
  return [
    {
      ...{ id, operation: 'ModifyTargetGroupAttributes', why: why.join('; '), needs: [id] },
      input: { targetGroup: name, attributes: Object.fromEntries(set) },
    },
  ];
}

function describeDifferences(
  desired: Readonly<Record<string, string | number>>,
  observed: Readonly<Record<string, string | number>>,
  prefix: string,
): readonly string[] {
  return Object.entries(desired)
    .filter(([key, value]) => observed[key] !== value)
    .map(
      ([key, value]) => `${prefix}${key}: observed ${observed[key] ?? 'none'}, desired ${value}`,
    );
}
