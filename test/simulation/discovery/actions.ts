/** What people do in the AWS account that decides what is found where a spec leaves it out. */
export type DiscoveryAction =
  /** `own`, `other`: the tag of this cluster, or of another one. */
  | {
      readonly do: 'tag' | 'untag';
      readonly subnet: string;
      readonly tag: 'role' | 'own' | 'other';
    }
  | {
      readonly do: 'issue';
      readonly nth: number;
      readonly names: readonly string[];
      readonly forMs: number;
    }
  /** Deleted, where nothing uses it. */
  | { readonly do: 'withdraw'; readonly nth: number };
