/**
 * The TypeScript type that a CRD's schema describes, for objects that an API server has admitted.
 *
 * - A property that is required or has a `default` is there: the API server fills defaults in on
 *   every write and read
 *   (https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#defaulting).
 * - No type has an index signature except maps (`additionalProperties`) and objects with
 *   `x-kubernetes-preserve-unknown-fields`, so an unknown key in an object literal does not compile, as
 *   it does not pass strict validation.
 * - A schema with none of the forms below (none of ours; the walker test sees to it) gives `never`.
 *
 * @example
 * type Port = Infer<{ readonly type: 'string'; readonly enum: readonly ['http', 'https'] }>;
 * // 'http' | 'https'
 */
export type Infer<Schema> = Schema extends { readonly 'x-kubernetes-int-or-string': true }
  ? number | string
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly type: 'string' }
      ? string
      : Schema extends { readonly type: 'integer' | 'number' }
        ? number
        : Schema extends { readonly type: 'boolean' }
          ? boolean
          : Schema extends { readonly type: 'array'; readonly items: infer Item }
            ? readonly Infer<Item>[]
            : Schema extends { readonly additionalProperties: infer Value }
              ? { readonly [key: string]: Infer<Value> }
              : Schema extends { readonly type: 'object'; readonly properties: infer Properties }
                ? InferObject<Properties, PresentKeys<Schema, Properties>> & Unknown<Schema>
                : never;

/** Fields that a schema leaves to others to know. */
type Unknown<Schema> = Schema extends { readonly 'x-kubernetes-preserve-unknown-fields': true }
  ? { readonly [key: string]: unknown }
  : unknown;

/** Keys that are in `required` or have a default. */
type PresentKeys<Schema, Properties> =
  | (Schema extends { readonly required: readonly (infer Key)[] } ? Key & keyof Properties : never)
  | {
      [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown }
        ? Key
        : never;
    }[keyof Properties];

type InferObject<Properties, Present> = Flatten<
  { readonly [Key in keyof Properties as Key & Present]: Infer<Properties[Key]> } & {
    readonly [Key in keyof Properties as Exclude<Key, Present>]?: Infer<Properties[Key]>;
  }
>;

/** One object type instead of an intersection, so that editors show its fields. */
type Flatten<Type> = { [Key in keyof Type]: Type[Key] };
