/** `namespace/name` of a Service. */
export type ServiceKey = `${string}/${string}`;

/** Name and number of the one port of a Service. */
export interface ServicePort {
  readonly name: string;
  readonly port: number;
}

/** What happens to a node of the cluster, by its number. */
export interface NodeAction {
  /** `drain`: Cluster Autoscaler is about to remove it. `silence`: its kubelet is not heard. */
  readonly do: 'launch' | 'terminate' | 'drain' | 'fail' | 'silence' | 'recover';
  readonly node: number;
}

/** What happens to Services and to the pods that they select. */
export type ServiceAction =
  /** Applies the Service and, the first time, the pods behind it. */
  | {
      readonly do: 'apply';
      readonly at: ServiceKey;
      readonly pods: number;
      readonly port: ServicePort;
      /** Its pods have an address of each family, and stay so. */
      readonly isDualStack?: true;
    }
  /** Deletes it; its pods stay. */
  | { readonly do: 'remove'; readonly at: ServiceKey }
  | { readonly do: 'scale'; readonly at: ServiceKey; readonly pods: number }
  /** Replaces each pod: `roll` by one more at a time, `recreate` all of them at once. */
  | { readonly do: 'roll' | 'recreate'; readonly at: ServiceKey }
  /** Blue and green: once as many new ones are ready its selector gives it these; the others serve on for some time. */
  | { readonly do: 'exchange'; readonly at: ServiceKey; readonly staysMs: number }
  /** Its pods are not ready from now on, or are again. */
  | { readonly do: 'fail' | 'recover'; readonly at: ServiceKey };
