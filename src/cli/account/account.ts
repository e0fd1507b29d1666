// Lives here: the caller's AWS account: clients with the caller's credentials, and what the operator's Deployment says about region and cluster id.
// May import it: src/cli.
// Start with: this file.

import { myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import { NO_LIMITS } from '../../aws/budget/budget-limits.ts';
import type { AwsReasonTexts } from '../../aws/client/aws-reasons.ts';
import { restrictWrites } from '../../aws/client/restricted-api.ts';
import { createSdkApi } from '../../aws/client/sdk-api.ts';
import { type Aws, wireAws } from '../../aws/client/wire.ts';
import type { AwsOperation } from '../../aws/elbv2/load-balancers.ts';
import type { AwsConfig } from '../../config/config.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { noMetrics, silentLog, USER_AGENT } from '../cluster.ts';

/** AWS as the caller may use it. */
export interface Account extends Aws {
  close(): void;
}

export interface AccountOptions {
  readonly clock: Clock;
  /** The writes that may be sent; default none. */
  readonly writes?: readonly AwsOperation[];
  /** Gets one line for each write, before it is sent. */
  readonly log?: Logger;
}

/** The reader is a person at a terminal, not the owner of an object. */
const TEXTS: AwsReasonTexts = {
  ...myIngressReasons,
  CredentialsUnavailable: {
    cause: 'The AWS SDK finds no credentials',
    next: 'log in (aws sso login), or choose other credentials (AWS_PROFILE), and check them by aws sts get-caller-identity',
  },
};

/** Credentials come from the SDK's default chain. What `writes` does not list cannot be sent. */
export function openAccount(aws: AwsConfig, options: AccountOptions): Account {
  const { clock, writes = [], log = silentLog } = options;
  const leadership = { isLeader: () => writes.length > 0 };
  const sdk = createSdkApi({ ...aws, clock, leadership, userAgent: USER_AGENT });
  const api = restrictWrites(sdk, writes);
  const ports = { api, clock, leadership, log, metrics: noMetrics };
  const wired = wireAws({ ...ports, budget: NO_LIMITS, texts: TEXTS });
  return { ...wired, close: () => sdk.close() };
}
