// Lives here: what users write and read: types generated from the CRDs, reasons, names; data only.
// May import it: everyone but src/core, src/kube and src/routing. It imports only itself.
// Start with: this file, then my-ingress.ts and my-ingress-reasons.ts.

/** metadata of a namespaced object as the API server stores it; times are RFC 3339. */
interface StoredMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A stored object of one of the kinds that albridge defines. */
export interface CustomResource<K extends Kind, Spec, Status> {
  readonly apiVersion: `${K['group']}/${K['version']}`;
  readonly kind: K['kind'];
  readonly metadata: StoredMetadata;
  readonly spec: Spec;
  readonly status: Status;
}
