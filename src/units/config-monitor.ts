import { type ConfigMonitor, configMonitorKind } from '../apis/config-monitor.ts';
import { podKind } from '../apis/pod.ts';
import {
  annotatedConfigMapReconciler,
  closedNamespaces,
  mayHaveMonitor,
} from '../controllers/config-monitor/annotated-config-map.ts';
import { configMonitorReconciler } from '../controllers/config-monitor/controller.ts';
import {
  type LeanConfigMap,
  leanConfigMap,
} from '../controllers/config-monitor/lean-config-map.ts';
import { type LeanPod, leanPod } from '../controllers/config-monitor/lean-pod.ts';
import { Monitors } from '../controllers/config-monitor/monitors.ts';
import { Pods } from '../controllers/config-monitor/pods.ts';
import { Children } from '../core/children.ts';
import { Controller } from '../core/controller.ts';
import type { ResourceKind } from '../core/kube-object.ts';
import { createChildWriter } from '../kube/child-writer.ts';
import { createLivePods } from '../kube/live-pods.ts';
import { createObjectWriter } from '../kube/object-writer.ts';
import { createPodEvictor } from '../kube/pod-evictor.ts';
import { createWorkloads } from '../kube/workloads.ts';
import type { Runtime } from '../runtime.ts';
import type { Unit } from './unit.ts';

const CONFIG_MAP: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
};

export const configMonitorUnit: Unit = { name: 'configmonitor', wire: wireMonitors };

/** ConfigMaps with the annotation: each gets a ConfigMonitor. */
export const annotatedConfigMapUnit: Unit = { name: 'configmap', wire: wireConfigMaps };

function wireMonitors(runtime: Runtime): ReturnType<Unit['wire']> {
  const { client } = runtime;
  const cache = runtime.watch<ConfigMonitor>(configMonitorKind);
  const configMaps = runtime.watch<LeanConfigMap>(CONFIG_MAP, { transform: leanConfigMap });
  const podCache = runtime.watch<LeanPod>(podKind, { transform: leanPod });
  const monitors = new Monitors(cache);
  const context = {
    configMaps,
    pods: new Pods(podCache, runtime.ports.clock),
    livePods: createLivePods(client, podKind),
    monitors,
    evictor: createPodEvictor(client, podKind),
    workloads: createWorkloads(client),
    clock: runtime.ports.clock,
    ownPod: runtime.options.podName,
  };
  return () =>
    new Controller<ConfigMonitor>({
      ...runtime.controllerDefaults(),
      name: configMonitorUnit.name,
      cache,
      writer: createObjectWriter<ConfigMonitor>(client, configMonitorKind),
      reconciler: configMonitorReconciler(context),
      sources: [monitors.ofConfigMaps(configMaps), monitors.ofPods(podCache)],
    });
}

function wireConfigMaps(runtime: Runtime): ReturnType<Unit['wire']> {
  const { client } = runtime;
  const cache = runtime.watch<LeanConfigMap>(CONFIG_MAP, { transform: leanConfigMap });
  const monitors = new Children<ConfigMonitor>({
    cache: runtime.watch<ConfigMonitor>(configMonitorKind),
    writer: createChildWriter(client, [configMonitorKind]),
    owner: CONFIG_MAP,
    clock: runtime.ports.clock,
  });
  return () =>
    new Controller<LeanConfigMap>({
      ...runtime.controllerDefaults(),
      name: annotatedConfigMapUnit.name,
      cache,
      writer: createObjectWriter<LeanConfigMap>(client, CONFIG_MAP),
      reconciler: annotatedConfigMapReconciler(monitors, closedNamespaces(runtime.options)),
      predicate: mayHaveMonitor,
      children: [monitors],
      status: 'foreign',
    });
}
