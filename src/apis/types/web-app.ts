// Written by crds/mirror.ts from crds/webapps.apps.example.com/crd.yaml; edit that file, then run `npm run gen`.

/** The spec after admission: what has a default is there. */
export type WebAppSpec = {
  readonly image: string;
  readonly replicas: number;
  readonly port: number;
  readonly service?: {
    readonly port?: number;
    readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer';
    readonly annotations?: { readonly [key: string]: string };
  };
  readonly expose?: {
    readonly ingress: { readonly name: string; readonly namespace?: string };
    readonly hosts: readonly string[];
    readonly paths?: readonly string[];
    readonly listener?: number;
  };
  readonly podTemplate?: {
    readonly metadata?: {
      readonly labels?: { readonly [key: string]: string };
      readonly annotations?: { readonly [key: string]: string };
    };
    readonly spec?: {
      readonly containers?: readonly ({ readonly name: string } & {
        readonly [key: string]: unknown;
      })[];
      readonly initContainers?: readonly ({ readonly name: string } & {
        readonly [key: string]: unknown;
      })[];
      readonly volumes?: readonly ({ readonly name: string } & {
        readonly [key: string]: unknown;
      })[];
    } & { readonly [key: string]: unknown };
  };
};

/** The last reported status; `observedGeneration` is -1 until albridge has reconciled the object. */
export type WebAppStatus = {
  readonly observedGeneration: number;
  readonly lastHandledReconcileAt?: string;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly selector?: string;
  readonly url?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly observedGeneration?: number;
    readonly lastTransitionTime: string;
    readonly reason: string;
    readonly message: string;
  }[];
};
