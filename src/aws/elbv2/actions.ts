import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import { omitUndefined } from '../../core/objects/fields.ts';
import { nameUse } from '../inventory/write-ledger.ts';
import type {
  Action,
  FixedResponseAction,
  ForwardAction,
  KnownAction,
  RedirectAction,
} from './traffic.ts';

/** As AWS wants it. */
export function toAction(action: KnownAction): elb.Action {
  switch (action.kind) {
    case 'forward':
      return { Type: 'forward', ForwardConfig: toForward(action) };
    case 'redirect':
      return { Type: 'redirect', RedirectConfig: toRedirect(action) };
    case 'fixed-response':
      return { Type: 'fixed-response', FixedResponseConfig: toFixedResponse(action) };
    default:
      return action satisfies never;
  }
}

/** Ids, for the ledger, of the use of each target group that the balancer uses by it. */
export function listUsed(action: KnownAction | undefined): readonly string[] {
  return action?.kind === 'forward' ? action.targetGroups.map(({ arn }) => nameUse(arn)) : [];
}

/** As AWS echoes them, in their order, which it states where there are several. */
export function shapeActions(from: readonly elb.Action[] | undefined): readonly Action[] {
  return [...(from ?? [])].sort((a, b) => (a.Order ?? 0) - (b.Order ?? 0)).map(shapeAction);
}

/**
 * As AWS echoes it: a single target group comes twice, and the parts of a redirect that were left
 * out come as their placeholders. What albridge does not write is `unknown`.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Action.html
 */
function shapeAction(from: elb.Action): Action {
  const { ForwardConfig, TargetGroupArn, RedirectConfig, FixedResponseConfig } = from;
  if (from.Type === 'forward') return shapeForward(ForwardConfig, TargetGroupArn);
  if (from.Type === 'redirect' && RedirectConfig) return shapeRedirect(RedirectConfig);
  if (from.Type === 'fixed-response' && FixedResponseConfig) {
    return shapeFixedResponse(FixedResponseConfig);
  }
  return { kind: 'unknown', type: from.Type ?? '' };
}

function toForward({ targetGroups, stickinessSeconds }: ForwardAction): elb.ForwardActionConfig {
  return {
    TargetGroups: targetGroups.map(({ arn, weight }) => ({ TargetGroupArn: arn, Weight: weight })),
    ...(stickinessSeconds !== undefined && {
      TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: stickinessSeconds },
    }),
  };
}

function shapeForward(
  config: elb.ForwardActionConfig | undefined,
  only: string | undefined,
): Action {
  const groups = (config?.TargetGroups ?? []).flatMap(({ TargetGroupArn, Weight }) =>
    TargetGroupArn ? [{ arn: TargetGroupArn, weight: Weight ?? 1 }] : [],
  );
  const { Enabled, DurationSeconds } = config?.TargetGroupStickinessConfig ?? {};
  return {
    kind: 'forward',
    targetGroups: groups.length === 0 && only ? [{ arn: only, weight: 1 }] : groups,
    ...(Enabled === true && { stickinessSeconds: DurationSeconds ?? 0 }),
  };
}

function toRedirect(action: RedirectAction): elb.RedirectActionConfig {
  const { statusCode, protocol, host, port, path, query } = action;
  return {
    StatusCode: statusCode === 302 ? 'HTTP_302' : 'HTTP_301',
    ...omitUndefined({ Protocol: protocol, Host: host, Port: port, Path: path, Query: query }),
  };
}

function shapeRedirect(from: elb.RedirectActionConfig): Action {
  const { Protocol: protocol, Host: host, Port: port, Path: path, Query: query } = from;
  return {
    kind: 'redirect',
    statusCode: from.StatusCode === 'HTTP_302' ? 302 : 301,
    ...omitUndefined({ protocol, host, port, path, query }),
  };
}

function toFixedResponse(action: FixedResponseAction): elb.FixedResponseActionConfig {
  const { statusCode, contentType, body } = action;
  return omitUndefined({
    StatusCode: String(statusCode),
    ContentType: contentType,
    MessageBody: body,
  });
}

function shapeFixedResponse(from: elb.FixedResponseActionConfig): Action {
  return {
    kind: 'fixed-response',
    statusCode: Number(from.StatusCode),
    ...omitUndefined({ contentType: from.ContentType, body: from.MessageBody }),
  };
}
