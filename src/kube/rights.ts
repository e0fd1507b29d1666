import { type Clock, jitter, sleep } from '../core/clock.ts';
import type { Logger } from '../core/logger.ts';
import type { KubeClient } from './kube-client.ts';
import type { KubeRequest } from './kube-transport.ts';
import { type Right, rightsOf, sentenceAbout } from './right.ts';

export interface RightsOptions {
  /** For the reviews alone; a refusal of one is not reported here again. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Somebody is about to grant the right: do not let them wait long. */
const LOOK_AGAIN_MS = 5_000;

/**
 * The rights that the operator needs and does not have. Tells a missing right from the other reasons
 * for a 403 (quotas, policies, a leaving namespace) by asking the API server itself, and goes on
 * asking until the right is there. Everybody may ask:
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export class Rights {
  readonly #options: RightsOptions;
  readonly #missing = new Map<string, Right>();
  readonly #asked = new Set<string>();
  readonly #stopping = new AbortController();
  #isLooking = false;
  #onGranted = (): void => {};

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** A request was answered with 403. */
  refused(request: KubeRequest): void {
    if (this.#stopping.signal.aborted) return;
    for (const right of rightsOf(request)) this.#review(right);
  }

  /** One sentence for each right that is missing. */
  missing(): readonly string[] {
    return [...this.#missing.keys()];
  }

  /** Calls `onGranted` whenever a right that was missing is there. */
  onGranted(onGranted: () => void): void {
    this.#onGranted = onGranted;
  }

  stop(): void {
    this.#stopping.abort();
  }

  #review(right: Right): void {
    const sentence = sentenceAbout(right);
    if (this.#missing.has(sentence) || this.#asked.has(sentence)) return;
    this.#asked.add(sentence);
    void this.#judge(sentence, right).finally(() => this.#asked.delete(sentence));
  }

  async #judge(sentence: string, right: Right): Promise<void> {
    if (await this.#isAllowed(right)) return;
    this.#missing.set(sentence, right);
    this.#options.log.error(sentence, { verb: right.verb, resource: right.resource });
    if (!this.#isLooking) void this.#lookAgain();
  }

  async #lookAgain(): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stopping;
    this.#isLooking = true;
    while (this.#missing.size > 0 && !signal.aborted) {
      await sleep(clock, jitter(clock, LOOK_AGAIN_MS, 0.2), signal).catch(() => {});
      for (const [sentence, right] of [...this.#missing]) {
        if (signal.aborted || !(await this.#isAllowed(right))) continue;
        this.#missing.delete(sentence);
        log.info('a right that was missing is there', { after: sentence });
        this.#onGranted();
      }
    }
    this.#isLooking = false;
  }

  /** Without an answer the refusal stands. */
  async #isAllowed(right: Right): Promise<boolean> {
    const { client } = this.#options;
    const { signal } = this.#stopping;
    const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
    try {
      const review = await client.request<{ readonly status?: { readonly allowed?: boolean } }>({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: JSON.stringify({ ...kind, spec: { resourceAttributes: right } }),
        signal,
      });
      return review.status?.allowed === true;
    } catch {
      return signal.aborted;
    }
  }
}
