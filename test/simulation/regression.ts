import type { MonitorPlan } from './config-monitor/actions.ts';
import type { Meddling, ObjectName, SpecChange, SpecPlan } from './my-ingress/actions.ts';
import { PLAIN } from './plain-settings.ts';
import type { Fault, Scenario, Settings, Step } from './scenario.ts';
import type { TrafficMeddling } from './traffic/actions.ts';
import type { AppPlan } from './web-app/actions.ts';

/** A world in which the operator once broke a promise, shrunk to what it takes. */
export interface Regression {
  /** What was broken, and what mended it. */
  readonly why: string;
  /** Of all chance in the run, as in the scenario that was found; the generator has changed since. */
  readonly seed: number;
  /** Where the world is not the simplest one. */
  readonly settings?: Partial<Settings>;
  readonly steps: readonly Step[];
  readonly faults?: readonly Fault[];
}

export function buildScenario({ seed, settings, steps, faults = [] }: Regression): Scenario {
  return { seed, settings: { ...PLAIN, ...settings }, steps, faults };
}

/** Creates balancers that take each other's tokens of a scarce budget, each a ms after the one before. */
export function createGivenUp(firstMs: number, numbers: readonly number[]): readonly Step[] {
  return numbers.map((number) =>
    createMyIngress(firstMs + number, `web/given-up-${number}`, {
      subnets: ['subnet-a', 'subnet-b'],
      defaultAction: { forward: [{ backend: 'web' }] },
      backends: [
        { name: 'web', service: { name: 'web', port: 80 } },
        { name: 'api', service: { name: 'api', port: 80 } },
      ],
    }),
  );
}

/** A balancer of somebody else, which this object may adopt. */
export function createLegacy(atMs: number, consentFor: ObjectName): Step {
  const spec: SpecPlan = { subnets: ['subnet-a', 'subnet-b'], scheme: 'internet-facing' };
  const name = 'legacy-web';
  return { atMs, myIngress: { do: 'legacy', name, spec, tags: { owner: 'somebody' }, consentFor } };
}

export function createMyIngress(atMs: number, at: ObjectName, spec: SpecPlan): Step {
  return { atMs, myIngress: { do: 'create', at, spec } };
}

export function editMyIngress(atMs: number, at: ObjectName, change: SpecChange): Step {
  return { atMs, myIngress: { do: 'edit', at, change } };
}

/** Somebody else changes the balancer in AWS. */
export function meddleWithBalancer(atMs: number, at: ObjectName, meddling: Meddling): Step {
  return { atMs, myIngress: { do: 'meddle', at, meddling } };
}

/** Somebody else changes what stands beside the balancer. */
export function meddleWithTraffic(atMs: number, at: ObjectName, meddling: TrafficMeddling): Step {
  return { atMs, traffic: { do: 'meddle', at, meddling } };
}

export function createWebApp(atMs: number, at: ObjectName, spec: AppPlan): Step {
  return { atMs, webApp: { do: 'create', at, spec } };
}

export function createMonitor(
  atMs: number,
  at: ObjectName,
  { index = 0, ...plan }: MonitorPlan & { readonly index?: number },
): Step {
  return { atMs, config: { do: 'monitor', at, index, plan } };
}

/** A Service of one port, and its pods. */
export function applyService(atMs: number, at: ObjectName, pods: number): Step {
  return { atMs, service: { do: 'apply', at, pods, port: { name: 'http', port: 80 } } };
}

type Data = Readonly<Record<string, string>>;

export function putConfigMap(atMs: number, at: ObjectName, data: Data): Step {
  return { atMs, source: { do: 'put', at, kind: 'ConfigMap', data } };
}

export function putSecret(atMs: number, at: ObjectName, data: Data): Step {
  return { atMs, source: { do: 'put', at, kind: 'Secret', data } };
}
