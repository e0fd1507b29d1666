import * as sdk from '@aws-sdk/client-elastic-load-balancing-v2';
import type { EmbeddedAws } from '../../localstack/embedded/embedded-aws.ts';
import { AwsFault } from '../../localstack/embedded/http/aws-fault.ts';
import { BrokenAnswer } from '../../localstack/embedded/http/broken-answer.ts';
import type { Input } from '../../localstack/embedded/input-fields.ts';
import type {
  ApiSendOptions,
  AwsApi,
  AwsOperation,
  AwsOperations,
} from '../../src/aws/client/aws-api.ts';
import { type Clock, sleep } from '../../src/core/ports/clock.ts';
import { OPERATOR_KEY } from '../surroundings/shipped-policy.ts';

/**
 * The embedded AWS model as the SDK shows it: the same outputs, the same errors, no HTTP. Faults are
 * scripted at the model; a scripted delay is waited for through the clock, a hold is not supported.
 */
export class EmbeddedAwsApi implements AwsApi {
  readonly #aws: EmbeddedAws;
  readonly #clock: Clock;

  constructor(aws: EmbeddedAws, clock: Clock) {
    this.#aws = aws;
    this.#clock = clock;
  }

  async send<Operation extends AwsOperation>(
    operation: Operation,
    input: AwsOperations[Operation][0],
    { signal = new AbortController().signal, onWrite }: ApiSendOptions = {},
  ): Promise<AwsOperations[Operation][1]> {
    signal.throwIfAborted();
    onWrite?.();
    const context = { accessKeyId: OPERATOR_KEY };
    const exchange = this.#aws.begin(operation, input as unknown as Input, context);
    if (exchange.effect?.kind === 'hold') throw new Error('a hold needs the HTTP face');
    if (exchange.effect?.kind === 'delay') {
      await sleep(this.#clock, exchange.effect.delayMs, signal);
    }
    try {
      const output = exchange.run() as object;
      return { $metadata: { httpStatusCode: 200 }, ...output } as never;
    } catch (error) {
      throw asSdkError(error);
    }
  }
}

function asSdkError(error: unknown): Error {
  if (error instanceof AwsFault) return serviceError(error);
  if (error instanceof BrokenAnswer) return brokenAnswer(error);
  return error as Error;
}

/** Codes of the service's model have a class of their own in the SDK, all others share one. */
function serviceError({ code, message, status }: AwsFault): Error {
  const name = `${code.replace(/Exception$/, '')}Exception`;
  const Modelled = (sdk as unknown as Record<string, ErrorClass | undefined>)[name];
  const $metadata = { httpStatusCode: status };
  if (Modelled !== undefined) {
    return Object.assign(new Modelled({ message, $metadata }), { Code: code });
  }
  const $fault = status < 500 ? 'client' : 'server';
  const error = new sdk.ElasticLoadBalancingV2ServiceException({
    name: code,
    message,
    $fault,
    $metadata,
  });
  return Object.assign(error, { Code: code });
}

type ErrorClass = new (options: { readonly message: string; readonly $metadata: object }) => Error;

function brokenAnswer({ kind }: BrokenAnswer): Error {
  if (kind === 'connectionLost') {
    return Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  }
  return Object.assign(new Error('Unexpected token "<"'), { $metadata: { httpStatusCode: 500 } });
}
