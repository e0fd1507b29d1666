import type { MyIngress } from '../apis/my-ingress.ts';
import type { Aws } from '../aws/client/wire.ts';
import type { AwsConfig } from '../config/config.ts';
import { createMyIngressReconciler } from '../controllers/my-ingress/controller.ts';
import { Memory } from '../controllers/my-ingress/memory.ts';
import type { Targets } from '../controllers/my-ingress/targets.ts';
import { RECONCILE_REQUESTED_ANNOTATION } from '../core/objects/annotations.ts';
import { omitUndefined } from '../core/objects/fields.ts';
import { getKey } from '../core/objects/kube-object.ts';
import { type Clock, drawUuid, sleep } from '../core/ports/clock.ts';
import type { Logger } from '../core/ports/logger.ts';
import { OperatorError } from '../core/reconcile/operator-error.ts';
import { type Planned, type Waiting, waiting } from '../core/reconcile/outcome.ts';
import type { Pass, Reconciler } from '../core/reconcile/reconciler.ts';
import { type AttachingObjects, attachListed } from './attachments.ts';

export interface PreviewerOptions extends AttachingObjects {
  readonly aws: Aws;
  readonly settings: Pick<AwsConfig, 'backendSecurityGroups' | 'clusterName' | 'vpcId'>;
  /** The cluster's id. */
  readonly cluster: string;
  readonly clock: Clock;
  readonly log: Logger;
}

type PlanStatus = NonNullable<MyIngress['status']['plan']>;

export type Previewed =
  | { readonly kind: 'planned'; readonly plan: PlanStatus; readonly problem?: string }
  /** AWS's answers contradict each other, and did not agree within the time of a preview. */
  | Waiting;

export type Previewer = (object: MyIngress, signal: AbortSignal) => Promise<Previewed>;

/**
 * Plans a MyIngress as the operator's pass in plan mode does, with the same code, for a process that runs no
 * controllers. `aws` should refuse writes; a preview sends none. It throws OperatorError for what cannot be planned.
 */
export async function createPreviewer(options: PreviewerOptions): Promise<Previewer> {
  const { aws, clock, cluster, settings } = options;
  const reconciler = createMyIngressReconciler({
    ...{ cluster, clock, attachments: await attachListed(options), targets: noTargets },
    ...{ aws: aws.loadBalancers, inventory: aws.inventory, traffic: aws.traffic },
    memory: new Memory(clock),
    backendSecurityGroups: settings.backendSecurityGroups,
    discovery: { clusterName: settings.clusterName ?? cluster, vpcId: settings.vpcId },
  });
  return (object, signal) => preview(reconciler, { object, signal, ...options });
}

interface PreviewRun extends Pick<PreviewerOptions, 'clock' | 'log'> {
  readonly object: MyIngress;
  readonly signal: AbortSignal;
}

/** Repeats a read that is no proof yet, with the status that the operator would have written. */
async function preview(reconciler: Reconciler<MyIngress>, run: PreviewRun): Promise<Previewed> {
  const { clock, signal } = run;
  const startMs = clock.monotonicMs();
  let { object } = run;
  for (;;) {
    const { outcome, status } = await runPass(reconciler, { ...run, object });
    if (outcome.kind === 'planned') return { ...outcome, plan: status.plan ?? NO_PLAN };
    object = { ...object, status: omitUndefined({ ...object.status, ...status }) };
    const leftMs = startMs + LONGEST_PREVIEW_MS - clock.monotonicMs();
    if (outcome.requeueAfterMs > leftMs) return outcome;
    await sleep(clock, outcome.requeueAfterMs, signal);
  }
}

async function runPass(
  reconciler: Reconciler<MyIngress>,
  { object, signal, log, clock }: PreviewRun,
): Promise<{ readonly outcome: Planned | Waiting; readonly status: Reported }> {
  let status: Reported = {};
  const pass = createPass(object, { signal, log, reconcileId: drawUuid(clock) }, (reported) => {
    status = { ...status, ...reported };
  });
  const previewing = reconciler.preview?.(requestLiveRead(object, pass), pass);
  if (previewing === undefined) throw new Error('the reconciler makes no plans');
  const outcome = await previewing.catch(waitForRetry);
  return { outcome, status };
}

type Reported = Partial<MyIngress['status']>;

/** A failure that names the time of the next attempt is a read that is no proof yet. Throws any other. */
function waitForRetry(error: unknown): Waiting {
  if (!(error instanceof OperatorError) || error.healedBy !== 'time') throw error;
  const { message, reason, retryAfterMs } = error;
  if (retryAfterMs === undefined) throw error;
  return waiting(reason, message, retryAfterMs);
}

const NO_PLAN: PlanStatus = { generation: 0, digest: '', steps: [], omitted: 0 };

/** Twice the bound on stale reads, and a little for the reads themselves. */
const LONGEST_PREVIEW_MS = 25_000;

/** This process has run no drift scan, so all is read from AWS. */
function requestLiveRead(object: MyIngress, { reconcileId }: Pass): MyIngress {
  const { metadata } = object;
  const annotations = { ...metadata.annotations, [RECONCILE_REQUESTED_ANNOTATION]: reconcileId };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** A pass of which only the report is kept. */
function createPass(
  object: MyIngress,
  own: Pick<Pass, 'signal' | 'log' | 'reconcileId'>,
  report: Pass['report'],
): Pass<MyIngress> {
  const refuse = (): Promise<never> => Promise.reject(new Error('a preview came to a write'));
  return {
    ...own,
    key: getKey(object),
    recorded: object,
    report,
    setCondition: () => undefined,
    recordEvent: () => undefined,
    pickNewest: (held) => held,
    disproveReady: () => undefined,
    isReadyDisproved: false,
    throwIfEdited: () => undefined,
    throwIfGone: () => undefined,
    throwIfPaused: () => undefined,
    recordNow: refuse,
    ensureFinalizer: refuse,
  };
}

/** Nothing is registered, and nothing is known of targets: a new target group is as good as unchecked. */
const noTargets: Targets = {
  publish: () => undefined,
  withdraw: () => undefined,
  read: () => [],
  readForStatus: () => [],
  waitUntilFilled: () => Promise.resolve(),
  changes: () => () => undefined,
};
