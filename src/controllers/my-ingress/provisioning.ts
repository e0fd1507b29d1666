import type { LoadBalancer } from '../../aws/load-balancers.ts';
import { type Outcome, settled, type Waiting, waiting } from '../../core/outcome.ts';
import { failure } from './failure.ts';

const LONGEST_WAIT_MS = 15_000;

/**
 * What a balancer's state means for its object; pure. Ready is `active` and nothing else.
 * States: https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_LoadBalancerState.html
 *
 * @param provisioningForMs since when this process waits for `active`, in ms
 * @param isReported an event of this pass reports where the balancer comes from
 * @throws OperatorError LoadBalancerFailed, LoadBalancerImpaired
 */
export function outcomeOf(
  loadBalancer: LoadBalancer,
  provisioningForMs: number,
  isReported = false,
): Outcome {
  const { name, dns, state } = loadBalancer;
  const why = reasonOf(loadBalancer);
  switch (state.code) {
    case 'active':
      return settled('Available', `load balancer ${name} is active at ${dns}`);
    case 'failed':
      throw failure('LoadBalancerFailed', `AWS could not set up load balancer ${name}${why}`);
    case 'active_impaired':
      throw failure('LoadBalancerImpaired', `load balancer ${name} is impaired${why}`);
    default:
      return provisioning(loadBalancer, provisioningForMs, isReported);
  }
}

/** What an object waits for until AWS has set up its balancer. */
export function provisioning(
  loadBalancer: LoadBalancer,
  forMs: number,
  isReported: boolean,
): Waiting {
  const { name, state } = loadBalancer;
  const message = `AWS is setting up load balancer ${name}, state ${state.code}${reasonOf(loadBalancer)}`;
  return { ...waiting('Provisioning', message, nextLookMs(forMs)), isReported };
}

function reasonOf({ state }: LoadBalancer): string {
  return state.reason === undefined ? '' : `: ${state.reason}`;
}

/** Looks fall at 1, 3, 7, 15, 30, 45 ... seconds: after 1, 2, 4, 8, 15, 15 ... */
function nextLookMs(provisioningForMs: number): number {
  const seconds = Math.floor(provisioningForMs / 1000);
  return Math.min(LONGEST_WAIT_MS, (seconds + 1) * 1000);
}
