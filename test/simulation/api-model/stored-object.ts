/** An object as the API server keeps it and as it goes over the wire. Never changed in place. */
export type Json = Readonly<Record<string, unknown>>;

export interface StoredObject extends Json {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMeta;
}

export interface StoredMeta extends Json {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation?: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

/** One entry of metadata.managedFields; `fieldsV1` as on the wire. */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly subresource?: string;
  readonly fieldsV1: Json;
}

/** One resource that the model serves. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
  /** Has /status, and a generation that counts changes of everything but status and metadata. */
  readonly isCustom: boolean;
  /** False: nobody applies to it, so nobody's fields are tracked; an apply is not modelled. */
  readonly tracksFields: boolean;
  /** `status.conditions` is a map by type: several managers apply theirs. */
  readonly sharesConditions?: true;
  /** Fills in what the schema says; once at creation and at each write. */
  readonly withDefaults?: (object: Json) => Json;
  /** How long an object that is deleted stays until somebody says that it has ended. */
  readonly graceMs?: (object: StoredObject) => number;
  /** What is wrong with an object, as `field: sentence`; `old` where it is an update. */
  readonly faultsOf?: (object: Json, old: Json | undefined) => readonly string[];
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function keyOfStored({ metadata }: Pick<StoredObject, 'metadata'>): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

/** JSON as text of which equal texts mean equal values. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    isObject(item)
      ? Object.fromEntries(Object.entries(item).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : item,
  );
}
