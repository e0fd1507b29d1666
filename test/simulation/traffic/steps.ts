import { ownershipTagKeys, resourceTagKey } from '../../../src/apis/my-ingress.ts';
import { Chance } from '../chance.ts';
import type { MyIngressAction, ObjectName, SpecChange, SpecPlan } from '../my-ingress/actions.ts';
import { drawMeddling as drawOfBalancer } from '../my-ingress/steps.ts';
import type { Step } from '../scenario.ts';
import type { NodeAction, ServiceAction, ServiceKey } from '../services/actions.ts';
import type { TrafficMeddling } from './actions.ts';
import { hashText, SERVICES_USED, TrafficDraft } from './draw-spec.ts';

const OBJECTS: readonly ObjectName[] = ['web/shop', 'api/shop'];
const SUBNETS = [
  ['subnet-a', 'subnet-b'],
  ['subnet-b', 'subnet-c'],
  ['subnet-a', 'subnet-b', 'subnet-c'],
] as const;
const PORT = { name: 'http', port: 80 } as const;
const RESTORED_AFTER_MS = 30_000;
const KINDS = ['listener', 'rule', 'targetGroup', 'securityGroup'] as const;

export interface TrafficDraw {
  readonly lengthMs: number;
  /** Whether others change what is in AWS. */
  readonly hasOutsiders: boolean;
}

/** Objects with traffic, their Services and pods, and whoever else works in the account. */
export function drawTrafficSteps(chance: Chance, draw: TrafficDraw): readonly Step[] {
  const objects = OBJECTS.slice(0, chance.happens(0.3) ? 2 : 1);
  const steps = objects.flatMap((at) => {
    const bornMs = chance.whole(6000, 20_000);
    return [
      ...drawServices(chance, { at, bornMs, draw }),
      ...drawLife(chance, { at, bornMs, draw }),
      ...(draw.hasOutsiders ? drawOutsiders(chance, { at, bornMs, draw }) : []),
    ];
  });
  const all = [...steps, ...drawNodes(steps, draw), ...drawExchanges(steps, draw)];
  return all.toSorted((a, b) => a.atMs - b.atMs);
}

/** Drawn apart, and only where a backend may have nodes as its targets: all other worlds stay as they were. */
function drawNodes(steps: readonly Step[], { lengthMs }: TrafficDraw): readonly Step[] {
  const text = JSON.stringify(steps);
  if (!text.includes('"instance"')) return [];
  const chance = new Chance(hashText(text));
  const numbers = Array.from({ length: chance.whole(1, 4) }, (_, index) => index);
  const events = chance.times(chance.whole(3, 10), (): readonly Step[] => {
    const atMs = chance.whole(10_000, lengthMs);
    return drawNodeEvent(chance).map(([laterMs, what, node]) => ({
      ...{ atMs: atMs + laterMs, node: { do: what, node } },
    }));
  });
  const first = numbers.map((node): Step => ({ atMs: 1000, node: { do: 'launch', node } }));
  return [...first, ...events.flat()];
}

/** Drawn apart as well. */
function drawExchanges(steps: readonly Step[], { lengthMs }: TrafficDraw): readonly Step[] {
  const chance = new Chance(hashText(`exchange ${JSON.stringify(steps)}`));
  const services = steps.flatMap((step) => {
    return 'service' in step && step.service.do === 'apply' ? [step.service.at] : [];
  });
  if (services.length === 0 || !chance.happens(0.4)) return [];
  return chance.times(chance.whole(1, 4), (): Step => {
    const at = chance.one(services);
    const staysMs = chance.whole(60_000, 120_000);
    return { atMs: chance.whole(20_000, lengthMs), service: { do: 'exchange', at, staysMs } };
  });
}

const NODES = [0, 1, 2, 3, 4] as const;
type NodeEvent = readonly (readonly [number, NodeAction['do'], number])[];

function drawNodeEvent(chance: Chance): NodeEvent {
  const node = chance.one(NODES);
  const spreadMs = chance.whole(500, 60_000);
  const chain = (...whats: readonly NodeAction['do'][]): NodeEvent =>
    whats.map((what, at) => [at * spreadMs, what, node] as const);
  return chance.weighted<NodeEvent>([
    [3, chain('launch')],
    [node === 0 ? 0 : 2, chain('terminate')],
    [2, chain('terminate', 'launch')],
    [2, chain('drain', 'terminate', 'launch')],
    [2, chain('silence', 'recover')],
    // The control plane hears none of them.
    [
      2,
      NODES.flatMap(
        (each) =>
          [
            [0, 'silence', each],
            [spreadMs, 'recover', each],
          ] as const,
      ),
    ],
    [2, chain('fail', 'recover')],
  ]);
}

interface Life {
  readonly at: ObjectName;
  readonly bornMs: number;
  readonly draw: TrafficDraw;
}

/** One object: created with its traffic or without, edited, perhaps deleted and created again. */
function drawLife(chance: Chance, { at, bornMs, draw }: Life): readonly Step[] {
  const draft = new TrafficDraft(chance);
  const isAlone = chance.happens(0.15);
  const adoption = chance.happens(0.08) ? drawAdoption(at, bornMs) : [];
  const spec: SpecPlan = {
    ...drawBalancer(chance),
    ...(isAlone ? {} : draft.drawFirst()),
    ...(adoption.length > 0 && { adopt: `legacy-${at.split('/')[0]}`, scheme: 'internet-facing' }),
  };
  const create: Step = { atMs: bornMs, myIngress: { do: 'create', at, spec } };
  const edits = drawTimes(chance, bornMs, draw.lengthMs).map((atMs): Step => {
    return { atMs, myIngress: drawChange(chance, at, draft) };
  });
  if (chance.happens(0.15) && adoption.length === 0) {
    // When all is quiet, for whoever restores an object does not do so in the middle of a pass.
    const restore: MyIngressAction = { do: 'restore', at };
    return [create, ...edits, { atMs: draw.lengthMs + RESTORED_AFTER_MS, myIngress: restore }];
  }
  if (!chance.happens(0.5)) return [...adoption, create, ...edits];
  const endMs = chance.whole(bornMs + 1, draw.lengthMs);
  const again: SpecPlan = { ...drawBalancer(chance), ...new TrafficDraft(chance).drawFirst() };
  return [
    ...[...adoption, create, ...edits],
    { atMs: endMs, myIngress: { do: 'delete', at } },
    ...(chance.happens(0.4)
      ? [
          {
            atMs: endMs + chance.whole(1, 3000),
            myIngress: { do: 'create', at, spec: again },
          } as const,
        ]
      : []),
  ];
}

/** Of edits, in order: some follow at once, others when the one before is carried out. */
function drawTimes(chance: Chance, bornMs: number, lengthMs: number): readonly number[] {
  const times: number[] = [];
  let atMs = bornMs;
  for (let count = chance.whole(1, 6); count > 0; count -= 1) {
    atMs += chance.happens(0.3) ? chance.whole(50, 2000) : chance.whole(10_000, 60_000);
    if (atMs < lengthMs) times.push(atMs);
  }
  return times;
}

function drawBalancer(chance: Chance): SpecPlan {
  return {
    subnets: chance.one(SUBNETS),
    ...(chance.happens(0.2) && { scheme: 'internal' }),
    ...(chance.happens(0.08) && { securityGroups: ['sg-web'] }),
    ...(chance.happens(0.4) && { tags: drawTags(chance) }),
    ...(chance.happens(0.2) && { deletionPolicy: 'Retain' as const }),
  };
}

function drawTags(chance: Chance): Readonly<Record<string, string>> {
  return Object.fromEntries(
    ['team', 'env'].filter(() => chance.happens(0.6)).map((key) => [key, chance.one(['a', 'b'])]),
  );
}

function drawAdoption(at: ObjectName, bornMs: number): readonly Step[] {
  const name = `legacy-${at.split('/')[0]}`;
  const spec = { subnets: ['subnet-a', 'subnet-b'], scheme: 'internet-facing' };
  const tags = { owner: 'somebody', ManagedBy: 'terraform' };
  return [{ atMs: bornMs - 1, myIngress: { do: 'legacy', name, spec, tags, consentFor: at } }];
}

function drawChange(chance: Chance, at: ObjectName, draft: TrafficDraft): MyIngressAction {
  const edit = (change: SpecChange): MyIngressAction => ({ do: 'edit', at, change });
  return chance.weighted<() => MyIngressAction>([
    [20, () => edit(draft.drawEdit())],
    [2, () => edit({ tags: drawTags(chance) })],
    [1, () => edit({ subnets: chance.one(SUBNETS) })],
    [1, () => edit({ securityGroups: ['sg-web', 'sg-admin'], inbound: null })],
    [1, () => edit({ deletionPolicy: chance.one(['Delete', 'Retain']) })],
    [1, () => ({ do: chance.one(['pause', 'goOn']), at })],
    [1, () => ({ do: 'request', at, token: `now-${chance.whole(1, 999)}` })],
    [1, () => ({ do: 'forget', at })],
  ])();
}

/** The Services of the object's namespace: before it, a second after it, or a minute. */
function drawServices(chance: Chance, { at, bornMs, draw }: Life): readonly Step[] {
  const [namespace = ''] = at.split('/');
  return SERVICES_USED.flatMap((name): readonly Step[] => {
    const service: ServiceKey = `${namespace}/${name}`;
    const atMs = chance.weighted([
      [6, bornMs - chance.whole(1000, 5900)],
      [2, bornMs + 1000],
      [1, bornMs + chance.whole(30_000, 80_000)],
    ]);
    const apply: ServiceAction = { do: 'apply', at: service, pods: chance.whole(1, 5), port: PORT };
    const events = chance.times(chance.whole(0, 4), (): readonly Step[] => {
      const whenMs = chance.whole(atMs + 5000, draw.lengthMs);
      return drawEvent(chance, service).map(([laterMs, action]) => ({
        atMs: whenMs + laterMs,
        service: action,
      }));
    });
    return [{ atMs, service: apply }, ...events.flat()];
  });
}

type Event = readonly (readonly [number, ServiceAction])[];

function drawEvent(chance: Chance, at: ServiceKey): Event {
  const laterMs = chance.whole(500, 60_000);
  const pods = chance.whole(0, 6);
  const renamed = { name: 'web', port: 8000 };
  return chance.weighted<Event>([
    [3, [[0, { do: 'scale', at, pods }]]],
    [4, [[0, { do: 'roll', at }]]],
    [2, [[0, { do: 'recreate', at }]]],
    [
      2,
      [
        [0, { do: 'fail', at }],
        [laterMs, { do: 'recover', at }],
      ],
    ],
    [
      1,
      [
        [0, { do: 'remove', at }],
        [laterMs, { do: 'apply', at, pods, port: PORT }],
      ],
    ],
    [
      1,
      [
        [0, { do: 'apply', at, pods, port: renamed }],
        [laterMs, { do: 'apply', at, pods, port: PORT }],
      ],
    ],
  ]);
}

function drawOutsiders(chance: Chance, { at, bornMs, draw }: Life): readonly Step[] {
  const squat = chance.happens(0.12);
  const what = chance.one(['targetGroup', 'securityGroup'] as const);
  const leaveMs = bornMs + chance.whole(5000, 90_000);
  const meddlings = chance.times(chance.whole(0, 3), (): Step => {
    const atMs = chance.whole(bornMs + 2000, draw.lengthMs);
    const isOfBalancer = chance.happens(0.15);
    return isOfBalancer
      ? { atMs, myIngress: { do: 'meddle', at, meddling: drawOfBalancer(chance) } }
      : { atMs, traffic: { do: 'meddle', at, meddling: drawMeddling(chance) } };
  });
  const apart = new Chance(hashText(`copies ${JSON.stringify([at, bornMs, meddlings])}`));
  const limit = { atMs: bornMs, traffic: { do: 'limit', name: 'rules', most: 2 } } as const;
  const whole = {
    atMs: bornMs,
    myIngress: { do: 'meddle', at, meddling: { what: 'delete' } },
  } as const;
  return [
    ...(squat ? [{ atMs: bornMs - 500, traffic: { do: 'squat', at, what } } as const] : []),
    ...(squat ? [{ atMs: leaveMs, traffic: { do: 'leave', at } } as const] : []),
    ...meddlings,
    ...drawCopies(apart, { at, bornMs, draw }),
    ...(chance.happens(0.1) ? [limit] : []),
    ...(chance.happens(0.08) ? [{ ...whole, atMs: chance.whole(bornMs, draw.lengthMs) }] : []),
  ];
}

/** Drawn apart, so that a seed's world stays what it was but for that. */
function drawCopies(chance: Chance, { at, bornMs, draw }: Life): readonly Step[] {
  return chance.times(chance.happens(0.15) ? chance.whole(1, 2) : 0, (): Step => {
    const kind = chance.one(['rule', 'targetGroup', 'securityGroup'] as const);
    const atMs = chance.whole(bornMs + 2000, draw.lengthMs);
    return { atMs, traffic: { do: 'meddle', at, meddling: { what: 'copyTags', kind } } };
  });
}

function drawMeddling(chance: Chance): TrafficMeddling {
  const nth = chance.whole(0, 7);
  const kind = chance.one(KINDS);
  const records = ['team', ownershipTagKeys.uid, ownershipTagKeys.managedBy, resourceTagKey];
  return chance.weighted<() => TrafficMeddling>([
    [3, () => ({ what: chance.one(['deleteListener', 'editListener']), nth })],
    [5, () => ({ what: chance.one(['deleteRule', 'editRule', 'moveRule']), nth })],
    [1, () => ({ what: 'addListener', port: chance.one([8080, 9090]) })],
    [2, () => ({ what: 'addRule', nth, priority: chance.one([1, 100, 200, 150]) })],
    [2, () => ({ what: 'deleteGroup', nth })],
    [2, () => ({ what: chance.one(['editHealthCheck', 'editAttribute']), nth })],
    [3, () => ({ what: chance.one(['deregister', 'register']), nth })],
    [2, () => ({ what: chance.one(['allowIngress', 'revokeIngress']) })],
    [3, () => ({ what: 'tag', kind, key: chance.one(['team', 'theirs']) })],
    [3, () => ({ what: 'untag', kind, key: chance.one(records) })],
  ])();
}
