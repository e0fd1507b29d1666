import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import type { ResourceKind } from '../../../src/core/objects/kube-object.ts';
import { KubeClient } from '../../../src/kube/client/kube-client.ts';
import { systemClock } from '../../../src/system-clock.ts';
import { RecordingMetrics } from '../../fakes/recording-metrics.ts';
import { ApiServerModel } from '../../simulation/api-model/api-server-model.ts';
import { BUDGETS, CONFIG_MAPS, EVENTS, LEASES, PODS } from '../../simulation/api-model/kinds.ts';
import { createModelTransport } from '../../simulation/api-model/model-transport.ts';
import type { ServedKind } from '../../simulation/api-model/stored-object.ts';

export interface ModelBench {
  readonly model: ApiServerModel;
  readonly client: KubeClient;
}

/** A namespaced custom kind with /status, whose `spec.size` is at most 9. */
export function customKind(kind: ResourceKind): ServedKind {
  return {
    ...kind,
    isNamespaced: true,
    isCustom: true,
    tracksFields: true,
    faultsOf: (object) => {
      const { size = 0 } = (object['spec'] ?? {}) as { readonly size?: number };
      return size > 9 ? ['spec.size: should be less than or equal to 9'] : [];
    },
  };
}

/** The model with the kinds of the contracts, and the operator's own client over it. */
export function startModel(
  kinds: readonly ServedKind[],
  ...namespaces: readonly string[]
): ModelBench {
  const served = [CONFIG_MAPS, LEASES, EVENTS, PODS, BUDGETS, ...kinds];
  const model = new ApiServerModel({ clock: systemClock, random: seededRandom(1), kinds: served });
  const transport = createModelTransport(model, 'contract');
  const client = new KubeClient({
    transport,
    clock: systemClock,
    metrics: new RecordingMetrics(),
  });
  for (const name of namespaces) {
    const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    model.answer({ method: 'POST', path: '/api/v1/namespaces', body }, 'setup');
  }
  return { model, client };
}
