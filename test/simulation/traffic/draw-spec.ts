import { createHash } from 'node:crypto';
import { Chance } from '../chance.ts';
import {
  type ListenerSpec,
  listListeners,
  type RuleSpec,
  type TrafficSpec,
} from './spec-answers.ts';

type BackendSpec = NonNullable<TrafficSpec['backends']>[number];
type ActionSpec = Pick<RuleSpec, 'forward' | 'redirect' | 'fixedResponse'>;
type RuleActionSpec = ActionSpec & Pick<RuleSpec, 'rewrite'>;
type Conditions = Pick<RuleSpec, 'hosts' | 'paths' | 'headers'>;

/** Certificates that the account has. */
export const CERTIFICATES = [1, 2, 3].map(
  (n) => `arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-00000000000${n}`,
);

export const TRUST_STORE =
  'arn:aws:elasticloadbalancing:us-east-1:000000000000:truststore/clients/6d0ecf831eec9f09';

/** Services that the world may have; `absent` never comes. */
export const SERVICES_USED = ['web', 'api', 'next'] as const;
const BACKENDS = ['web', 'api', 'next', 'canary'] as const;
const RULES = ['cart', 'api', 'old', 'beta', 'shop', 'all', 'images', 'health'] as const;
const HOSTS = [['shop.example.com'], ['*.example.com'], ['api.example.com', 'other.test']] as const;
const PATHS = [
  ['/cart'],
  ['/api/*'],
  ['/api/v1'],
  ['/old/*', '/cart'],
  ['/*'],
  ['/api/v?'],
] as const;
/** More than AWS takes in one rule. */
const MANY_PATHS = [
  ['/cart', '/api/v1', '/api/v2/*', '/old/*', '/p5', '/p6', '/p7'],
  ['/api/*', '/p2', '/p3', '/p4', '/p5', '/old/page'],
] as const;
/** `probes.ts` has a request for each. */
const HEADERS = [
  [{ name: 'X-Team', regex: '^blue(bell|bird)$' }],
  [{ name: 'x-team', regex: 'bird' }],
] as const;
const MOST_TRIES = 5;
const LISTENER_HEADERS = [
  'routing.http.response.x_frame_options.header_value',
  'routing.http.response.x_content_type_options.header_value',
] as const;
const DELAYS = ['0', '5', '30'] as const;

/** One object's traffic: the first spec, then one edit after the other, each admitted after the last. */
export class TrafficDraft {
  readonly #chance: Chance;
  /** What came later is drawn apart, so that a seed's world stays what it was but for that. */
  readonly #more: Chance;
  /** What came later still, apart again. */
  readonly #instances: Chance;
  /** Of each name, so that most edits leave the conditions of a rule alone. */
  readonly #conditions: ReadonlyMap<string, Conditions>;
  #spec: TrafficSpec = {};

  constructor(chance: Chance) {
    this.#chance = chance;
    const conditions = RULES.map((name) => [name, this.#drawPlace()] as const);
    this.#more = new Chance(hashText(JSON.stringify(conditions)));
    this.#instances = new Chance(hashText(`instances ${JSON.stringify(conditions)}`));
    this.#conditions = new Map(conditions.map(([name, one]) => [name, this.#narrow(one)]));
  }

  get spec(): TrafficSpec {
    return this.#spec;
  }

  drawFirst(): TrafficSpec {
    const chance = this.#chance;
    const count = chance.weighted([
      [1, 0],
      [4, 1],
      [4, 2],
      [2, 4],
    ]);
    const backends = BACKENDS.slice(0, count).map((name) => this.#drawBackend(name));
    this.#spec = this.#complete({
      ...(count > 0 && { backends }),
      ...((count === 0 || chance.happens(0.6)) && { listeners: this.#drawListeners() }),
      ...(chance.happens(0.25) && { inbound: this.#drawInbound() }),
    });
    const names = this.#shuffle(RULES).slice(0, chance.whole(0, 6));
    return this.#become({ rules: names.map((name) => this.#drawRule(name)) });
  }

  /** The fields that another edit changes; null takes one away. Empty if chance had nothing to change. */
  drawEdit(): Readonly<Record<string, unknown>> {
    const before = this.#spec;
    // Several changes in one edit, now and then.
    for (
      let more = this.#chance.weighted([
        [7, 0],
        [2, 1],
        [1, 3],
      ]);
      more > 0;
      more -= 1
    )
      this.#drawNext();
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const change = diffFields(before, this.#drawNext());
      if (Object.keys(change).length > 0) return change;
    }
    return {};
  }

  #drawNext(): TrafficSpec {
    return this.#chance.weighted<() => TrafficSpec>([
      [3, () => this.#editRules((rules) => this.#shuffle(rules))],
      [4, () => this.#insertRule()],
      [3, () => this.#editRules((rules) => without(rules, this.#chance))],
      [3, () => this.#renameRule()],
      [4, () => this.#editRule((rule) => ({ ...withoutAction(rule), ...this.#drawRuleAction() }))],
      [2, () => this.#editRule((rule) => ({ ...withoutPlace(rule), ...this.#drawConditions() }))],
      [2, () => this.#become({ defaultAction: this.#drawAction() })],
      [3, () => this.#editBackend((one) => ({ ...one, service: this.#drawService() }))],
      [2, () => this.#editBackend(({ name }) => this.#drawBackend(name))],
      [2, () => this.#addBackend()],
      [1, () => this.#removeBackend()],
      [3, () => this.#become({ listeners: this.#drawListeners() })],
      [2, () => this.#become({ inbound: this.#drawInbound() })],
      [1, () => this.#takeAll()],
      [1, () => this.drawFirst()],
    ])();
  }

  /** Repaired, so that the CRD admits it. */
  #become(change: TrafficSpec): TrafficSpec {
    this.#spec = this.#complete(dropEmpty({ ...this.#spec, ...change }));
    return this.#spec;
  }

  #takeAll(): TrafficSpec {
    this.#spec = {};
    return this.#spec;
  }

  /** Names that refer to nothing any more go, and what is required comes. */
  #complete(spec: TrafficSpec): TrafficSpec {
    const backends = new Set((spec.backends ?? []).map(({ name }) => name));
    if (backends.size === 0 && spec.listeners === undefined) return {};
    const ports = listRulePorts(spec);
    const isFine = (action: ActionSpec | undefined): boolean => isServed(action, backends);
    const rules = (spec.rules ?? []).filter(isFine).map((rule) => narrow(rule, ports));
    const { defaultAction: _default, rules: _rules, ...rest } = fitVersions(spec);
    return {
      ...rest,
      ...fitListeners(spec, isFine),
      ...(rules.length > 0 && { rules }),
      ...fitDefault(spec, isFine),
    };
  }

  #editRules(change: (rules: readonly RuleSpec[]) => readonly RuleSpec[]): TrafficSpec {
    return this.#become({ rules: [...change(this.#spec.rules ?? [])] });
  }

  #editRule(change: (rule: RuleSpec) => RuleSpec): TrafficSpec {
    const { rules = [] } = this.#spec;
    const chosen = this.#chance.whole(0, Math.max(0, rules.length - 1));
    return this.#editRules((all) => all.map((one, at) => (at === chosen ? change(one) : one)));
  }

  /** Another name is another rule, with the same conditions. */
  #renameRule(): TrafficSpec {
    const names = new Set((this.#spec.rules ?? []).map(({ name }) => name));
    return this.#editRule((rule) => {
      const name = rule.name.endsWith('-new') ? rule.name.slice(0, -4) : `${rule.name}-new`;
      return names.has(name) ? rule : { ...rule, name };
    });
  }

  #insertRule(): TrafficSpec {
    const names = new Set((this.#spec.rules ?? []).map(({ name }) => name));
    const free = RULES.filter((name) => !names.has(name));
    if (free.length === 0) return this.#spec;
    const rule = this.#drawRule(this.#chance.one(free));
    return this.#editRules((rules) =>
      rules.toSpliced(this.#chance.whole(0, rules.length), 0, rule),
    );
  }

  #editBackend(change: (backend: BackendSpec) => BackendSpec): TrafficSpec {
    const { backends = [] } = this.#spec;
    const chosen = this.#chance.whole(0, Math.max(0, backends.length - 1));
    return this.#become({
      backends: backends.map((one, at) => (at === chosen ? change(one) : one)),
    });
  }

  #addBackend(): TrafficSpec {
    const names = new Set((this.#spec.backends ?? []).map(({ name }) => name));
    const free = BACKENDS.filter((name) => !names.has(name));
    if (free.length === 0) return this.#spec;
    const added = this.#drawBackend(this.#chance.one(free));
    return this.#become({ backends: [...(this.#spec.backends ?? []), added] });
  }

  #removeBackend(): TrafficSpec {
    const { backends = [] } = this.#spec;
    return this.#become({ backends: [...without(backends, this.#chance)] });
  }

  #drawBackend(name: string): BackendSpec {
    const chance = this.#chance;
    const more = this.#more;
    const delay = chance.happens(0.9) && {
      'deregistration_delay.timeout_seconds': chance.one(DELAYS),
    };
    return {
      name,
      service: this.#drawService(),
      ...(delay && { attributes: delay }),
      ...(chance.happens(0.4) && {
        healthCheck: { path: chance.one(['/', '/healthz', '/ready']), intervalSeconds: 10 },
      }),
      ...(more.happens(0.2) && { protocol: 'HTTPS' }),
      ...(more.happens(0.2) && { protocolVersion: more.one(['HTTP2', 'GRPC']) }),
      ...(more.happens(0.15) && { stickiness: { durationSeconds: 60 } }),
      ...(this.#instances.happens(0.12) && { targetType: 'instance' }),
    };
  }

  #drawService(): { readonly name: string; readonly port: string | number } {
    return {
      name: this.#chance.weighted([
        [12, this.#chance.one(SERVICES_USED)],
        [1, 'absent'],
      ]),
      port: this.#chance.weighted<string | number>([
        [6, 80],
        [6, 'http'],
        [1, 'no-such-port'],
      ]),
    };
  }

  #drawListeners(): NonNullable<TrafficSpec['listeners']> {
    const [first, ...others] = this.#shuffle(CERTIFICATES);
    const certificates = [first ?? '', ...(this.#chance.happens(0.4) ? others : [])];
    const own = this.#drawOwnDefault();
    const secure = {
      ...({ port: 443, protocol: 'HTTPS', certificates } as const),
      ...this.#drawSettings(),
    };
    return this.#chance.weighted<NonNullable<TrafficSpec['listeners']>>([
      [3, [{ port: 80, protocol: 'HTTP' }]],
      [3, [{ port: 80, protocol: 'HTTP', redirectToHTTPS: true }, secure]],
      [
        2,
        [
          { port: 80, protocol: 'HTTP' },
          { port: 8080, protocol: 'HTTP', ...own },
        ],
      ],
      [1, [{ port: 80, protocol: 'HTTPS', certificates }]],
      [1, [{ port: 80, protocol: 'HTTP', ...own }, { port: 8080, protocol: 'HTTP' }, secure]],
    ]);
  }

  #drawOwnDefault(): Pick<ListenerSpec, 'defaultAction'> {
    if (this.#more.happens(0.6)) return {};
    const names = (this.#spec.backends ?? []).map(({ name }) => name);
    const [backend] = names;
    const forward = backend === undefined ? {} : { forward: [{ backend }] };
    const action = this.#drawAnswer() ?? forward;
    return hasAction(action) ? { defaultAction: action } : {};
  }

  #drawSettings(): Pick<ListenerSpec, 'attributes' | 'mutualTLS'> {
    const chance = this.#more;
    const mode = chance.one(['off', 'passthrough', 'verify'] as const);
    return {
      ...(chance.happens(0.3) && {
        mutualTLS: { mode, ...(mode === 'verify' && { trustStoreARN: TRUST_STORE }) },
      }),
      ...(chance.happens(0.3) && {
        attributes: {
          [chance.one(LISTENER_HEADERS)]: chance.one(['DENY', 'nosniff']),
          'routing.http.response.server.enabled': chance.one(['true', 'false']),
        },
      }),
    };
  }

  #drawInbound(): NonNullable<TrafficSpec['inbound']> {
    return this.#chance.one([
      { cidrs: ['203.0.113.0/24'] },
      { cidrs: ['10.0.0.9/8', '198.51.100.7/32', '2001:db8::/32'] },
      { securityGroupIDs: ['sg-admin'], cidrs: ['0.0.0.0/0'] },
    ]);
  }

  #drawRule(name: string): RuleSpec {
    const ports = listListeners(this.#spec).map(({ port }) => port);
    const isNarrow = this.#spec.listeners !== undefined && this.#chance.happens(0.2);
    return {
      name,
      ...(isNarrow && { listeners: [this.#chance.one(ports)] }),
      ...this.#conditions.get(name),
      ...this.#drawRuleAction(),
    };
  }

  #drawConditions(): Conditions {
    return this.#narrow(this.#drawPlace());
  }

  #drawPlace(): Conditions {
    const chance = this.#chance;
    const hosts = chance.happens(0.4) && { hosts: [...chance.one(HOSTS)] };
    if (hosts && chance.happens(0.4)) return hosts;
    return { ...hosts, paths: [...chance.one(PATHS)] };
  }

  #narrow(place: Conditions): Conditions {
    const more = this.#more;
    return {
      ...place,
      ...(more.happens(0.15) && { paths: [...more.one(MANY_PATHS)] }),
      ...(more.happens(0.15) && { headers: more.one(HEADERS).map((one) => ({ ...one })) }),
    };
  }

  #drawRuleAction(): RuleActionSpec {
    const action = this.#drawAction();
    if (action.forward === undefined || this.#more.happens(0.75)) return action;
    const host = { regex: '^(.+)[.]example[.]com$', replace: '$1.internal' };
    const url = { regex: '^/api/(.*)$', replace: this.#more.one(['/$1', '/v2/$1']) };
    return { ...action, rewrite: this.#more.one([{ host }, { url }, { host, url }]) };
  }

  #drawAction(): ActionSpec {
    const answer = this.#drawAnswer();
    const names = (this.#spec.backends ?? []).map(({ name }) => name);
    if (names.length === 0) return answer ?? {};
    const forward = this.#chance.weighted<() => ActionSpec>([
      [6, () => ({ forward: [{ backend: this.#chance.one(names) }] })],
      [names.length > 1 ? 4 : 0, () => this.#drawCanary(names)],
    ])();
    return answer ?? forward;
  }

  /** undefined: none, mostly. */
  #drawAnswer(): ActionSpec | undefined {
    return this.#more.weighted<ActionSpec | undefined>([
      [8, undefined],
      [1, { redirect: { statusCode: 302, path: '/moved', host: '#{host}' } }],
      [1, { fixedResponse: { statusCode: 410, body: 'gone' } }],
    ]);
  }

  #drawCanary(names: readonly string[]): ActionSpec {
    const [one = '', other = ''] = this.#shuffle(names);
    const weight = this.#chance.one([0, 1, 10, 50]);
    return {
      forward: [
        { backend: one, weight: 100 },
        { backend: other, weight },
      ],
    };
  }

  #shuffle<T>(items: readonly T[]): readonly T[] {
    const drawn = items.map((item) => ({ item, place: this.#chance.whole(0, 1_000_000) }));
    return drawn.toSorted((a, b) => a.place - b.place).map(({ item }) => item);
  }
}

export function hashText(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE();
}

function withoutAction(rule: RuleSpec): RuleSpec {
  const { forward: _f, redirect: _r, fixedResponse: _response, rewrite: _rewrite, ...rest } = rule;
  return rest;
}

function withoutDefault({ defaultAction: _default, ...rest }: ListenerSpec): ListenerSpec {
  return rest;
}

function withoutPlace({ hosts: _h, paths: _p, headers: _headers, ...rest }: RuleSpec): RuleSpec {
  return rest;
}

/** HTTP2 and GRPC need HTTPS wherever they may be forwarded to. */
function fitVersions(spec: TrafficSpec): TrafficSpec {
  const { backends, listeners } = spec;
  const isSecure = listeners?.every(({ protocol, redirectToHTTPS }) => {
    return protocol === 'HTTPS' || redirectToHTTPS === true;
  });
  if (backends === undefined || isSecure === true) return spec;
  return { ...spec, backends: backends.map(withoutVersion) };
}

function withoutVersion({ protocolVersion: _version, ...rest }: BackendSpec): BackendSpec {
  return rest;
}

/** Of the listeners that a rule may name. */
function listRulePorts({ listeners = [] }: TrafficSpec): ReadonlySet<number> {
  const plain = listeners.filter(({ redirectToHTTPS }) => redirectToHTTPS !== true);
  return new Set(plain.map(({ port }) => port));
}

type Judge = (action: ActionSpec | undefined) => boolean;

function fitListeners({ listeners }: TrafficSpec, isFine: Judge): Pick<TrafficSpec, 'listeners'> {
  if (listeners === undefined) return {};
  const fit = (one: ListenerSpec): ListenerSpec =>
    isFine(one.defaultAction) ? one : withoutDefault(one);
  return { listeners: listeners.map(fit) };
}

/** One of its own is needed from two backends on. */
function fitDefault(
  { backends = [], defaultAction }: TrafficSpec,
  isFine: Judge,
): Pick<TrafficSpec, 'defaultAction'> {
  if (defaultAction && isFine(defaultAction)) return { defaultAction };
  const [first, second] = backends;
  return second === undefined
    ? {}
    : { defaultAction: { forward: [{ backend: first?.name ?? '' }] } };
}

/** Whether it is an action, and all its backends are there. */
function isServed(action: ActionSpec | undefined, backends: ReadonlySet<string>): boolean {
  if (action === undefined || !hasAction(action)) return false;
  return (action.forward ?? []).every((to) => backends.has(to.backend ?? ''));
}

function hasAction({ forward, redirect, fixedResponse }: ActionSpec): boolean {
  return forward !== undefined || redirect !== undefined || fixedResponse !== undefined;
}

/** A rule names only ports of listeners that take rules; where none is left it applies to all. */
function narrow({ listeners, ...rule }: RuleSpec, ports: ReadonlySet<number>): RuleSpec {
  const left = (listeners ?? []).filter((port) => ports.has(port));
  return left.length === 0 ? rule : { ...rule, listeners: left };
}

function without<T>(items: readonly T[], chance: Chance): readonly T[] {
  return items.toSpliced(chance.whole(0, Math.max(0, items.length - 1)), 1);
}

/** A list has an item, or is left out. */
function dropEmpty(spec: TrafficSpec): TrafficSpec {
  const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
  return Object.fromEntries(
    Object.entries(spec).filter(([, value]) => value !== undefined && !isEmpty(value)),
  );
}

const FIELDS = ['backends', 'listeners', 'rules', 'defaultAction', 'inbound'] as const;

function diffFields(before: TrafficSpec, after: TrafficSpec): Readonly<Record<string, unknown>> {
  const changed = FIELDS.filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, after[field] ?? null]));
}
