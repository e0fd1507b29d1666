import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ApiSendOptions,
  AwsApi,
  AwsOperation,
  AwsOperations,
} from '../../../src/aws/client/aws-api.ts';
import { trimCode } from '../../../src/aws/client/aws-codes.ts';
import type { Refusal } from './recording.ts';
import { RUN_TAG } from './run.ts';

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateRule.html, and the pages of the others */
const TAGGED: ReadonlySet<AwsOperation> = new Set<AwsOperation>([
  'CreateLoadBalancer',
  'CreateTargetGroup',
  'CreateListener',
  'CreateRule',
]);

interface TaggedInput {
  readonly Tags?: readonly object[];
  readonly TagSpecifications?: readonly { readonly Tags: readonly object[] }[];
}

type Shown = Partial<AwsOperations['CreateLoadBalancer'][1]> & {
  readonly TagDescriptions?: readonly WithTags[];
  readonly SecurityGroups?: readonly WithTags[];
};

interface WithTags {
  Tags?: readonly { readonly Key?: string }[];
}

const THROTTLED = /^(Throttl|RequestLimitExceeded|TooManyRequests)/;
/** A create comes back every 5 s, and up to thirty wait for theirs. */
const PAUSE_MS = 5_000;
const MOST_PAUSES = 60;

/** The refusals since the last call of `takeRefusals`. */
const refusals: Refusal[] = [];

export function takeRefusals(): readonly Refusal[] {
  return refusals.splice(0);
}

/**
 * AwsApi in somebody's account: whatever it creates carries the tag of the run, which the tests do not see; what AWS refuses for its rate is asked again; every other refusal is noted. The balancers with
 * a name of the run are deleted by `remove`, and the rest at the end of the run.
 */
export class WithinRun implements AwsApi {
  readonly #api: AwsApi;
  readonly #runId: string;
  readonly #created = new Set<string>();

  constructor(api: AwsApi, runId: string) {
    this.#api = api;
    this.#runId = runId;
  }

  async send<Operation extends AwsOperation>(
    operation: Operation,
    input: AwsOperations[Operation][0],
    options: ApiSendOptions = {},
  ): Promise<AwsOperations[Operation][1]> {
    const given = this.#tagged(operation, input);
    for (let pauses = 0; ; pauses++) {
      try {
        const output = await this.#api.send(operation, given, options);
        this.#note(output);
        return output;
      } catch (error) {
        const refusal = refusalOf(operation, error);
        if (refusal && THROTTLED.test(refusal.code) && pauses < MOST_PAUSES) {
          await sleep(PAUSE_MS, undefined, { signal: options.signal });
          continue;
        }
        if (refusal) refusals.push(refusal);
        throw error;
      }
    }
  }

  /** Deletes what was made over this: quotas count what stands. */
  async remove(): Promise<void> {
    for (const LoadBalancerArn of this.#created) {
      await this.send('DeleteLoadBalancer', { LoadBalancerArn });
    }
    this.#created.clear();
    refusals.length = 0;
  }

  #tagged<T extends object>(operation: AwsOperation, input: T): T {
    const tag = { Key: RUN_TAG, Value: this.#runId };
    const { Tags = [], TagSpecifications = [] } = input as TaggedInput;
    if (operation === 'CreateSecurityGroup') {
      const specifications = TagSpecifications.map((one) => ({ ...one, Tags: [...one.Tags, tag] }));
      return { ...input, TagSpecifications: specifications };
    }
    return TAGGED.has(operation) ? { ...input, Tags: [...Tags, tag] } : input;
  }

  #note(output: object): void {
    const { LoadBalancers = [], SecurityGroups = [], TagDescriptions = [] } = output as Shown;
    hideTag([...TagDescriptions, ...SecurityGroups]);
    for (const { LoadBalancerArn: arn, LoadBalancerName: name } of LoadBalancers) {
      if (arn !== undefined && name?.includes(this.#runId)) this.#created.add(arn);
    }
  }
}

function hideTag(all: readonly WithTags[]): void {
  for (const described of all) {
    const shown = described.Tags?.filter(({ Key }) => Key !== RUN_TAG);
    if (shown) described.Tags = shown;
  }
}

function refusalOf(operation: string, error: unknown): Refusal | undefined {
  const { Code, name, message, $metadata } = error as {
    readonly Code?: string;
    readonly name?: string;
    readonly message?: string;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  if ($metadata?.httpStatusCode === undefined) return undefined;
  return { operation, code: trimCode(Code ?? name ?? ''), message: message ?? '' };
}
