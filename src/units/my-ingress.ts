import { loadBalancerFinalizer, type MyIngress, myIngressKind } from '../apis/my-ingress.ts';
import { wireAws } from '../aws/wire.ts';
import { myIngressReconciler } from '../controllers/my-ingress/controller.ts';
import { Memory } from '../controllers/my-ingress/memory.ts';
import { Sweep } from '../controllers/my-ingress/sweep.ts';
import { Controller } from '../core/controller.ts';
import { createObjectWriter } from '../kube/object-writer.ts';
import type { Runtime } from '../runtime.ts';
import type { Unit } from './unit.ts';

const NAME = 'myingress';
/** AWS is slow and its budget small: failures start at a second and end at five minutes. */
const BACKOFF = { firstMs: 1_000, maxMs: 300_000 } as const;

export const myIngressUnit: Unit = { name: NAME, wire };

function wire(runtime: Runtime): ReturnType<Unit['wire']> {
  const cache = runtime.watch<MyIngress>(myIngressKind);
  return (cluster) => {
    const { api, clock, log, metrics } = runtime.ports;
    if (api === undefined) throw new Error('MyIngress needs the port to AWS');
    const { budget, namespaces, sweepIntervalMs } = runtime.options;
    const { inventory, loadBalancers } = wireAws({ ...runtime.ports, api, budget });
    const memory = new Memory(clock);
    const sweep = new Sweep({
      inventory,
      memory,
      cache,
      cluster,
      namespaces,
      intervalMs: sweepIntervalMs,
      clock,
      log: log.child({ controller: NAME }),
      metrics,
    });
    const context = { cluster, aws: loadBalancers, inventory, memory, clock };
    return new Controller<MyIngress>({
      ...runtime.controllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<MyIngress>(runtime.client, myIngressKind),
      reconciler: myIngressReconciler(context),
      finalizer: loadBalancerFinalizer,
      sources: [sweep.source],
      backoff: BACKOFF,
    });
  };
}
