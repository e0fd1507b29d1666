import type { ServiceKey } from '../services/actions.ts';

/** What happens around WebApps that attach to a MyIngress. */
export type AttachAction =
  /** Sets the label `team` of a namespace; null takes it off. */
  | { readonly do: 'label'; readonly namespace: string; readonly team: string | null }
  /** Pods behind the Service of a WebApp, which itself makes the Service. */
  | { readonly do: 'pods'; readonly at: ServiceKey; readonly pods: number };

/** `spec.expose` of a WebApp. */
export interface ExposePlan {
  readonly ingress: { readonly name: string; readonly namespace?: string };
  readonly hosts: readonly string[];
  readonly paths?: readonly string[] | null;
  readonly listener?: number | null;
}

/** `spec.allowedNamespaces` of a MyIngress. */
export interface AllowedPlan {
  readonly from: 'Same' | 'All' | 'Selector';
  readonly selector?: { readonly matchLabels: Readonly<Record<string, string>> } | null;
}
