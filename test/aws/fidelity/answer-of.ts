import type { EmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import { errorXml, successXml } from '../../../localstack/embedded/http/aws-envelope.ts';
import { AwsFault } from '../../../localstack/embedded/http/aws-fault.ts';
import { jsonFromFault, jsonFromOutput } from '../../../localstack/embedded/http/json-protocol.ts';
import type { Input } from '../../../localstack/embedded/input-fields.ts';
import { OPERATIONS } from '../../../localstack/embedded/operations.ts';
import type { RelayedAnswer } from '../relay.ts';

/** The state machine's answer as the stand-in's server writes it. */
export function answerOf(aws: EmbeddedAws, operation: string, input: object): RelayedAnswer {
  const service = OPERATIONS.get(operation)?.service ?? 'elasticloadbalancing';
  const requestId = 'r';
  try {
    const output = aws.handle(operation, input as Input) as object;
    const body =
      service === 'acm'
        ? jsonFromOutput(output)
        : successXml(service, operation, { output, requestId });
    return { operation, status: 200, body };
  } catch (error) {
    if (!(error instanceof AwsFault)) throw error;
    const body = service === 'acm' ? jsonFromFault(error) : errorXml(service, error, requestId);
    return { operation, status: error.status, body };
  }
}
