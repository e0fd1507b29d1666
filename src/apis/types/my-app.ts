// Written by crds/mirror.ts from crds/myapps.demo.rtfm.co.ua/crd.yaml; edit that file, then run `npm run gen`.

/** The spec after admission: what has a default is there. */
export type MyAppSpec = {
  readonly image?: string;
  readonly banner?: string;
  readonly replicas: number;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
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
export type MyAppStatus = {
  readonly observedGeneration: number;
  readonly lastHandledReconcileAt?: string;
  readonly podName?: string;
  readonly podUID?: string;
  readonly phase?: string;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly selector?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly observedGeneration?: number;
    readonly lastTransitionTime: string;
    readonly reason: string;
    readonly message: string;
  }[];
};
