import type { Json } from '../api-model/stored-object.ts';
import type { AppKey } from '../config-monitor/actions.ts';
import type { ObjectKey } from '../people.ts';

export type SourceKind = 'ConfigMap' | 'Secret';

/** One use of a ConfigMap or Secret by a pod; without key all of its keys. */
export interface PodUse {
  readonly kind: SourceKind;
  readonly name: string;
  readonly key?: string;
  /** The pod starts without it too. */
  readonly isOptional?: true;
}

/** How a pod comes by it: https://kubernetes.io/docs/concepts/configuration/secret/#using-a-secret */
export type Way = 'env' | 'envFrom' | 'volume' | 'projected' | 'subPath' | 'itemPath';

export type WorkloadKind = 'Deployment' | 'StatefulSet' | 'RollingSet' | 'DaemonSet';

export interface TemplateUse extends PodUse {
  readonly way: Way;
  /** By an init container. */
  readonly isInit?: true;
}

export type SourceAction =
  /** Makes it, or gives it this data: texts by key, as `Content` has them. */
  | {
      readonly do: 'put';
      readonly at: ObjectKey;
      readonly kind: SourceKind;
      readonly data: Readonly<Record<string, string>>;
    }
  /** Changes labels and annotations, not data; or takes it away. */
  | { readonly do: 'touch' | 'drop'; readonly at: ObjectKey; readonly kind: SourceKind }
  /** Makes a workload whose pods have these uses, and the labels `app` and `tier`; or gives it others. */
  | {
      readonly do: 'run';
      readonly at: AppKey;
      /** A StatefulSet is rolled by nobody, a RollingSet by its controller. */
      readonly as: WorkloadKind;
      readonly replicas: number;
      /** Of a RollingSet. */
      readonly partition?: number;
      readonly tier: string;
      readonly uses: readonly TemplateUse[];
    }
  | {
      readonly do: 'useOthers';
      readonly at: AppKey;
      /** A Deployment, unless it says otherwise. */
      readonly as?: WorkloadKind;
      readonly tier: string;
      readonly uses: readonly TemplateUse[];
    }
  /** A ConfigMonitor of this spec; or fields of it that become others, null for none. */
  | { readonly do: 'watch' | 'rewatch'; readonly at: ObjectKey; readonly spec: Json }
  /** The key by which the operator hashes Secrets is deleted. */
  | { readonly do: 'loseKey'; readonly at: ObjectKey };
