// Lives here: whose credentials these are, by STS, and what IAM's simulator says that a role may do.
// May import it: src/cli.
// Start with: this file.

import { type Clock, DeadlineExceeded, raceAbort, startDeadline } from '../../core/ports/clock.ts';
import { createHttpHandler } from '../client/http-handler.ts';
import { readPages } from '../client/pages.ts';
import { createSdkClient, type SdkClientOptions } from '../client/sdk-api.ts';
import { createIdentityCommand, findIam, iamService, stsService } from './identity-commands.ts';

export interface IdentityOptions extends SdkClientOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface CallerIdentity {
  /** Such as arn:aws:sts::111122223333:assumed-role/admin/me. */
  readonly arn: string;
  readonly account: string;
  /** AWS's clock, by the header Date of the answer. */
  readonly date: string | undefined;
}

/** Needs no right: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetCallerIdentity.html. Throws as the SDK does. */
export async function readCallerIdentity(options: IdentityOptions): Promise<CallerIdentity> {
  const client = connect(options, stsService);
  let date: string | undefined;
  client.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      const { headers } = answer.response as { readonly headers: Readonly<Record<string, string>> };
      date = headers['date'];
      return answer;
    },
    { name: 'readDate', step: 'deserialize', priority: 'low' },
  );
  type Answer = { readonly Arn?: string; readonly Account?: string };
  const asking = send<Answer>(client, ['GetCallerIdentity', {}], options);
  const answer = await asking.finally(() => client.destroy());
  return { arn: answer.Arn ?? '', account: answer.Account ?? '', date };
}

/** One question to the simulator: may the principal do this to that, when the request says so. */
export interface Simulation {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  /** Context keys with their values, such as tags. */
  readonly context: Readonly<Record<string, string>>;
}

/**
 * The actions that the policies of the principal do not allow for every resource. Needs iam:SimulatePrincipalPolicy.
 * Limits of the organisation and of sessions do not count in it:
 * https://docs.aws.amazon.com/IAM/latest/APIReference/API_SimulatePrincipalPolicy.html. Throws as the SDK does.
 */
export async function simulatePolicy(
  principalArn: string,
  { actions, resources, context }: Simulation,
  options: IdentityOptions,
): Promise<readonly string[]> {
  const { signedFor } = findIam(options.region);
  const entries = Object.entries(context).map(([ContextKeyName, value]) => {
    return { ContextKeyName, ContextKeyType: 'string', ContextKeyValues: [value] };
  });
  const input = {
    ...{ PolicySourceArn: principalArn, ActionNames: actions, ResourceArns: resources },
    ContextEntries: entries,
  };
  const client = connect(options, { ...iamService, signingRegion: signedFor });
  const results = await readPages(async (Marker) => {
    const page = { ...input, ...(Marker && { Marker }) };
    const answer = await send<Simulated>(client, ['SimulatePrincipalPolicy', page], options);
    return { items: answer.EvaluationResults ?? [], next: answer.Marker };
  }).finally(() => client.destroy());
  const refused = results.filter((one) => one.EvalDecision !== 'allowed');
  return [...new Set(refused.flatMap(({ EvalActionName }) => EvalActionName ?? []))];
}

interface Simulated {
  readonly Marker?: string;
  readonly EvaluationResults?: readonly {
    readonly EvalActionName?: string;
    readonly EvalDecision?: string;
  }[];
}

/**
 * The address in `options` is that of Elastic Load Balancing. The SDK finds its own for each service:
 * AWS_ENDPOINT_URL_STS or AWS_ENDPOINT_URL_IAM, else AWS_ENDPOINT_URL, else the one that AWS has.
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
function connect(options: IdentityOptions, service: object): ReturnType<typeof createSdkClient> {
  const requestHandler = createHttpHandler(options.proxy);
  return createSdkClient(options, { requestHandler, endpoint: undefined, ...service });
}

type Ask = Parameters<typeof createIdentityCommand>;

const DEADLINE_MS = 10_000;

/** The SDK has no limit for what hands out credentials, such as a credential_process. */
export class CredentialsTimeout extends Error {
  constructor(cause: DeadlineExceeded) {
    super(
      `the credentials of AWS do not come within ${DEADLINE_MS / 1000} s: run aws sts get-caller-identity to see what the profile or its credential_process waits for`,
      { cause },
    );
    this.name = 'CredentialsTimeout';
  }
}

async function send<T>(
  client: ReturnType<typeof createSdkClient>,
  ask: Ask,
  { clock, signal }: IdentityOptions,
): Promise<T> {
  const limit = startDeadline(clock, DEADLINE_MS, signal);
  try {
    await raceAbort(client.config.credentials(), limit.signal).catch((error: unknown) => {
      throw error instanceof DeadlineExceeded ? new CredentialsTimeout(error) : error;
    });
    const how = { abortSignal: limit.signal };
    return (await client.send(createIdentityCommand(...ask) as never, how)) as T;
  } finally {
    limit.release();
  }
}
