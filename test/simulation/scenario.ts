import type { AttachAction } from './attaching/actions.ts';
import type { ConfigAction } from './config-monitor/actions.ts';
import type { DiscoveryAction } from './discovery/actions.ts';
import type { ImmortalAction } from './immortal-container/actions.ts';
import type { MyAppAction } from './my-app/actions.ts';
import type { MyIngressAction } from './my-ingress/actions.ts';
import type { NodeAction, ServiceAction } from './services/actions.ts';
import type { SourceAction } from './sources/actions.ts';
import type { TrafficAction } from './traffic/actions.ts';
import type { WebAppAction } from './web-app/actions.ts';

/** Everything that happens in one simulated world, as data: it can be written down, cut and replayed. */
export interface Scenario {
  /** Of all chance in the run: ids, latencies, jitter. */
  readonly seed: number;
  readonly settings: Settings;
  /** What users and outsiders do. */
  readonly steps: readonly Step[];
  readonly faults: readonly Fault[];
}

export interface Settings {
  readonly replicas: 1 | 2;
  readonly election: boolean;
  /** `ALBRIDGE_MODE`; left out: reconcile. */
  readonly mode?: 'reconcile' | 'observe';
  /** `kube-system` is read where it is not configured. */
  readonly isClusterIdConfigured: boolean;
  /** Of the operator, and of the account. `scarce`: so little that plans wait for what others read. */
  readonly budget: 'aws' | 'scarce' | 'off';
  readonly accountBudget: 'aws' | 'off';
  readonly provisioningMs: number;
  readonly quota: number;
  /** How long interfaces hold the security group of a deleted balancer; left out: not at all. */
  readonly interfacesLingerMs?: number;
  /** Pods of Services have the readiness gate, and serve on for long enough; left out: there is no gate. */
  readonly readinessGates?: true;
  /** The operator may watch Secrets; left out: the component is not installed. */
  readonly secrets?: true;
  readonly sweepMs: number;
  readonly concurrency: number;
  /** Of the machine of the first replica. */
  readonly wallSkewMs: number;
}

export type Step = { readonly atMs: number } & (
  | { readonly myIngress: MyIngressAction }
  | { readonly traffic: TrafficAction }
  | { readonly discovery: DiscoveryAction }
  | { readonly service: ServiceAction }
  | { readonly node: NodeAction }
  | { readonly webApp: WebAppAction }
  | { readonly attach: AttachAction }
  | { readonly immortal: ImmortalAction }
  | { readonly myApp: MyAppAction }
  | { readonly config: ConfigAction }
  | { readonly source: SourceAction }
);

/** `before`: never sent; `unanswered`: carried out, the answer reaches nobody; `after`: answered. */
export type Phase = 'before' | 'unanswered' | 'after';
export const PHASES: readonly Phase[] = ['before', 'unanswered', 'after'];

/** What may happen to one call of AWS. The first three: applied, but what is told is another story. */
export type AwsEffect =
  | 'lost'
  | 'late'
  | 'twice'
  | 'dropped'
  | 'unanswered'
  | 'throttled'
  | 'failing'
  | 'html'
  | 'notFound'
  /** ResourceInUse or DependencyViolation, as for some time after what used it is gone. */
  | 'inUse'
  /** The code of the operation's own resource, as for some time after its creation. */
  | 'notVisible'
  /** InvalidTarget, as of an address that AWS does not know yet. */
  | 'invalidTarget';

/** What may happen to one request to the API server. */
export type KubeEffect = 'lost' | 'late' | 'twice' | 'dropped' | 'unanswered' | 'failing' | 'busy';

interface Window {
  readonly fromMs: number;
  readonly forMs: number;
}

export type Fault =
  /** kill -9 at the n-th operation of this label, whoever sends it; another process begins later. */
  | {
      readonly kind: 'crash';
      readonly label: string;
      readonly phase: Phase;
      readonly nth: number;
      readonly restartMs: number;
    }
  /** SIGSTOP just after the n-th operation of this label was sent, SIGCONT later. */
  | {
      readonly kind: 'freeze';
      readonly label: string;
      readonly nth: number;
      readonly forMs: number;
    }
  /** SIGTERM; another process begins when it has ended. */
  | { readonly kind: 'terminate'; readonly atMs: number; readonly replica: number }
  | ({
      readonly kind: 'aws';
      readonly effect: AwsEffect;
      readonly operation: string;
      readonly times: number;
    } & Window)
  | ({
      readonly kind: 'kube';
      readonly effect: KubeEffect;
      readonly label: string;
      readonly times: number;
    } & Window)
  /** Every read of AWS answers with the state of some time ago. */
  | ({ readonly kind: 'staleReads'; readonly ageMs: number } & Window)
  /** The tags of a deleted balancer stay readable. */
  | ({ readonly kind: 'tagsStay' } & Window)
  | ({ readonly kind: 'apiDown' } & Window)
  /** Nothing gets from this replica to the API server, and nobody says so. */
  | ({ readonly kind: 'partition'; readonly replica: number } & Window)
  /** Watches tell late, in order. */
  | ({ readonly kind: 'watchLag'; readonly lagMs: number; readonly plural?: string } & Window)
  | ({ readonly kind: 'watchTwice' } & Window)
  /** Open watches tell nothing any more although they stay open. */
  | { readonly kind: 'watchSilent'; readonly atMs: number; readonly plural?: string }
  | { readonly kind: 'watchBroken'; readonly atMs: number; readonly plural?: string }
  | { readonly kind: 'compaction'; readonly atMs: number }
  /** After an outage every list of this kind comes back empty, until the next outage. */
  | ({ readonly kind: 'emptyLists'; readonly plural: string } & Window)
  /** The rights to this kind are taken away, and open watches of it end. */
  | ({ readonly kind: 'forbidden'; readonly plural: string } & Window)
  | { readonly kind: 'leaseDeleted'; readonly atMs: number }
  | { readonly kind: 'leaseStolen'; readonly atMs: number };

export function isWithin({ fromMs, forMs }: Window, nowMs: number): boolean {
  return nowMs >= fromMs && nowMs < fromMs + forMs;
}
