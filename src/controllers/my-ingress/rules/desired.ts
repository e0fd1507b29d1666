import type { KnownCondition } from '../../../aws/elbv2/traffic.ts';
import { desireAction, type GroupNames } from '../graph/actions.ts';
import type { DesiredRule } from '../graph/graph.ts';
import type { Place } from '../graph/place.ts';
import { getRuleId } from '../graph/resource-id.ts';
import { desireTags } from '../graph/tags.ts';
import type { RouteConditions, RouteRule } from '../routes/routes.ts';
import { normaliseConditions } from './conditions.ts';
import { type Part, splitRule } from './parts.ts';
import { desireTransforms, markTransforms } from './transforms.ts';

export interface RuleContext {
  readonly names: GroupNames;
  readonly place: Place;
}

/** One rule on one listener: as many AWS rules as it takes. */
export function desireRule(
  rule: RouteRule,
  port: number,
  { names, place }: RuleContext,
): readonly DesiredRule[] {
  const action = desireAction(rule.action, names);
  const transforms = desireTransforms(rule.rewrite ?? {});
  const marks = markTransforms(transforms.map(({ kind }) => kind));
  return listParts(rule).map(({ label, conditions }) => {
    const id = getRuleId(port, rule, label);
    const tags = { ...desireTags(id, place.userTags, place.identity), ...marks };
    return { id, conditions, action, transforms, tags };
  });
}

export function listParts(conditions: RouteConditions): readonly Part[] {
  return splitRule(normaliseConditions(readConditions(conditions)));
}

/** With the values as they are written. */
export function readConditions(rule: RouteConditions): readonly KnownCondition[] {
  const { hosts = [], paths = [], methods = [], sourceCIDRs = [] } = rule;
  const plain: readonly KnownCondition[] = [
    { field: 'host-header', values: hosts },
    { field: 'path-pattern', values: paths },
    { field: 'http-request-method', values: methods },
    { field: 'source-ip', values: sourceCIDRs },
    { field: 'query-string', values: rule.queryStrings ?? [] },
  ];
  const headers = (rule.headers ?? []).map(({ name, values = [], regex }): KnownCondition => {
    const header = { field: 'http-header' as const, name };
    return regex === undefined
      ? { ...header, values }
      : { ...header, values: [regex], isRegex: true };
  });
  const given = [...plain, ...headers];
  return given.filter(({ values }) => values.length > 0);
}
