/** `namespace/name` of a Service. */
export type ServiceKey = `${string}/${string}`;

/** Name and number of the one port of a Service. */
export interface ServicePort {
  readonly name: string;
  readonly port: number;
}

/** What happens to Services and to the pods that they select. */
export type ServiceAction =
  /** Applies the Service and, the first time, the pods behind it. */
  | {
      readonly do: 'apply';
      readonly at: ServiceKey;
      readonly pods: number;
      readonly port: ServicePort;
    }
  /** Deletes it; its pods stay. */
  | { readonly do: 'remove'; readonly at: ServiceKey }
  | { readonly do: 'scale'; readonly at: ServiceKey; readonly pods: number }
  /** Replaces each pod: `roll` by one more at a time, `recreate` all of them at once. */
  | { readonly do: 'roll' | 'recreate'; readonly at: ServiceKey }
  /** Its pods are not ready from now on, or are again. */
  | { readonly do: 'fail' | 'recover'; readonly at: ServiceKey };
