import type { Chance } from '../chance.ts';
import type { ObjectName, SpecChange, SpecPlan } from '../my-ingress/actions.ts';
import type { Story } from '../my-ingress/stories.ts';
import type { AwsEffect, Step } from '../scenario.ts';
import type { ServiceAction, ServiceKey, ServicePort } from '../services/actions.ts';
import type { TrafficMeddling } from './actions.ts';

const AT: ObjectName = 'web/shop';
const HTTP: ServicePort = { name: 'http', port: 80 };
const SUBNETS = { subnets: ['subnet-a', 'subnet-b'] } as const;
const WEB = { name: 'web', service: { name: 'web', port: 80 } } as const;
const API = { name: 'api', service: { name: 'api', port: 'http' } } as const;
const TO_WEB = { forward: [{ backend: 'web' }] } as const;
const TO_API = { forward: [{ backend: 'api' }] } as const;
const TWO: SpecPlan = { ...SUBNETS, backends: [WEB, API], defaultAction: TO_WEB };

/** Situations of traffic that chance hardly ever brings about, each with all that it takes. */
const STORIES: readonly ((chance: Chance) => Story)[] = [
  drawRenamedPort,
  drawSquattedGroup,
  drawMovedDefault,
  drawSlowFilling,
  drawLostBalancer,
  drawForeignRule,
  drawEmptyList,
  drawTakenPlaces,
];

/** One after the other, so that few seeds have them all. */
export function drawTrafficStory(chance: Chance, nth: number): Story {
  const draw = STORIES[nth % STORIES.length] ?? drawRenamedPort;
  return draw(chance);
}

/** The port has another name and the same number; later all pods are replaced, then the target group. */
function drawRenamedPort(chance: Chance): Story {
  const bornMs = chance.whole(20_000, 30_000);
  const renamedMs = bornMs + chance.whole(30_000, 60_000);
  const backMs = renamedMs + chance.whole(20_000, 40_000);
  const recreatedMs = backMs + chance.whole(20_000, 40_000);
  const port = { name: 'web', port: 80 };
  return calm([
    applied(chance, 'web/web', 1000),
    created(bornMs, { ...SUBNETS, backends: [WEB] }),
    served(renamedMs, { do: 'apply', at: 'web/web', pods: 1, port }),
    served(backMs, { do: 'apply', at: 'web/web', pods: 1, port: HTTP }),
    served(recreatedMs, { do: 'recreate', at: 'web/web' }),
    served(recreatedMs + chance.whole(30_000, 40_000), { do: 'roll', at: 'web/web' }),
    edited(recreatedMs + 75_000, { backends: [{ ...WEB, protocol: 'HTTPS' }] }),
  ]);
}

/**
 * Somebody's target group has the name and the settings of ours, so that our create answers with it; later the
 * application has two families, and its targets become those of IPv6.
 */
function drawSquattedGroup(chance: Chance): Story {
  const bornMs = chance.whole(5000, 20_000);
  const taken: readonly Step[] = [
    applied(chance, 'web/web', 1000),
    { atMs: bornMs - 500, traffic: { do: 'squat', at: AT, what: 'targetGroup' } },
    created(bornMs, { ...SUBNETS, backends: [WEB] }),
    { atMs: bornMs + chance.whole(15_000, 60_000), traffic: { do: 'leave', at: AT } },
  ];
  const dualMs = bornMs + chance.whole(80_000, 100_000);
  const movedMs = dualMs + chance.whole(0, 20_000);
  const backends = [{ ...WEB, ipAddressType: 'ipv6' }] as const;
  return calm([
    ...taken,
    served(dualMs, { do: 'apply', at: 'web/web', pods: 1, port: HTTP, isDualStack: true }),
    edited(movedMs, { ipAddressType: 'dualstack', backends }),
    served(movedMs + chance.whole(20_000, 60_000), { do: 'roll', at: 'web/web' }),
  ]);
}

/**
 * What the default did is done by a new rule; it gets another name; then order, an action and sources change. Later a
 * backend is left without pods, and settings come and go.
 */
function drawMovedDefault(chance: Chance): Story {
  const bornMs = chance.whole(20_000, 40_000);
  const movedMs = bornMs + chance.whole(40_000, 50_000);
  const renamedMs = movedMs + chance.whole(50_000, 60_000);
  const place = { hosts: ['shop.example.com'], paths: ['/api/*'] };
  const old = { name: 'old', paths: ['/old/*'], ...TO_API };
  const moved = { name: 'shop', ...place, ...TO_WEB };
  return calm([
    applied(chance, 'web/web', 1000),
    applied(chance, 'web/api', 2000),
    created(bornMs, { ...TWO, rules: [old] }),
    edited(movedMs, { defaultAction: TO_API, rules: [old, moved] }),
    edited(renamedMs, { rules: [old, { ...moved, name: 'shop-new' }] }),
    edited(renamedMs + 40_000, {
      rules: [
        { ...moved, name: 'shop-new' },
        { ...old, ...TO_WEB },
      ],
      inbound: { cidrs: ['203.0.113.0/24'] },
    }),
    ...drawEmptiedBackend(chance, renamedMs + 45_000),
    ...drawSettings(renamedMs + 55_000),
  ]);
}

/** One application has no pods left, and the address of its last one is given to a pod of the other. */
function drawEmptiedBackend(chance: Chance, emptiedMs: number): readonly Step[] {
  return [
    served(emptiedMs, { do: 'scale', at: 'web/web', pods: 0 }),
    served(emptiedMs + chance.whole(25_000, 35_000), { do: 'scale', at: 'web/api', pods: 6 }),
  ];
}

/** A listener and all resources get settings, which leave the spec again. */
function drawSettings(atMs: number): readonly Step[] {
  const attributes = { 'routing.http.response.server.enabled': 'false' };
  return [
    edited(atMs, { listeners: [{ port: 80, protocol: 'HTTP', attributes }], tags: { team: 'a' } }),
    edited(atMs + 15_000, { listeners: [{ port: 80, protocol: 'HTTP' }], tags: null }),
  ];
}

/** AWS does not take targets for a while: when they are registered for the first time, or a new one. */
function drawSlowFilling(chance: Chance): Story {
  const effects: readonly AwsEffect[] = ['failing', 'throttled', 'dropped', 'invalidTarget'];
  const bornMs = chance.whole(70_000, 80_000);
  const laterMs = bornMs + chance.whole(60_000, 90_000);
  const fault = { kind: 'aws', operation: 'RegisterTargets', forMs: 60_000 } as const;
  return {
    steps: [
      applied(chance, 'web/web', 1000),
      created(bornMs, { ...SUBNETS, backends: [WEB] }),
      served(laterMs, { do: 'scale', at: 'web/web', pods: 6 }),
    ],
    faults: [
      { ...fault, effect: chance.one(effects), fromMs: 0, forMs: 140_000, times: 12 },
      { ...fault, effect: 'invalidTarget', fromMs: laterMs, times: chance.whole(1, 3) },
    ],
  };
}

/** The balancer is deleted by hand while a group that has left the spec waits for its own deletion. */
function drawLostBalancer(chance: Chance): Story {
  const bornMs = chance.whole(10_000, 20_000);
  const leftMs = bornMs + chance.whole(30_000, 40_000);
  const lostMs = leftMs + chance.whole(3000, 35_000);
  const attributes = { 'deregistration_delay.timeout_seconds': '30' };
  const backends = [WEB, { ...API, attributes }];
  return calm([
    applied(chance, 'web/web', 1000),
    applied(chance, 'web/api', 2000),
    created(bornMs, { ...TWO, backends, rules: [{ name: 'api', paths: ['/api/*'], ...TO_API }] }),
    edited(leftMs, { backends: [WEB], rules: null }),
    { atMs: lostMs, myIngress: { do: 'meddle', at: AT, meddling: { what: 'delete' } } },
    { atMs: lostMs + 500, myIngress: { do: 'request', at: AT, token: 'lost' } },
  ]);
}

/** Somebody adds a rule to a listener of ours; rules change, and one of the listeners leaves the spec. */
function drawForeignRule(chance: Chance): Story {
  const bornMs = chance.whole(5000, 20_000);
  const addedMs = bornMs + chance.whole(20_000, 30_000);
  const editedMs = addedMs + chance.whole(5000, 20_000);
  const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' }) as const);
  const meddling = { what: 'addRule', nth: chance.whole(0, 1), priority: 150 } as const;
  const rule = { name: 'api', paths: ['/api/*'], ...TO_API };
  return calm([
    applied(chance, 'web/web', 1000),
    applied(chance, 'web/api', 2000),
    created(bornMs, { ...TWO, listeners, rules: [rule] }),
    { atMs: addedMs, traffic: { do: 'meddle', at: AT, meddling } },
    // All of it is read again.
    { atMs: addedMs + 3000, myIngress: { do: 'request', at: AT, token: 'rule' } },
    edited(editedMs, { rules: [{ name: 'old', paths: ['/old/*'], ...TO_API }, rule] }),
    edited(editedMs + 25_000, { listeners: listeners.slice(0, 1) }),
  ]);
}

/** After an outage of the API server the list of EndpointSlices is empty for a while. */
function drawEmptyList(chance: Chance): Story {
  const bornMs = chance.whole(5000, 20_000);
  const fromMs = bornMs + chance.whole(70_000, 90_000);
  const forMs = chance.whole(12_000, 60_000);
  const rolledMs = fromMs + chance.whole(1000, forMs + 20_000);
  return {
    steps: [
      applied(chance, 'web/web', 1000),
      created(bornMs, { ...SUBNETS, backends: [WEB] }),
      ...(chance.happens(0.5) ? [served(rolledMs, { do: 'roll', at: 'web/web' })] : []),
    ],
    faults: [{ kind: 'emptyLists', plural: 'endpointslices', fromMs, forMs }],
  };
}

/**
 * Somebody has the name of the security group, then a port that the spec wants; later a listener is deleted, and
 * the one on that port is handed over.
 */
function drawTakenPlaces(chance: Chance): Story {
  const bornMs = chance.whole(5000, 20_000);
  const takenMs = bornMs + chance.whole(40_000, 60_000);
  const listeners = [80, 8080].map((port) => ({ port, protocol: 'HTTP' }) as const);
  const meddle = (atMs: number, meddling: TrafficMeddling): Step => {
    return { atMs, traffic: { do: 'meddle', at: AT, meddling } };
  };
  return calm([
    applied(chance, 'web/web', 1000),
    { atMs: bornMs - 500, traffic: { do: 'squat', at: AT, what: 'securityGroup' } },
    created(bornMs, { ...SUBNETS, backends: [WEB] }),
    { atMs: bornMs + 20_000, traffic: { do: 'leave', at: AT } },
    meddle(takenMs, { what: 'addListener', port: 8080 }),
    edited(takenMs + chance.whole(1000, 20_000), { listeners }),
    meddle(takenMs + 40_000, { what: 'editAttribute', nth: 0 }),
    meddle(takenMs + chance.whole(50_000, 90_000), { what: 'deleteListener', nth: 0 }),
    meddle(takenMs + 110_000, { what: 'handOver', port: 8080 }),
    { atMs: takenMs + 112_000, myIngress: { do: 'request', at: AT, token: 'handed-over' } },
  ]);
}

function calm(steps: readonly Step[]): Story {
  return { steps, faults: [] };
}

function applied(chance: Chance, at: ServiceKey, atMs: number): Step {
  return served(atMs, { do: 'apply', at, pods: chance.whole(2, 5), port: HTTP });
}

function served(atMs: number, service: ServiceAction): Step {
  return { atMs, service };
}

function created(atMs: number, spec: SpecPlan): Step {
  return { atMs, myIngress: { do: 'create', at: AT, spec } };
}

function edited(atMs: number, change: SpecChange): Step {
  return { atMs, myIngress: { do: 'edit', at: AT, change } };
}
