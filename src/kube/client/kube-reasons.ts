import type { HealedBy } from '../../core/reconcile/operator-error.ts';

export interface ReasonDoc {
  readonly healedBy: HealedBy;
  readonly cause: string;
  /** The next action, as an imperative. */
  readonly next: string;
}

/** The reason why a call to the API server failed, as it appears in conditions. */
export const kubeReasons = {
  ApiServerUnavailable: {
    healedBy: 'time',
    cause: 'The API server did not answer, or answered that it cannot serve now (429, 5xx).',
    next: 'wait; if it persists, check the API server and the network between it and the operator',
  },
  ClusterNotConfigured: {
    healedBy: 'person',
    cause: 'No service account, KUBECONFIG or default kubeconfig leads to a cluster.',
    next: 'set KUBECONFIG to a kubeconfig with a current-context',
  },
  CredentialsUnavailable: {
    healedBy: 'time',
    cause: 'The token, the certificate or the credential plugin that the kubeconfig names failed.',
    next: 'wait; if it lasts, run kubectl with the same kubeconfig: it fails the same way',
  },
  Conflict: {
    healedBy: 'time',
    cause: 'The object was changed or deleted between our read and our write.',
    next: 'nothing: the operator reads again and repeats the write',
  },
  Forbidden: {
    healedBy: 'person',
    cause: "The operator's ServiceAccount lacks a right, or a quota or policy refuses the write.",
    next: "grant the named verb on the named resource to the operator's role; where a quota, a policy or Pod Security refuses the write, change what the message names",
  },
  Invalid: {
    healedBy: 'person',
    cause: 'The API server refuses the content of the object.',
    next: 'correct the named field',
  },
  KindNotInstalled: {
    healedBy: 'person',
    cause: 'The API server does not serve this kind: its CustomResourceDefinition is missing.',
    next: 'install the definitions: kubectl apply --server-side -k crds, or leave this kind out of ALBRIDGE_KINDS',
  },
  NamespaceTerminating: {
    healedBy: 'time',
    cause: 'The namespace is being deleted and takes no new objects.',
    next: 'nothing: the object is deleted with its namespace',
  },
  StatusNotServed: {
    healedBy: 'person',
    cause:
      'The API server serves no status of this kind: its CustomResourceDefinition has no subresource status, or lacks a field of it that has to be on record.',
    next: 'apply the definitions of this version: kubectl apply --server-side -k crds',
  },
  Unauthorized: {
    healedBy: 'person',
    cause: "The API server does not accept the operator's credentials.",
    next: 'check the ServiceAccount token or the user of the kubeconfig',
  },
} as const satisfies Readonly<Record<string, ReasonDoc>>;

export type KubeReason = keyof typeof kubeReasons;
