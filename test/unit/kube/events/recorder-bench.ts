import type { KubeObject } from '../../../../src/core/objects/kube-object.ts';
import type { EventDraft } from '../../../../src/core/ports/events.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { kubeMetrics } from '../../../../src/kube/client/kube-metrics.ts';
import { KubeEventRecorder } from '../../../../src/kube/events/event-recorder.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { type Answer, ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { SilentLogger } from '../../../fakes/silent-logger.ts';

export const CREATED: EventDraft = {
  type: 'Normal',
  reason: 'Created',
  action: 'CreateLoadBalancer',
  note: 'created ALB shop-alb',
};
export const OK: Answer = { status: 201, json: {} };
export const FAILING: Answer = { status: 500, json: { kind: 'Status', message: 'webhook failed' } };

export function shop(uid = 'uid-1', name = 'shop', namespace = 'web'): KubeObject {
  return {
    apiVersion: 'demo.rtfm.co.ua/v1',
    kind: 'MyIngress',
    metadata: { name, namespace, uid, resourceVersion: '7' },
  };
}

/** An event as the API server holds it. */
interface StoredEvent {
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly note: string;
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
}

/** Keeps what was created and patched; `answer` decides first. */
export function setUp(
  answer: (index: number, path: string) => Answer | undefined | Promise<Answer | undefined> = () =>
    undefined,
  seed = 1,
): {
  readonly recorder: KubeEventRecorder;
  readonly clock: ManualClock;
  readonly metrics: RecordingMetrics;
  readonly transport: ScriptedTransport;
  readonly stored: Map<string, StoredEvent>;
} {
  const stored = new Map<string, StoredEvent>();
  const clock = new ManualClock({ startMs: Date.UTC(2026, 0, 1, 0, 0, 0, 123), seed });
  const metrics = new RecordingMetrics();
  const transport = new ScriptedTransport(async (request, index) => {
    const decided = await answer(index, request.path);
    if (decided) return decided;
    const body = JSON.parse(request.body ?? '{}') as StoredEvent;
    const name = request.method === 'POST' ? body.metadata.name : request.path.split('/').at(-1);
    stored.set(name ?? '', { ...(stored.get(name ?? '') as StoredEvent), ...body });
    return OK;
  });
  const client = new KubeClient({ transport, clock, metrics });
  const options = { client, clock, metrics, log: new SilentLogger(), reportingInstance: 'pod-1' };
  return { recorder: new KubeEventRecorder(options), clock, metrics, transport, stored };
}

export function dropped(metrics: RecordingMetrics, cause: string): number {
  return metrics.valueOf(kubeMetrics.eventsDropped, { cause }) ?? 0;
}
