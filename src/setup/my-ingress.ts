import { loadBalancerFinalizer, type MyIngress, myIngressKind } from '../apis/my-ingress.ts';
import { myIngressReasons as texts } from '../apis/my-ingress-reasons.ts';
import { wireAws } from '../aws/client/wire.ts';
import { createMyIngressReconciler } from '../controllers/my-ingress/controller.ts';
import { DeclaredBackends } from '../controllers/my-ingress/declared-backends.ts';
import { DriftScan } from '../controllers/my-ingress/drift-scan.ts';
import { Memory } from '../controllers/my-ingress/memory.ts';
import { Controller } from '../core/controller/controller.ts';
import { createObjectWriter } from '../kube/write/object-writer.ts';
import type { BuildController, SetupContext } from './context.ts';
import { setUpTargets } from './targets.ts';

const NAME = 'myingress';
/** AWS is slow and its budget small: failures start at a second and end at five minutes. */
const BACKOFF = { firstMs: 1_000, maxMs: 300_000 } as const;

export function setUpMyIngress(context: SetupContext): BuildController {
  const cache = context.watch<MyIngress>(myIngressKind);
  const createTargets = setUpTargets(context, new DeclaredBackends(cache));
  return (cluster) => {
    const { api, clock, log, metrics } = context.ports;
    const { aws, namespaces, sweepIntervalMs } = context.settings;
    if (api === undefined || aws === undefined) throw new Error('MyIngress needs the port to AWS');
    const { inventory, loadBalancers, traffic } = wireAws({ ...context.ports, ...aws, api, texts });
    const targets = createTargets((payer) => traffic(payer).targets);
    const memory = new Memory(clock);
    const shared = { cluster, inventory, memory, clock };
    const driftScan = new DriftScan({
      ...shared,
      ...{ cache, namespaces, metrics, targets },
      intervalMs: sweepIntervalMs,
      isObserver: context.isObserver,
      log: log.child({ controller: NAME }),
    });
    const reconciler = createMyIngressReconciler({
      ...{ ...shared, traffic, targets },
      aws: loadBalancers,
      backendSecurityGroups: aws.backendSecurityGroups,
    });
    const controller = new Controller<MyIngress>({
      ...context.getControllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<MyIngress>(context.client, myIngressKind),
      reconciler,
      finalizer: loadBalancerFinalizer,
      sources: [driftScan.source, targets.changes],
      backoff: BACKOFF,
    });
    return {
      name: controller.name,
      start: () => controller.start(),
      // A registration that is under way is seen through before the lease is given up.
      stop: async (reason) => {
        await controller.stop(reason);
        await targets.stopped;
      },
      listStuckPasses: (graceMs) => controller.listStuckPasses(graceMs),
      refreshMetrics: () => controller.refreshMetrics(),
      requeueFailed: (reason) => controller.requeueFailed(reason),
    };
  };
}
