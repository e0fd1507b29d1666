import { isDeepStrictEqual } from 'node:util';
import { APPLICATION_ATTRIBUTES } from '../../../localstack/embedded/load-balancers/attribute-rules.ts';
import { POD_DELETE_MATCH } from '../../../src/apis/config-monitor.ts';
import { type MyIngress, ownershipTagKeys, resourceTagKey } from '../../../src/apis/my-ingress.ts';
import {
  isPlanOnly,
  MODE_ANNOTATION,
  RECONCILE_REQUESTED_ANNOTATION,
  RESTARTED_AT,
} from '../../../src/core/objects/annotations.ts';
import type { KubeObject } from '../../../src/core/objects/kube-object.ts';
import { CONFIG_MAPS, DEPLOYMENTS, EVENTS, LEASES, PODS, SERVICES } from '../api-model/kinds.ts';
import type { Commit } from '../api-model/object-table.ts';
import { type Json, keyOfStored, type ServedKind } from '../api-model/stored-object.ts';
import { MY_INGRESSES } from '../my-ingress/kind.ts';
import { type ObjectKey, People } from '../people.ts';
import { PLAIN } from '../plain-settings.ts';
import type { Step } from '../scenario.ts';
import { DEFINED_KINDS } from '../served-definition.ts';
import { diffPictures, type Picture, takePicture } from '../traffic/resources.ts';
import { isOperator } from '../world/stage.ts';
import { World } from '../world/world.ts';

/** Where the forger may write; everything else belongs to others. */
const OWN = 'web';
const SETTLED_MS = 100_000;
const PASS_MS = 40_000;
/** Longer than what only a person can heal is left alone. */
const GONE_MS = 6 * 60_000;
/** Of what a world reports; the others expect a status that nobody has forged. */
const KEPT = new Set([
  'foreign-untouched',
  'foreign-child-untouched',
  'deletes-only-the-deleted',
  'finalizer-until-absent',
  'no-internal-error',
]);

const NONE: Json = {};

/**
 * Whose target groups no balancer uses: AWS itself refuses to delete one that is in use, so only these show
 * whether tags are checked. Of a neighbour, and of another object in the forger's namespace.
 */
const UNUSED_GROUPS = {
  'unused-of-victim': { namespace: 'api', name: 'victim-of-all' },
  'unused-of-bystander': { namespace: OWN, name: 'bystander' },
} as const;
/** Of nobody who uses albridge. */
const FOREIGN_GROUP = 'unused-of-somebody';
const UNUSED_NAMES: readonly string[] = [...Object.keys(UNUSED_GROUPS), FOREIGN_GROUP];

interface Draft {
  readonly spec: Json;
  /** What makes the controller act upon what it has read. */
  readonly change: Json;
}

const app = (at: string): Json => ({ configMap: `${at}-config`, podSelector: { app: at } });
const image = (tag: string): Json => ({ image: `registry.example/app:${tag}` });
/** How the ConfigMonitors of a world restart pods. */
export type Strategy = 'Delete' | 'Rollout';

const DRAFTS: Readonly<Record<string, (at: string, strategy: Strategy) => Draft>> = {
  ConfigMonitor: (at, strategy) => ({
    spec: { ...app(at), strategy, debounceSeconds: 0 },
    change: { minIntervalSeconds: 0 },
  }),
  ImmortalContainer: () => ({ spec: image('1'), change: image('2') }),
  MyApp: () => ({ spec: image('1'), change: image('2') }),
  MyIngress: (at) => ({
    spec: {
      subnets: ['subnet-a', 'subnet-b'],
      backends: [{ name: 'web', service: { name: at, port: 80 } }],
      rules: [{ name: 'api', paths: ['/api'], forward: [{ backend: 'web' }] }],
    },
    change: { subnets: ['subnet-b', 'subnet-c'], tags: { team: 'web' } },
  }),
  WebApp: () => ({ spec: image('1'), change: image('2') }),
};

/** Applications of the forger, of a neighbour and of a bystander, and a balancer that is nobody's. */
const STEPS: readonly Step[] = [
  ...['web/app', 'web/bystander', 'api/victim'].flatMap((at) => [
    { atMs: 0, config: { do: 'fill', at, content: { text: '1' } } },
    { atMs: 0, config: { do: 'deploy', at, replicas: 2 } },
  ]),
  {
    atMs: 0,
    myIngress: {
      do: 'legacy',
      name: 'legacy-somebody',
      spec: { subnets: ['subnet-a', 'subnet-b'] },
      tags: { owner: 'somebody' },
    },
  },
] as readonly Step[];

/**
 * A world with a namespace whose tenant forges what the operator reads, neighbours in another one, and
 * a balancer that nobody has given to albridge. `broken` lists what the operator should not have done.
 */
export class ForgedWorld extends World {
  readonly broken = new Set<string>();
  /** Objects that differ since they were forged: the API server has accepted it. */
  forgeries = 0;
  /** Kinds that the operator has written in the forger's namespace. */
  readonly written = new Set<string>();
  readonly #users = new People(this.stage);
  readonly #strategy: Strategy;
  #others: readonly unknown[] = [];
  #othersTraffic: Picture = new Map();

  constructor(strategy: Strategy) {
    const settings = { ...PLAIN, concurrency: 4, quota: 500 };
    super({ seed: 1, settings, steps: STEPS, faults: [] }, { isTraced: false });
    this.#strategy = strategy;
  }

  override report(invariant: string, detail: string): void {
    if (KEPT.has(invariant)) this.broken.add(`${invariant}: ${detail}`);
  }

  /** Everybody's objects are there and at rest; `count` of each of `kinds` are the forger's. */
  async settle(kinds: readonly ServedKind[], count: number): Promise<void> {
    this.start();
    for (const one of DEFINED_KINDS) this.#create(one, 'api/victim-of-all', 'victim');
    for (const kind of kinds) {
      for (let at = 0; at < count; at++) this.#create(kind, forgedKey(at), 'app');
    }
    await this.clock.runUntil(1000);
    const annotations = { [POD_DELETE_MATCH]: 'app=app' };
    this.#users.patch(CONFIG_MAPS, 'web/app-config', { metadata: { annotations } });
    await this.clock.runUntil(SETTLED_MS);
    this.#plantUnusedGroups();
    this.#others = this.#othersBalancers();
    this.#othersTraffic = this.#listTraffic('others');
    this.stage.model.table.onCommit((commit) => this.#judge(commit));
  }

  /** What a tenant may know or guess of others, and what looks like it. */
  get texts(): readonly string[] {
    const { model, aws, cluster } = this.stage;
    const pods = model.table.list(PODS);
    const foreign = pods.filter(({ metadata }) => metadata.namespace !== OWN);
    const bystanders = pods.filter(({ metadata }) => metadata.name.startsWith('bystander'));
    const balancers = aws.control.snapshot().loadBalancers;
    const beside = [...this.#othersTraffic.values()];
    const first = ['targetGroup', 'listener', 'rule', 'securityGroup'].flatMap(
      (kind) => beside.find((one) => one.kind === kind) ?? [],
    );
    return [
      ...UNUSED_NAMES,
      ...first.map(({ key }) => key),
      ...first.flatMap(({ record }) => ('name' in record ? record.name : [])),
      ...[...foreign.slice(0, 3), ...bystanders].map(({ metadata }) => metadata.uid),
      ...foreign.slice(0, 1).map(({ metadata }) => metadata.name),
      ...balancers.slice(0, 3).map(({ arn }) => arn),
      ...balancers.slice(0, 1).map(({ name }) => name),
      'arn:aws:elasticloadbalancing:us-east-1:000000000000:loadbalancer/app/none/0123456789abcdef',
      '../../api/pods/victim-pod',
      'api/victim',
      'Deployment/victim',
      'app=victim',
      'albridge.io/cluster',
      'deletion_protection.enabled',
      cluster,
      '0'.repeat(64),
    ];
  }

  live(kind: ServedKind, at: number): Json {
    return (this.stage.model.table.get(kind, forgedKey(at))?.['status'] ?? NONE) as Json;
  }

  /** Forges, has each object reconciled, edited and deleted, and forges again before each of these. */
  async play(kinds: readonly ServedKind[], forge: () => void): Promise<void> {
    for (const act of [this.#request, this.#edit, this.#delete]) {
      forge();
      for (const [kind, at] of kinds.flatMap((one) => this.#forged(one))) act(kind, at);
      await this.clock.runUntil(this.clock.monotonicMs() + PASS_MS);
      this.#checkAttributes();
    }
    await this.clock.runUntil(this.clock.monotonicMs() + GONE_MS);
    if (this.#execute(kinds)) await this.clock.runUntil(this.clock.monotonicMs() + GONE_MS);
    this.#checkAccount();
  }

  /** Takes off the annotation by which a deletion is only planned; true where there was one. */
  #execute(kinds: readonly ServedKind[]): boolean {
    const planned = kinds
      .flatMap((kind) => this.#forged(kind))
      .filter(([kind, at]) => isPlanOnly(this.stage.model.table.get(kind, at) as KubeObject));
    const metadata = { annotations: { [MODE_ANNOTATION]: null } };
    for (const [kind, at] of planned) this.#users.patch(kind, at, { metadata });
    return planned.length > 0;
  }

  /** MyIngresses of the forger that AWS refuses until they are edited. */
  async refuse(count: number): Promise<void> {
    const subnets = ['subnet-a', 'subnet-none'];
    for (let at = 0; at < count; at++) {
      const { spec } = DRAFTS['MyIngress']?.('app', this.#strategy) ?? { spec: NONE };
      this.#users.create(MY_INGRESSES, forgedKey(at), { spec: { ...spec, subnets } });
    }
    await this.clock.runUntil(this.clock.monotonicMs() + PASS_MS);
  }

  /** Edits each of the forger's objects, and names those that are not Ready for it in time. */
  async edit(kind: ServedKind, more: Json): Promise<readonly string[]> {
    const objects = this.#forged(kind);
    for (const [, at] of objects) {
      this.#edit(kind, at);
      this.#users.patch(kind, at, { spec: more });
    }
    await this.clock.runUntil(this.clock.monotonicMs() + SETTLED_MS);
    return objects.flatMap(([, at]) => {
      const { metadata, status } = this.stage.model.table.get(kind, at) as unknown as MyIngress;
      const ready = status.conditions?.find(({ type }) => type === 'Ready');
      const isDone = ready?.status === 'True' && ready.observedGeneration === metadata.generation;
      return isDone ? [] : [`${at}: ${ready?.reason} ${ready?.message}`];
    });
  }

  forgeStatus(kind: ServedKind, at: number, status: Json): void {
    const before = this.live(kind, at);
    this.#users.patchStatus(kind, forgedKey(at), status);
    if (this.live(kind, at) !== before) this.forgeries += 1;
  }

  /** On the forger's objects of this number, and on all that the namespace has besides. */
  forgeAnnotation(at: number, annotation: string, value: string): void {
    const forged = DEFINED_KINDS.map((kind) => [kind, forgedKey(at)] as const);
    const besides = [CONFIG_MAPS, DEPLOYMENTS, PODS, SERVICES].flatMap((kind) =>
      this.stage.model.table
        .list(kind)
        .filter(({ metadata }) => metadata.namespace === OWN)
        .map((object) => [kind, keyOfStored(object) as ObjectKey] as const),
    );
    for (const [kind, key] of [...forged, ...(at % 5 === 0 ? besides : [])]) {
      const before = this.#stored(kind, key);
      const metadata = { annotations: { [annotation]: value } };
      const isTemplated = kind === DEPLOYMENTS && annotation === RESTARTED_AT;
      this.#users.patch(
        kind,
        key,
        isTemplated ? { spec: { template: { metadata } } } : { metadata },
      );
      if (this.#stored(kind, key) !== before) this.forgeries += 1;
    }
  }

  #stored(kind: ServedKind, key: ObjectKey): unknown {
    return this.stage.model.table.get(kind, key);
  }

  readonly #request = (kind: ServedKind, at: ObjectKey): void => {
    this.#users.annotate(kind, at, { [RECONCILE_REQUESTED_ANNOTATION]: 'now' });
  };

  readonly #edit = (kind: ServedKind, at: ObjectKey): void => {
    this.#users.patch(kind, at, {
      spec: DRAFTS[kind.kind]?.('app', this.#strategy).change,
    });
    this.#users.patch(CONFIG_MAPS, 'web/app-config', { data: { config: '2' } });
  };

  readonly #delete = (kind: ServedKind, at: ObjectKey): void => this.#users.delete(kind, at);

  #forged(kind: ServedKind): readonly (readonly [ServedKind, ObjectKey])[] {
    const objects = this.stage.model.table.list(kind).map((one) => keyOfStored(one) as ObjectKey);
    return objects.filter((key) => key.startsWith(`${OWN}/forged-`)).map((key) => [kind, key]);
  }

  #create(kind: ServedKind, at: ObjectKey, of: string): void {
    const draft = DRAFTS[kind.kind];
    if (draft === undefined) throw new Error(`forging: no draft of a ${kind.kind}`);
    this.#users.create(kind, at, { spec: draft(of, this.#strategy).spec });
  }

  #judge({ kind, type, object, by }: Commit): void {
    if (!isOperator(by) || kind === EVENTS || kind === LEASES) return;
    const { namespace, name } = object.metadata;
    const isBystander = name.startsWith('bystander') && !DEFINED_KINDS.includes(kind);
    if (namespace === OWN && !isBystander) return void this.written.add(kind.kind);
    this.broken.add(`the operator wrote ${kind.kind} ${keyOfStored(object)} (${type})`);
  }

  #othersBalancers(): readonly unknown[] {
    return this.stage.aws.control
      .snapshot()
      .loadBalancers.filter(({ tags }) => tags['albridge.io/namespace'] !== OWN);
  }

  /** No spec here names an attribute. */
  #checkAttributes(): void {
    const { loadBalancers } = this.stage.aws.control.snapshot();
    const own = loadBalancers.filter(({ tags }) => tags['albridge.io/namespace'] === OWN);
    for (const { name, attributes } of own) {
      for (const [key, value] of Object.entries(attributes)) {
        if (APPLICATION_ATTRIBUTES[key]?.default === value) continue;
        this.broken.add(`attribute ${key} of ${name} is ${value}: neither spec nor default`);
      }
    }
  }

  #checkAccount(): void {
    const { loadBalancers } = this.stage.aws.control.snapshot();
    const left = loadBalancers.filter(
      (one) => !this.#others.some((other) => isDeepStrictEqual(other, one)),
    );
    for (const { name, tags } of left) {
      this.broken.add(`balancer ${name} is left, or is not what it was: ${JSON.stringify(tags)}`);
    }
    const missing = this.#others.length - (loadBalancers.length - left.length);
    if (missing > 0) this.broken.add(`${missing} balancers of others are changed or gone`);
    for (const { key } of this.#listTraffic('forger').values()) {
      this.broken.add(`${key} is left`);
    }
    const now = this.#listTraffic('others');
    for (const { before, after } of diffPictures(this.#othersTraffic, now)) {
      this.broken.add(`${(before ?? after)?.key} of others is changed or gone`);
    }
  }

  #plantUnusedGroups(): void {
    const { cluster: clusterKey, namespace, name, uid } = ownershipTagKeys;
    for (const [Name, owner] of Object.entries(UNUSED_GROUPS)) {
      this.#createGroup(Name, {
        ...{ [clusterKey]: this.stage.cluster, [namespace]: owner.namespace, [name]: owner.name },
        ...{ [uid]: 'uid-of-its-owner', [resourceTagKey]: 'target-group/spec/old' },
      });
    }
    this.#createGroup(FOREIGN_GROUP, { owner: 'somebody' });
  }

  #createGroup(Name: string, tags: Readonly<Record<string, string>>): void {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    const input = { Name, Protocol: 'HTTP', Port: 80, VpcId: 'vpc-main', TargetType: 'ip', Tags };
    this.stage.aws.handle('CreateTargetGroup', input, { userAgent: 'somebody else' });
  }

  /** Target groups, listeners, rules and security groups of albridge, and the groups that were planted. */
  #listTraffic(whose: 'forger' | 'others'): Picture {
    const all = [...takePicture(this.stage.aws.world)];
    return new Map(
      all.filter(([, { kind, record, tags }]) => {
        if (kind === 'targetGroup' && UNUSED_NAMES.includes(record.name)) return whose === 'others';
        const namespace = tags.get(ownershipTagKeys.namespace);
        return namespace !== undefined && (namespace === OWN) === (whose === 'forger');
      }),
    );
  }
}

function forgedKey(at: number): ObjectKey {
  return `${OWN}/forged-${at}`;
}
