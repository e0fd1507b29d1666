// Lives here: the caller's AWS account: clients with the caller's credentials, and what the operator's Deployment says about region and cluster id.
// May import it: src/cli.
// Start with: this file.

import { myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import { COMMAND_LIMITS } from '../../aws/budget/budget-limits.ts';
import { restrictWrites } from '../../aws/client/aws-api.ts';
import { type AwsReasonTexts, awsReasons } from '../../aws/client/aws-reasons.ts';
import { Patience } from '../../aws/client/patience.ts';
import { createSdkApi } from '../../aws/client/sdk-api.ts';
import { type Aws, wireAws } from '../../aws/client/wire.ts';
import type { AwsOperation } from '../../aws/elbv2/load-balancers.ts';
import type { AwsConfig } from '../../config/config.ts';
import type { Clock } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import { noMetrics, silentLog, USER_AGENT } from '../cluster.ts';
import { WHO_CALLS_AWS } from '../errors.ts';

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

const LOG_IN = 'log in (aws sso login), or choose other credentials (AWS_PROFILE)';

/** The reader is a person at a terminal, not the owner of an object: the credentials are theirs, and nothing retries. */
const TEXTS: AwsReasonTexts = {
  ...myIngressReasons,
  CredentialsUnavailable: {
    cause: 'The AWS SDK finds no credentials',
    next: `${LOG_IN}; aws sts get-caller-identity says where a profile or its credential_process is wrong`,
  },
  CredentialsRefused: {
    cause: awsReasons.CredentialsRefused.cause,
    next: `${LOG_IN}, and check AWS_REGION and the clock of this machine`,
  },
  ClockSkew: {
    cause: 'The clock of this machine is off',
    next: 'correct the clock of this machine, and try again',
  },
  Throttled: {
    cause: awsReasons.Throttled.cause,
    next: `try again in a minute; ${WHO_CALLS_AWS}`,
  },
  AwsUnavailable: {
    cause: awsReasons.AwsUnavailable.cause,
    next: 'try again in a minute; if it persists, check the AWS Health Dashboard, or the server at AWS_ENDPOINT_URL',
  },
  AwsUnreachable: {
    cause: awsReasons.AwsUnreachable.cause,
    next: 'check AWS_ENDPOINT_URL, AWS_REGION, HTTPS_PROXY and the network of this machine',
  },
  AwsError: {
    cause: awsReasons.AwsError.cause,
    next: 'act on what AWS says, or check AWS_ENDPOINT_URL',
  },
};

/** Without an answer from AWS, before a command gives up. */
const LONGEST_WAIT_MS = 60_000;

/** Credentials come from the SDK's default chain. What `writes` does not list cannot be sent. */
export function openAccount(aws: AwsConfig, options: AccountOptions): Account {
  const { clock, writes = [], log = silentLog } = options;
  const leadership = { isLeader: () => writes.length > 0 };
  const sdk = createSdkApi({ ...aws, clock, leadership, userAgent: USER_AGENT });
  const api = restrictWrites(sdk, writes);
  const patience = new Patience({ clock, longestOutageMs: 0, longestThrottleMs: LONGEST_WAIT_MS });
  const ports = { api, clock, leadership, log, metrics: noMetrics, patience };
  const wired = wireAws({ ...ports, budget: COMMAND_LIMITS, texts: TEXTS });
  return { ...wired, close: () => sdk.close() };
}
