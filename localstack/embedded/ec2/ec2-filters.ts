import { AwsFault } from '../http/aws-fault.ts';
import { type Input, structuresOf, textsOf } from '../input-fields.ts';
import { invalidParameterValue, requiredParameter } from './ec2-faults.ts';
import type { Tags } from './network.ts';

interface Taggable {
  readonly id: string;
  readonly tags: Tags;
}

/** The fields that a Describe operation selects by. */
export interface Selection<Resource extends Taggable> {
  /** Input field with explicit ids, and the code that answers an unknown one. */
  readonly idField: string;
  readonly notFoundCode: string;
  /** Filter name -> the values of a resource that it matches. `tag:<key>` needs no entry. */
  readonly filters: Readonly<Record<string, (resource: Resource) => readonly string[]>>;
}

/**
 * Resources chosen by ids and filters: every filter must match, by any of its values, `*` being a
 * wildcard. Throws InvalidParameterValue for a filter that is not modelled, never ignoring it.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_Filter.html
 */
export function selectResources<Resource extends Taggable>(
  input: Input,
  resources: ReadonlyMap<string, Resource>,
  selection: Selection<Resource>,
): readonly Resource[] {
  const ids = textsOf(input, selection.idField) ?? [];
  const chosen = ids.length === 0 ? [...resources.values()] : byIds(ids, resources, selection);
  const filters = (structuresOf(input, 'Filters') ?? []).map((filter) => ({
    valuesOf: filterValues(requiredParameter(filter, 'Name'), selection),
    patterns: (textsOf(filter, 'Values') ?? []).map(wildcard),
  }));
  return chosen.filter((resource) =>
    filters.every(({ valuesOf, patterns }) =>
      valuesOf(resource).some((value) => patterns.some((pattern) => pattern.test(value))),
    ),
  );
}

function byIds<Resource extends Taggable>(
  ids: readonly string[],
  resources: ReadonlyMap<string, Resource>,
  selection: Selection<Resource>,
): readonly Resource[] {
  return [...new Set(ids)].map((id) => {
    const resource = resources.get(id);
    if (resource !== undefined) return resource;
    throw new AwsFault(selection.notFoundCode, `The ID '${id}' does not exist`);
  });
}

function filterValues<Resource extends Taggable>(
  name: string,
  selection: Selection<Resource>,
): (resource: Resource) => readonly string[] {
  if (name.startsWith('tag:')) {
    const key = name.slice('tag:'.length);
    return ({ tags }) => (tags.has(key) ? [tags.get(key) ?? ''] : []);
  }
  if (name === 'tag-key') return ({ tags }) => [...tags.keys()];
  const valuesOf = Object.hasOwn(selection.filters, name) ? selection.filters[name] : undefined;
  if (valuesOf === undefined) throw invalidParameterValue(`The filter '${name}' is invalid`);
  return valuesOf;
}

function wildcard(pattern: string): RegExp {
  const escaped = pattern.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
  return new RegExp(`^${escaped.replaceAll('*', '.*').replaceAll('?', '.')}$`, 's');
}
