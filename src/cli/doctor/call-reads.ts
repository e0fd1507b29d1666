import type { AwsApi } from '../../aws/client/aws-api.ts';
import { translateAwsError } from '../../aws/client/aws-errors.ts';
import {
  type AwsOperation,
  getIamAction,
  isWrite,
  operations,
} from '../../aws/client/operations.ts';

import { omitUndefined } from '../../core/objects/fields.ts';

/** Calls each read of the operator once, on whatever there is in the account. */

export interface CalledApi {
  readonly allowed: readonly string[];
  readonly refused: readonly Refusal[];
  /** For want of a load balancer, listener or target group to ask about. */
  readonly unasked: readonly string[];
}

interface Refusal {
  readonly action: string;
  /** With the next step. */
  readonly said: string;
}

interface Found {
  readonly balancer?: string;
  readonly listener?: string;
  /** Certificates are of HTTPS listeners alone. */
  readonly secureListener?: string;
  readonly group?: string;
}

/** Smallest pages. */
const LISTS: Readonly<Record<string, object>> = {
  DescribeAccountLimits: { PageSize: 1 },
  DescribeLoadBalancers: { PageSize: 1 },
  DescribeTargetGroups: { PageSize: 1 },
  DescribeSubnets: { MaxResults: 5 },
  DescribeSecurityGroups: { MaxResults: 5 },
  ListCertificates: { MaxItems: 1 },
};

/** Inputs that need something to be there. */
const ABOUT: Readonly<Record<string, (found: Found) => object | undefined>> = {
  DescribeTags: ({ balancer, group }) => {
    const arn = balancer ?? group;
    return arn === undefined ? undefined : { ResourceArns: [arn] };
  },
  DescribeListeners: ({ balancer }) => name('LoadBalancerArn', balancer),
  DescribeLoadBalancerAttributes: ({ balancer }) => name('LoadBalancerArn', balancer),
  DescribeTargetGroupAttributes: ({ group }) => name('TargetGroupArn', group),
  DescribeTargetHealth: ({ group }) => name('TargetGroupArn', group),
  DescribeListenerAttributes: ({ listener }) => name('ListenerArn', listener),
  DescribeListenerCertificates: ({ secureListener }) => name('ListenerArn', secureListener),
  DescribeRules: ({ listener }) => name('ListenerArn', listener),
};

function name(key: string, arn: string | undefined): object | undefined {
  return arn === undefined ? undefined : { [key]: arn };
}

/** Rejects only where the signal aborts. */
export async function callReads(api: AwsApi, signal: AbortSignal): Promise<CalledApi> {
  const called = new Calls(api, signal);
  for (const [operation, input] of Object.entries(LISTS))
    await called.send(operation as AwsOperation, input);
  await called.send('DescribeListeners', ABOUT['DescribeListeners']?.(called.found));
  const rest = listReads().filter((one) => !(one in LISTS) && one !== 'DescribeListeners');
  for (const operation of rest) await called.send(operation, ABOUT[operation]?.(called.found));
  return called;
}

function listReads(): readonly AwsOperation[] {
  return (Object.keys(operations) as AwsOperation[]).filter((operation) => !isWrite(operation));
}

/** The members of answers that name something to ask about. */
interface Answer {
  readonly LoadBalancers?: readonly { readonly LoadBalancerArn?: string }[];
  readonly TargetGroups?: readonly { readonly TargetGroupArn?: string }[];
  readonly Listeners?: readonly { readonly ListenerArn?: string; readonly Protocol?: string }[];
}

class Calls implements CalledApi {
  readonly allowed: string[] = [];
  readonly refused: Refusal[] = [];
  readonly unasked: string[] = [];
  readonly #api: AwsApi;
  readonly #signal: AbortSignal;
  #found: Found = {};

  constructor(api: AwsApi, signal: AbortSignal) {
    this.#api = api;
    this.#signal = signal;
  }

  get found(): Found {
    return this.#found;
  }

  async send(operation: AwsOperation, input: object | undefined): Promise<void> {
    const action = getIamAction(operation);
    if (input === undefined) return void this.unasked.push(action);
    try {
      const answer = await this.#api.send(operation, input, { signal: this.#signal });
      this.#learn(answer as Answer);
      this.allowed.push(action);
    } catch (error) {
      this.#signal.throwIfAborted();
      const subject = 'what albridge reads';
      const { reason, message } = translateAwsError(error, { operation, subject });
      // Deleted since it was listed: AWS has looked, so the caller may.
      if (reason.endsWith('NotFound')) this.allowed.push(action);
      else this.refused.push({ action, said: message });
    }
  }

  #learn({ LoadBalancers, TargetGroups, Listeners }: Answer): void {
    const balancer = LoadBalancers?.[0]?.LoadBalancerArn;
    const group = TargetGroups?.[0]?.TargetGroupArn;
    const listener = Listeners?.[0]?.ListenerArn;
    const secure = Listeners?.find(({ Protocol }) => Protocol === 'HTTPS')?.ListenerArn;
    this.#found = {
      ...this.#found,
      ...omitUndefined({ balancer, group, listener, secureListener: secure }),
    };
  }
}
