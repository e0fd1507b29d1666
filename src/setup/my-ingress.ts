import { loadBalancerFinalizer, type MyIngress, myIngressKind } from '../apis/my-ingress.ts';
import { myIngressReasons as texts } from '../apis/my-ingress-reasons.ts';
import { type Aws, wireAws } from '../aws/client/wire.ts';
import type { Attachments } from '../controllers/my-ingress/attaching/attachments.ts';
import { createMyIngressReconciler } from '../controllers/my-ingress/controller.ts';
import { DeclaredBackends } from '../controllers/my-ingress/declared-backends.ts';
import { DriftScan } from '../controllers/my-ingress/drift-scan.ts';
import { Memory } from '../controllers/my-ingress/memory.ts';
import { NamedServices } from '../controllers/my-ingress/routes/named-services.ts';
import { Controller } from '../core/controller/controller.ts';
import { createObjectWriter } from '../kube/write/object-writer.ts';
import { isUndecided, setUpAttachments } from './attachments.ts';
import type { BuildController, RunningController, SetupContext } from './context.ts';
import { type RunningTargets, setUpTargets } from './targets.ts';

const NAME = 'myingress';
/** AWS is slow and its budget small: failures start at a second and end at five minutes. */
const BACKOFF = { firstMs: 1_000, maxMs: 300_000 } as const;

export function setUpMyIngress(context: SetupContext): BuildController {
  const cache = context.watch<MyIngress>(myIngressKind);
  const attachments = setUpAttachments(context, cache);
  const published = Promise.withResolvers<void>();
  const createTargets = setUpTargets(context, new DeclaredBackends(attachments, published.promise));
  return (cluster) => {
    const { api, clock, log, metrics } = context.ports;
    const { aws, namespaces, sweepIntervalMs } = context.settings;
    if (api === undefined || aws === undefined) throw new Error('MyIngress needs the port to AWS');
    const wired = wireAws({ ...context.ports, ...aws, api, texts });
    const { inventory, loadBalancers, traffic } = wired;
    provideAttachments(context, attachments);
    const targets = createTargets((payer) => traffic(payer).targets);
    const shared = { cluster, inventory, memory: new Memory(clock), clock };
    const driftScan = new DriftScan({
      ...shared,
      ...{ cache: attachments.view, namespaces, metrics, targets },
      ...{ intervalMs: sweepIntervalMs, isObserver: context.isObserver },
      ...{ recallGroup: attachments.recallGroup, onPublished: published.resolve },
      log: log.child({ controller: NAME }),
    });
    const reconciler = createMyIngressReconciler({
      ...{ ...shared, traffic, targets, attachments },
      aws: loadBalancers,
      backendSecurityGroups: aws.backendSecurityGroups,
      discovery: { clusterName: aws.clusterName ?? cluster, vpcId: aws.vpcId },
    });
    const controller = new Controller<MyIngress>({
      ...context.getControllerDefaults(),
      name: NAME,
      cache,
      writer: createObjectWriter<MyIngress>(context.client, myIngressKind),
      reconciler,
      finalizer: loadBalancerFinalizer,
      sources: [driftScan.source, targets.changes, attachments.source],
      backoff: BACKOFF,
    });
    return runWith(controller, targets, wired);
  };
}

function provideAttachments(
  { exposures, gatedServices, ports }: SetupContext,
  attachments: Attachments,
): void {
  attachments.start();
  const { known, view } = attachments;
  const recall = (object: MyIngress) => attachments.recall(object);
  // On the word of a part of them pods would lose their gates.
  void known.then(() => {
    const named = new NamedServices(view, ports.clock, recall);
    gatedServices?.provide({
      has: (service) => {
        const isNamed = named.has(service);
        return isNamed === false && isUndecided(attachments, service) ? undefined : isNamed;
      },
      follow: (onChange) => named.follow(onChange),
    });
  });
  exposures?.provide(attachments);
}

/** A registration that is under way is seen through before the lease is given up. */
function runWith(
  controller: Controller<MyIngress>,
  targets: RunningTargets,
  aws: Pick<Aws, 'refreshMetrics'>,
): RunningController {
  return {
    name: controller.name,
    start: () => controller.start(),
    stop: async (reason) => {
      await controller.stop(reason);
      await targets.stopped;
    },
    listStuckPasses: (graceMs) => controller.listStuckPasses(graceMs),
    refreshMetrics: () => {
      for (const part of [controller, targets, aws]) part.refreshMetrics();
    },
    requeueFailed: (reason) => {
      controller.requeueFailed(reason);
      targets.requeueGates();
    },
  };
}
