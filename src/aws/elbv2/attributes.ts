import { type AwsStep, allowAbsence, expectPart } from '../client/aws-errors.ts';
import { shapePairs } from './tags.ts';

type Attributes = Readonly<Record<string, string>>;

interface Answer {
  readonly Attributes?: Parameters<typeof shapePairs>[0] | undefined;
}

/** undefined: AWS does not find the resource. */
export function readAttributes(
  step: AwsStep,
  answering: Promise<Answer>,
): Promise<Attributes | undefined> {
  return allowAbsence(
    step.operation,
    answering.then((answer) => shapeAttributes(answer, step)),
  );
}

/**
 * The attributes of an answer. Every resource has some; taking an empty list for the truth would lose the
 * values that are to be put back one day.
 */
export function shapeAttributes({ Attributes: attributes }: Answer, step: AwsStep): Attributes {
  return shapePairs(expectPart(attributes?.length ? attributes : undefined, step, 'attributes'));
}
