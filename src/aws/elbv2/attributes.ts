import { type AwsStep, createUnreadableError } from '../client/aws-errors.ts';
import { shapePairs } from './tags.ts';

interface Answer {
  readonly Attributes?: Parameters<typeof shapePairs>[0] | undefined;
}

/**
 * The attributes of an answer. Every resource has some; taking an empty list for the truth would lose the
 * values that are to be put back one day.
 */
export function shapeAttributes(
  { Attributes: attributes }: Answer,
  step: AwsStep,
): Readonly<Record<string, string>> {
  if (attributes?.length) return shapePairs(attributes);
  throw createUnreadableError(step, 'the answer lacks the attributes');
}
