import type { Clock } from '../../core/ports/clock.ts';
import { hasReason, OperatorError } from '../../core/reconcile/operator-error.ts';
import { classifyOutcome } from './aws-errors.ts';

/**
 * The quota behind each refusal, as DescribeAccountLimits names it.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Limit.html
 */
const limitsByCode = {
  TooManyActions: 'target-groups-per-action-on-application-load-balancer',
  TooManyCertificates: 'certificates-per-application-load-balancer',
  TooManyListeners: 'listeners-per-application-load-balancer',
  TooManyLoadBalancers: 'application-load-balancers',
  TooManyRegistrationsForTargetId: 'target-id-registrations-per-application-load-balancer',
  TooManyRules: 'rules-per-application-load-balancer',
  TooManyTargetGroups: 'target-groups',
  TooManyTargets: 'targets-per-application-load-balancer',
  TooManyUniqueTargetGroupsPerLoadBalancer: 'target-groups-per-application-load-balancer',
} as const;

/** AWS's code of a refusal because a quota is full. */
export type QuotaCode = keyof typeof limitsByCode;

/** undefined: the failure is another, or about a quota that AWS does not list. */
export function findQuota(error: unknown): QuotaCode | undefined {
  if (!(error instanceof OperatorError)) return undefined;
  const { errorCode } = classifyOutcome(error.cause);
  return Object.keys(limitsByCode).find((code) => code === errorCode) as QuotaCode | undefined;
}

/** A quota that is raised is shown after this time, should AWS refuse again. */
const REMEMBERED_MS = 600_000;

/** As DescribeAccountLimits answers. */
export interface AccountLimit {
  readonly Name?: string | undefined;
  readonly Max?: string | undefined;
}

type Limits = ReadonlyMap<string, string>;

/** The account's quotas, read after a refusal alone, and then remembered for a while. */
export class Quotas {
  readonly #clock: Clock;
  #limits: Promise<Limits | undefined> = Promise.resolve(undefined);
  #readMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `rules-per-application-load-balancer is 100`; undefined where AWS does not say so. */
  async describe(
    code: QuotaCode,
    read: () => Promise<readonly AccountLimit[]>,
  ): Promise<string | undefined> {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#readMs >= REMEMBERED_MS) {
      this.#readMs = nowMs;
      this.#limits = this.#read(read, this.#limits);
    }
    const name = limitsByCode[code];
    const max = (await this.#limits)?.get(name);
    return max === undefined ? undefined : `${name} is ${max}`;
  }

  /**
   * The refusal is what counts: a failure here, such as a right that is missing, hides the number alone. One that was
   * read before stays, or each failure would change the message.
   */
  async #read(
    read: () => Promise<readonly AccountLimit[]>,
    known: Promise<Limits | undefined>,
  ): Promise<Limits | undefined> {
    try {
      return new Map((await read()).map(({ Name = '', Max = '' }) => [Name, Max]));
    } catch (error) {
      if (!hasReason(error, 'AccessDenied')) this.#readMs = Number.NEGATIVE_INFINITY;
      return known;
    }
  }
}
