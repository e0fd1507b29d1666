import type { TargetHealth } from './traffic.ts';

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
