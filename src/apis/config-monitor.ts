import type { CustomResource } from './custom-resource.ts';
import type { ConfigMonitorSpec, ConfigMonitorStatus } from './types/config-monitor.ts';

/** Names the API resource, in the form in which the core takes it. */
export const configMonitorKind = {
  group: 'magalix.com',
  version: 'v1',
  kind: 'ConfigMonitor',
  plural: 'configmonitors',
} as const;

/** On a ConfigMap: the pods to restart, as `kubectl get pods -l` takes them, such as `app=frontend,tier!=web`. */
export const POD_DELETE_MATCH = 'magalix.com/podDeleteMatch';

export type { ConfigMonitorSpec, ConfigMonitorStatus };

/** A restart under way, as status keeps it. */
export type Rollout = NonNullable<ConfigMonitorStatus['rollout']>;

/** The data of one source, as status keeps it. */
export type SourceRecord = NonNullable<ConfigMonitorStatus['sources']>[number];

/** A change of the data that waits, as status keeps it. */
export type NotedChange = NonNullable<ConfigMonitorStatus['change']>;

/** A stored ConfigMonitor; `spec` may be missing, or lack a field, in one that an older CRD admitted. */
export type ConfigMonitor = CustomResource<
  typeof configMonitorKind,
  ConfigMonitorSpec,
  ConfigMonitorStatus
>;
