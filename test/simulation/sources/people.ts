import {
  CONFIG_MAPS,
  DAEMON_SETS,
  DEPLOYMENTS,
  SECRETS,
  STATEFUL_SETS,
} from '../api-model/kinds.ts';
import type { Json, ServedKind, StoredObject } from '../api-model/stored-object.ts';
import type { AppKey } from '../config-monitor/actions.ts';
import { People, partsOf } from '../people.ts';
import { describeNodes } from '../world/daemon-set-controller.ts';
import { HAS_PODS } from '../world/replica-set-controller.ts';
import type { Stage } from '../world/stage.ts';
import type { SourceAction, SourceKind, TemplateUse, WorkloadKind } from './actions.ts';
import { templateOf } from './pod-template.ts';
import { usesOf } from './watched.ts';

/** At the beginning of each value of a Secret; of nine bytes, so that base64 keeps it recognisable. */
export const MARKER = 'HUSH-HUSH';

/** Who edits Secrets, and what uses them. */
export class SourcePeople {
  readonly #stage: Stage;
  readonly #users: People;
  readonly #monitors: ServedKind;

  constructor(stage: Stage, monitors: ServedKind) {
    this.#stage = stage;
    this.#users = new People(stage);
    this.#monitors = monitors;
  }

  perform(action: SourceAction): void {
    const { at } = action;
    switch (action.do) {
      case 'put':
        return this.#put(action);
      case 'touch': {
        const note = `${this.#stage.clock.monotonicMs()}`;
        return this.#users.annotate(kindOf(action.kind), at, { note });
      }
      case 'drop':
        return this.#users.delete(kindOf(action.kind), at);
      case 'run':
        return this.#run(action);
      case 'useOthers': {
        const { spec, ...template } = describeTemplate(action);
        const none = { initContainers: null, volumes: null };
        const others = { ...template, spec: { ...none, ...(spec as Json) } };
        const kind = WORKLOADS[action.as ?? 'Deployment'];
        return this.#users.patch(kind, at, { spec: { template: others } });
      }
      case 'watch':
        return this.#users.create(this.#monitors, at, { spec: action.spec });
      case 'rewatch':
        return this.#users.patch(this.#monitors, at, { spec: action.spec });
      case 'loseKey':
        return this.#users.delete(SECRETS, at);
    }
  }

  /** Whether all is there that the containers of a pod need. */
  hasAll(pod: StoredObject): boolean {
    const needed = usesOf(pod).filter(({ isOptional }) => isOptional !== true);
    return needed.every(({ kind, name }) => this.#find(kind, pod, name) !== undefined);
  }

  /** Whether it uses a text that begins so. */
  reads(beginning: string, pod: StoredObject): boolean {
    const texts = usesOf(pod).flatMap(({ kind, name, key }) => {
      const { data = {} } = (this.#find(kind, pod, name) ?? {}) as {
        readonly data?: Readonly<Record<string, string>>;
      };
      const used = Object.entries(data).filter(([one]) => key === undefined || key === one);
      return used.map(([, value]) => (kind === 'Secret' ? decode(value) : value));
    });
    return texts.some((text) => text.startsWith(beginning));
  }

  #find(kind: SourceKind, pod: StoredObject, name: string): StoredObject | undefined {
    return this.#stage.model.table.get(kindOf(kind), `${pod.metadata.namespace}/${name}`);
  }

  #put({ at, kind, data }: Extract<SourceAction, { do: 'put' }>): void {
    const entries = Object.entries(data).map(
      ([key, text]) => [key, kind === 'Secret' ? encode(text) : text] as const,
    );
    const content = {
      data: Object.fromEntries(entries),
      ...(kind === 'Secret' && { type: 'Opaque' }),
    };
    const isThere = this.#stage.model.table.get(kindOf(kind), at) !== undefined;
    if (isThere) this.#users.patch(kindOf(kind), at, content);
    else this.#users.create(kindOf(kind), at, content);
  }

  #run({ at, as, replicas, partition = 0, ...of }: Extract<SourceAction, { do: 'run' }>): void {
    const template = describeTemplate({ at, ...of });
    const labels = as === 'DaemonSet' ? describeNodes(replicas) : HAS_PODS;
    // The first kind of StatefulSet does not roll: whoever restarts its pods has to evict them.
    const updateStrategy = {
      ...(as === 'StatefulSet' && { type: 'OnDelete' }),
      ...(as === 'RollingSet' && { type: 'RollingUpdate', rollingUpdate: { partition } }),
    };
    const spec = {
      ...(as !== 'DaemonSet' && { replicas }),
      template,
      ...(as !== 'Deployment' && { updateStrategy }),
    };
    const metadata = as.endsWith('Set') && as !== 'DaemonSet' ? {} : { labels };
    this.#users.create(WORKLOADS[as], at, { metadata, spec });
  }
}

const WORKLOADS: Readonly<Record<WorkloadKind, ServedKind>> = {
  Deployment: DEPLOYMENTS,
  StatefulSet: STATEFUL_SETS,
  RollingSet: STATEFUL_SETS,
  DaemonSet: DAEMON_SETS,
};

function describeTemplate(of: {
  readonly at: AppKey;
  readonly tier: string;
  readonly uses: readonly TemplateUse[];
}): ReturnType<typeof templateOf> {
  return templateOf({ app: partsOf(of.at).name, tier: of.tier }, of.uses);
}

function kindOf(kind: SourceKind): ServedKind {
  return kind === 'Secret' ? SECRETS : CONFIG_MAPS;
}

function encode(text: string): string {
  return Buffer.from(`${MARKER}${text}`).toString('base64');
}

function decode(value: string): string {
  return Buffer.from(value, 'base64').toString().slice(MARKER.length);
}
