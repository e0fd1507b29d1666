import type { TargetHealth } from './traffic.ts';

/** Health of the targets of one group. */
interface GroupHealth {
  /** The worst of those that are not healthy. */
  readonly unhealthy?: TargetHealth;
  /** AWS has not answered yet about one of them. */
  readonly isAwaited?: true;
}

/** True where the worst target is one that AWS has not finished checking, as in each rolling update. */
export function isUnderCheck({ unhealthy, isAwaited }: GroupHealth): boolean {
  return unhealthy === undefined ? isAwaited === true : unhealthy.state === 'initial';
}

/** In AWS's words: `10.0.0.7:8080 is unhealthy, Target.ResponseCodeMismatch: ...`. */
export function describeTargetHealth({
  id,
  port,
  state,
  reason,
  description,
}: TargetHealth): string {
  const why = [reason, description].filter((part) => part !== undefined).join(': ');
  return `${id}:${port} is ${state}${why === '' ? '' : `, ${why}`}`;
}
