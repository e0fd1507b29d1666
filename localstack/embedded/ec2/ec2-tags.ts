import type { AwsWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import { type Input, structuresOf, textOf, textsOf } from '../input-fields.ts';
import { invalidParameterValue, missingParameter, requiredParameter } from './ec2-faults.ts';
import type { Tags } from './network.ts';

const MAX_TAGS = 50;

/** LocalStack's convention: this tag on a new resource chooses the resource's id. */
const CUSTOM_ID_TAG = '_custom_id_';

/** Tags of `TagSpecifications` for one kind of resource. */
export function specifiedTags(input: Input, resourceType: string): Tags {
  const tags = new Map<string, string>();
  for (const specification of structuresOf(input, 'TagSpecifications') ?? []) {
    const type = requiredParameter(specification, 'ResourceType');
    if (type !== resourceType) {
      throw invalidParameterValue(`'${type}' is not a valid taggable resource type here.`);
    }
    addTags(tags, structuresOf(specification, 'Tags') ?? []);
  }
  return tags;
}

/** One kind of resource: the form of its ids, and which exist. */
export interface ResourceKind {
  readonly prefix: string;
  readonly existing: ReadonlyMap<string, unknown>;
  /** Answered when the chosen id is taken. */
  readonly duplicateCode: string;
}

/** The id chosen by a tag, else a new one. */
export function newResourceId(world: AwsWorld, tags: Tags, kind: ResourceKind): string {
  const chosen = tags.get(CUSTOM_ID_TAG);
  if (chosen === undefined) return generatedId(world, kind.prefix);
  if (!kind.existing.has(chosen)) return chosen;
  throw new AwsFault(kind.duplicateCode, `The custom ID '${chosen}' is in use already`);
}

/** `<prefix>-<17 hex digits>` */
export function generatedId(world: AwsWorld, prefix: string): string {
  return `${prefix}-0${world.ids.hex(16)}`;
}

/** https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateTags.html */
export function createTags(world: AwsWorld, input: Input): unknown {
  const ids = textsOf(input, 'Resources') ?? [];
  const entries = structuresOf(input, 'Tags') ?? [];
  if (ids.length === 0) throw missingParameter('resourceIdSet');
  if (entries.length === 0) throw missingParameter('tagSet');
  for (const tagged of ids.map((id) => resourceWithId(world, id))) {
    const tags = new Map(tagged.tags);
    addTags(tags, entries);
    tagged.replace(tags);
  }
  return {};
}

/**
 * A tag goes where its value is as given, or none is.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteTags.html
 */
export function deleteTags(world: AwsWorld, input: Input): unknown {
  const ids = textsOf(input, 'Resources') ?? [];
  if (ids.length === 0) throw missingParameter('resourceIdSet');
  const entries = structuresOf(input, 'Tags') ?? [];
  for (const tagged of ids.map((id) => resourceWithId(world, id))) {
    const left = [...tagged.tags].filter(([key, value]) => {
      const isMeant = entries.some((entry) => {
        return textOf(entry, 'Key') === key && (textOf(entry, 'Value') ?? value) === value;
      });
      return entries.length > 0 && !isMeant;
    });
    tagged.replace(new Map(left));
  }
  return {};
}

interface TaggedResource {
  readonly tags: Tags;
  replace(tags: Tags): void;
}

function resourceWithId(world: AwsWorld, id: string): TaggedResource {
  const { vpcs, subnets, internetGateways, securityGroups } = world.network;
  const found =
    taggedIn(vpcs, id) ??
    taggedIn(subnets, id) ??
    taggedIn(internetGateways, id) ??
    taggedIn(securityGroups, id);
  if (found === undefined) throw new AwsFault('InvalidID', `The ID '${id}' is not valid`);
  return found;
}

function taggedIn<Resource extends { readonly tags: Tags }>(
  resources: Map<string, Resource>,
  id: string,
): TaggedResource | undefined {
  const resource = resources.get(id);
  if (resource === undefined) return undefined;
  return { tags: resource.tags, replace: (tags) => resources.set(id, { ...resource, tags }) };
}

function addTags(tags: Map<string, string>, entries: readonly Input[]): void {
  for (const entry of entries) {
    const key = requiredParameter(entry, 'Key');
    if (key.toLowerCase().startsWith('aws:')) {
      throw invalidParameterValue(`Tag keys starting with 'aws:' are reserved for internal use`);
    }
    tags.set(key, textOf(entry, 'Value') ?? '');
  }
  if (tags.size > MAX_TAGS) {
    throw new AwsFault('TagLimitExceeded', 'The maximum number of Tags has been reached.');
  }
}

/** A tag set as EC2 shows it. */
export function describeTagSet(tags: Tags): unknown[] {
  return Array.from(tags, ([key, value]) => ({ Key: key, Value: value }));
}
