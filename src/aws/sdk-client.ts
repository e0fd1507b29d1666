import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { createHttpHandler, type Proxy } from './http-handler.ts';

export interface SdkClientOptions {
  readonly region: string;
  /** Base address of a stand-in for AWS; AWS's own of the region without it. */
  readonly endpoint?: string;
  readonly proxy?: Proxy;
  readonly userAgent: string;
}

/**
 * The SDK keeps the credentials file as it first read it, and so its absence, for the life of the
 * process; with this, which its types leave out of the client's options, a file that comes later
 * counts. https://github.com/smithy-lang/smithy-typescript/tree/main/packages/shared-ini-file-loader
 */
const READ_FILES_AGAIN = { ignoreCache: true } as const;

/** The SDK's client as albridge needs it: one attempt a call. */
export function createSdkClient(options: SdkClientOptions): ElasticLoadBalancingV2Client {
  const client = new ElasticLoadBalancingV2Client({
    region: options.region,
    ...(options.endpoint === undefined ? {} : { endpoint: options.endpoint }),
    ...READ_FILES_AGAIN,
    maxAttempts: 1,
    retryMode: 'standard',
    requestHandler: createHttpHandler(options.proxy),
  });
  leaveOutUnused(client);
  nameOnce(client, options.userAgent);
  return client;
}

/**
 * What the SDK does for each call and nobody here has any use for: walking through the whole input
 * and output for a logger that is not there, looking for the trace of a Lambda function, and its
 * retries, of which retry.ts is the only layer; what follows those is placed by their name, so that
 * stays.
 * https://docs.aws.amazon.com/sdk-for-javascript/v3/developer-guide/middleware-stack.html
 */
function leaveOutUnused({ middlewareStack }: ElasticLoadBalancingV2Client): void {
  middlewareStack.remove('loggerMiddleware');
  middlewareStack.remove('recursionDetectionMiddleware');
  middlewareStack.add((next) => next, {
    name: 'retryMiddleware',
    step: 'finalizeRequest',
    priority: 'high',
    override: true,
  });
}

/**
 * The SDK puts its user agent together anew for each call. This one never changes; the application
 * id is whatever AWS_SDK_UA_APP_ID or the configuration file say.
 * https://docs.aws.amazon.com/sdkref/latest/guide/feature-appid.html
 */
function nameOnce({ middlewareStack, config }: ElasticLoadBalancingV2Client, name: string): void {
  let known: Promise<string> | undefined;
  const put = async (): Promise<string> => {
    const applicationId = await config.userAgentAppId();
    return applicationId === undefined ? name : `${name} app/${applicationId}`;
  };
  middlewareStack.add(
    (next) => async (args) => {
      known ??= put();
      const { headers } = args.request as { readonly headers: Record<string, string> };
      headers['user-agent'] = await known;
      return next(args);
    },
    { name: 'getUserAgentMiddleware', step: 'build', priority: 'low', override: true },
  );
}
