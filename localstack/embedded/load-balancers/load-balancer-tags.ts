import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault, constraintFault, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, requiredTexts, structuresOf, textOf } from '../input-fields.ts';
import { setTags, type TaggedResource, taggedResource } from '../traffic/tagged-resources.ts';

const MAX_TAGS = 50;
const MAX_KEY_LENGTH = 128;
const MAX_VALUE_LENGTH = 256;
const MAX_DESCRIBED_ARNS = 20;
const TAG_TEXT = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/**
 * `Tags` of CreateLoadBalancer and AddTags. Throws ValidationError, DuplicateTagKeys, TooManyTags.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Tag.html
 */
export function checkedTags(input: Input): ReadonlyMap<string, string> {
  const entries = structuresOf(input, 'Tags');
  if (entries?.length === 0) {
    throw constraintFault('tags', '[]', 'Member must have length greater than or equal to 1');
  }
  const tags = new Map<string, string>();
  for (const entry of entries ?? []) {
    const key = requiredText(entry, 'Key');
    checkKey(key);
    if (tags.has(key)) {
      throw new AwsFault(
        'DuplicateTagKeys',
        'Duplicate Tag Keys found in the request. Tag keys should be unique.',
      );
    }
    tags.set(key, checkedValue(textOf(entry, 'Value') ?? ''));
  }
  checkCount(tags);
  return tags;
}

/** All or nothing. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_AddTags.html */
export function addTags(world: AwsWorld, input: Input): unknown {
  const resources = taggedResources(world, input);
  if (input['Tags'] === undefined) throw validationError('At least one tag must be specified');
  const added = checkedTags(input);
  const changed = resources.map(({ arn, tags: before }) => {
    const tags = new Map([...before, ...added]);
    checkCount(tags);
    return { arn, tags };
  });
  for (const { arn, tags } of changed) setTags(world, arn, tags);
  return {};
}

/** Keys that a resource lacks are no error. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RemoveTags.html */
export function removeTags(world: AwsWorld, input: Input): unknown {
  const resources = taggedResources(world, input);
  const removed = new Set(requiredTexts(input, 'TagKeys'));
  for (const { arn, tags } of resources) {
    setTags(world, arn, new Map([...tags].filter(([key]) => !removed.has(key))));
  }
  return {};
}

/** At most 20 ARNs of any kinds, all existing. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html */
export function describeTags(world: ReadableWorld, input: Input): unknown {
  const arns = requiredTexts(input, 'ResourceArns');
  if (arns.length > MAX_DESCRIBED_ARNS) {
    throw constraintFault(
      'resourceArns',
      `[${arns.join(', ')}]`,
      `Member must have length less than or equal to ${MAX_DESCRIBED_ARNS}`,
    );
  }
  return {
    TagDescriptions: taggedResources(world, input).map(({ arn, tags }) => ({
      ResourceArn: arn,
      Tags: Array.from(tags, ([key, value]) => ({ Key: key, Value: value })),
    })),
  };
}

function taggedResources(world: ReadableWorld, input: Input): readonly TaggedResource[] {
  const arns = new Set(requiredTexts(input, 'ResourceArns'));
  return Array.from(arns, (arn) => taggedResource(world, arn));
}

function checkKey(key: string): void {
  if (key.length < 1 || key.length > MAX_KEY_LENGTH) {
    throw constraintFault(
      'tags.key',
      key,
      `Member must have length between 1 and ${MAX_KEY_LENGTH}`,
    );
  }
  if (!TAG_TEXT.test(key)) throw badCharacters('tags.key', key);
  if (key.toLowerCase().startsWith('aws:')) {
    throw validationError('aws: prefixed tag key names are not allowed for external use.');
  }
}

function checkedValue(value: string): string {
  if (value.length > MAX_VALUE_LENGTH) {
    const limit = `Member must have length less than or equal to ${MAX_VALUE_LENGTH}`;
    throw constraintFault('tags.value', value, limit);
  }
  if (!TAG_TEXT.test(value)) throw badCharacters('tags.value', value);
  return value;
}

function badCharacters(field: string, value: string): AwsFault {
  return constraintFault(
    field,
    value,
    'Member must satisfy regular expression pattern: ^([\\p{L}\\p{Z}\\p{N}_.:/=+\\-@]*)$',
  );
}

function checkCount(tags: ReadonlyMap<string, string>): void {
  if (tags.size > MAX_TAGS) {
    throw new AwsFault('TooManyTags', `The number of tags per resource cannot exceed ${MAX_TAGS}`);
  }
}
