// Written by crds/mirror.ts from crds/immortalcontainers.immortalcontainer.flugel.it/crd.yaml; edit that file, then run `npm run gen`.

/** The spec after admission: what has a default is there. */
export type ImmortalContainerSpec = {
  readonly image: string;
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
export type ImmortalContainerStatus = {
  readonly observedGeneration: number;
  readonly lastHandledReconcileAt?: string;
  readonly currentPod?: string;
  readonly startTimes?: number;
  readonly currentPodUID?: string;
  readonly lastStartTime?: string;
  readonly phase?: string;
  readonly containerRestarts?: number;
  readonly lastTermination?: {
    readonly reason?: string;
    readonly exitCode?: number;
    readonly time?: string;
  };
  readonly consecutiveFailures?: number;
  readonly nextStartTime?: string;
  readonly replacementReason?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: 'True' | 'False' | 'Unknown';
    readonly observedGeneration?: number;
    readonly lastTransitionTime: string;
    readonly reason: string;
    readonly message: string;
  }[];
};
