import { type ConfigMonitor, configMonitorKind } from '../apis/config-monitor.ts';
import {
  createAnnotatedConfigMapReconciler,
  listClosedNamespaces,
} from '../controllers/config-monitor/annotated-config-map.ts';
import { createConfigMonitorReconciler } from '../controllers/config-monitor/controller.ts';
import { MonitorIndex } from '../controllers/config-monitor/monitor-index.ts';
import { PodIndex } from '../controllers/config-monitor/pod-index.ts';
import {
  createPodTransform,
  mayHaveMonitor,
  type TrimmedConfigMap,
  type TrimmedPod,
  trimConfigMap,
} from '../controllers/config-monitor/transforms.ts';
import { Children } from '../core/children/children.ts';
import { Controller } from '../core/controller/controller.ts';
import { configMapKind, podKind } from '../kube/client/built-in-kinds.ts';
import { createNewestReader } from '../kube/watch/newest.ts';
import { createChildWriter } from '../kube/write/child-writer.ts';
import { createObjectWriter } from '../kube/write/object-writer.ts';
import { createLivePods, createPodEvictor } from '../kube/write/pods.ts';
import { createWorkloads } from '../kube/write/workloads.ts';
import type { BuildController, SetupContext } from './context.ts';
import { setUpSecrets } from './secrets/secrets.ts';

export function setUpConfigMonitor(context: SetupContext): BuildController {
  const { client } = context;
  const cache = context.watch<ConfigMonitor>(configMonitorKind);
  const configMaps = context.watch<TrimmedConfigMap>(configMapKind, { transform: trimConfigMap });
  const podCache = context.watch<TrimmedPod>(podKind, { transform: createPodTransform() });
  const pods = new PodIndex(podCache, context.ports.clock);
  const monitors = new MonitorIndex(cache, pods, context.ports.clock);
  const secrets = setUpSecrets(context);
  const reconciler = createConfigMonitorReconciler({
    configMaps: {
      get: (key) => configMaps.get(key),
      findNewest: createNewestReader(client, { kind: configMapKind, transform: trimConfigMap }),
    },
    secrets,
    pods,
    livePods: createLivePods(client, podKind),
    monitors,
    evictor: createPodEvictor(client, podKind),
    workloads: createWorkloads(client),
    clock: context.ports.clock,
    metrics: context.ports.metrics,
    ownPod: context.settings.podName,
  });
  return () =>
    new Controller<ConfigMonitor>({
      ...context.getControllerDefaults(),
      name: 'configmonitor',
      cache,
      writer: createObjectWriter<ConfigMonitor>(client, configMonitorKind),
      reconciler,
      sources: [
        monitors.ofSources(configMaps),
        secrets.ofMonitors(monitors),
        monitors.ofPods(podCache),
      ],
    });
}

/** ConfigMaps with the annotation: each gets a ConfigMonitor. */
export function setUpAnnotatedConfigMap(context: SetupContext): BuildController {
  const { client } = context;
  const cache = context.watch<TrimmedConfigMap>(configMapKind, { transform: trimConfigMap });
  const monitors = new Children<ConfigMonitor>({
    cache: context.watch<ConfigMonitor>(configMonitorKind),
    writer: createChildWriter(client, [configMonitorKind]),
    owner: configMapKind,
    clock: context.ports.clock,
  });
  return () =>
    new Controller<TrimmedConfigMap>({
      ...context.getControllerDefaults(),
      name: 'configmap',
      cache,
      writer: createObjectWriter<TrimmedConfigMap>(client, configMapKind),
      reconciler: createAnnotatedConfigMapReconciler(
        monitors,
        listClosedNamespaces(context.settings),
      ),
      predicate: mayHaveMonitor,
      children: [monitors],
      status: 'foreign',
    });
}
