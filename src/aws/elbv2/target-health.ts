import type { TargetHealth } from './traffic.ts';

/** In AWS's words: `10.0.0.7:8080 is unhealthy, Target.ResponseCodeMismatch: ...`. */
export function describeTargetHealth(health: TargetHealth): string {
  const { id, port, state, reason, description } = health;
  const why = [reason, description].filter((part) => part !== undefined).join(': ');
  const advice = adviseOn(health);
  const all = [`${id}:${port} is ${state}${why === '' ? '' : `, ${why}`}`, advice];
  return all.filter((part) => part !== undefined).join('. ');
}

/** AWS gives the code in the description alone. */
const REDIRECT_CODE = /\[3\d\d\]/;
const EXPLAIN_REDIRECT =
  'AWS checks over the protocol of the backend and with the address of the pod as host: an application that redirects to HTTPS or to another host needs a healthCheck.path that it answers itself, or a matcher with 3xx';

/** The next action, where the reason names one. https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html#target-health-reason-codes */
function adviseOn({ id, reason, description = '', zone }: TargetHealth): string | undefined {
  if (reason === 'Target.ResponseCodeMismatch' && REDIRECT_CODE.test(description)) {
    return EXPLAIN_REDIRECT;
  }
  if (reason !== 'Target.NotInUse') return undefined;
  const where = zone === undefined || zone === 'all' ? `the zone of ${id}` : `zone ${zone}`;
  return `no action of the load balancer names its target group, or none of its subnets is in ${where}`;
}
