import type { OnDemandDataPlane } from '../data-plane/on-demand.ts';
import type { Instance } from '../ec2/network.ts';
import type { EmbeddedAwsControl } from '../embedded-aws-control.ts';
import type { FaultRule } from '../faults/fault-script.ts';
import type { HeldRequests } from '../faults/held-requests.ts';
import type { Policy } from '../iam/policy-evaluation.ts';
import type { LoadBalancerState } from '../load-balancers/balancer-store.ts';
import type { TargetHealth } from '../target-groups/target-group.ts';

/** The parts that the routes under /_embedded/ act on. */
export interface ControlParts {
  readonly control: EmbeddedAwsControl;
  readonly held: HeldRequests;
  readonly dataPlane: OnDemandDataPlane;
}

export interface ControlRequest {
  readonly method: string;
  /** Below /_embedded/, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** Parsed JSON; an empty object without a body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Instead of the body of a route that takes a list. */
  readonly rows: readonly unknown[];
}

type Route = (parts: ControlParts, request: ControlRequest) => unknown;

/** By method and first path segment. */
const ROUTES: Readonly<Record<string, Route>> = {
  'GET calls': ({ control }, { query }) => ({
    counts: control.counts(),
    calls: control.calls(query.get('operation') ?? undefined),
  }),
  'DELETE calls': ({ control }) => done(() => control.clearCalls()),
  'GET state': ({ control, held }) => ({
    ...control.snapshot(),
    held: held.list(),
    faults: control.pendingFaults(),
  }),
  'GET faults': ({ control }) => ({ faults: control.pendingFaults() }),
  'POST faults': ({ control }, { body }) => done(() => control.addFault(parseFaultRule(body))),
  'DELETE faults': ({ control }) => done(() => control.clearFaults()),
  'POST release': ({ held }, { body }) => ({
    released: held.release(optionalText(body, 'operation')),
  }),
  'PATCH settings': ({ control }, { body }) => {
    control.changeSettings(body);
    return control.settings();
  },
  'PUT policies': ({ control }, { path, body }) =>
    done(() => control.setPolicy(path[1] ?? '', body as unknown as Policy)),
  'DELETE policies': ({ control }, { path }) =>
    done(() => control.setPolicy(path[1] ?? '', undefined)),
  'PUT load-balancers': ({ control }, { path, body }) =>
    setLeaf(path, {
      state: (name) => control.setState(name, parseState(body)),
      association: (name) => control.setAssociated(name, true),
    }),
  'DELETE load-balancers': ({ control }, { path }) =>
    setLeaf(path, {
      state: (name) => control.setState(name, undefined),
      association: (name) => control.setAssociated(name, false),
    }),
  'PUT target-groups': ({ control }, { path, body }) => setTargetHealth(control, path, body),
  'GET listeners': ({ dataPlane }) => dataPlane.listAddresses(),
  'PUT targets': ({ dataPlane }, { rows }) => done(() => dataPlane.targets.replace(rows)),
  'PUT certificates': ({ control }, { body }) =>
    done(() => control.setCertificates(textList(body, 'arns'))),
  'PUT trust-stores': ({ control }, { body }) =>
    done(() => control.setTrustStores(textList(body, 'arns'))),
  'PUT instances': ({ control }, { path, body }) =>
    done(() => control.putInstance({ id: path[1] ?? '', ...parseInstance(body) })),
  'POST reset': ({ control, held }, { body }) =>
    done(() => {
      held.abandonAll();
      control.reset({ keepNetwork: body['keepNetwork'] === true });
    }),
};

/** The answer's JSON or a promise of it, undefined if there is no such route. Throws RangeError for a bad body. */
export function routeControl(parts: ControlParts, request: ControlRequest): unknown {
  const route = ROUTES[`${request.method} ${request.path[0] ?? ''}`];
  return route?.(parts, request);
}

function done(act: () => void): { readonly ok: true } {
  act();
  return { ok: true };
}

type Setters = Readonly<Record<string, (name: string) => boolean>>;

/** `load-balancers/<name>/<leaf>` */
function setLeaf([, name = '', leaf = '']: readonly string[], setters: Setters): unknown {
  const set = Object.hasOwn(setters, leaf) ? setters[leaf] : undefined;
  if (set === undefined) return undefined;
  if (set(name)) return { ok: true };
  throw new RangeError(`there is no load balancer named "${name}"`);
}

const STATE_CODES: readonly unknown[] = [
  'provisioning',
  'active',
  'active_impaired',
  'failed',
] satisfies LoadBalancerState['code'][];

function parseState(body: ControlRequest['body']): LoadBalancerState {
  const { code } = body;
  if (!STATE_CODES.includes(code)) {
    throw new RangeError(`code must be one of ${STATE_CODES.join(', ')}`);
  }
  const reason = optionalText(body, 'reason');
  const parsed = { code: code as LoadBalancerState['code'] };
  return reason === undefined ? parsed : { ...parsed, reason };
}

function setTargetHealth(
  control: EmbeddedAwsControl,
  [, name = '', leaf]: readonly string[],
  body: ControlRequest['body'],
): unknown {
  if (leaf !== 'health') return undefined;
  const { port } = body;
  if (port !== undefined && typeof port !== 'number') throw new RangeError('port must be a number');
  const id = optionalText(body, 'id');
  const reason = optionalText(body, 'reason');
  const description = optionalText(body, 'description');
  const state = optionalText(body, 'state') as TargetHealth['state'];
  const targets = control.setTargetHealth(name, {
    ...(id !== undefined && { id }),
    ...(port !== undefined && { port }),
    health: {
      state,
      ...(reason !== undefined && { reason }),
      ...(description !== undefined && { description }),
    },
  });
  return { targets };
}

function parseInstance(body: ControlRequest['body']): Omit<Instance, 'id' | 'tags'> {
  const state = optionalText(body, 'state') ?? 'running';
  if (state !== 'running' && state !== 'stopped') {
    throw new RangeError('state must be running or stopped');
  }
  return { subnetId: optionalText(body, 'subnetId') ?? '', state };
}

function textList(body: ControlRequest['body'], field: string): readonly string[] {
  const value = body[field];
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value;
  throw new RangeError(`${field} must be a list of strings`);
}

/** Fields that an effect of each kind needs, with their types. */
const EFFECT_FIELDS: ReadonlyMap<unknown, Readonly<Record<string, string>>> = new Map(
  Object.entries({
    error: { code: 'string', status: 'number', message: 'string' },
    lostResponse: {},
    dropBeforeApply: {},
    html500: {},
    delay: { delayMs: 'number' },
    hold: {},
    staleReads: { ageMs: 'number' },
  }),
);

function parseFaultRule(body: ControlRequest['body']): FaultRule {
  if (typeof body['operation'] !== 'string') throw new RangeError('operation must be a string');
  const effect = body['effect'] as Record<string, unknown> | null | undefined;
  const fields = EFFECT_FIELDS.get(effect?.['kind']);
  if (fields === undefined) {
    throw new RangeError(`effect.kind must be one of ${[...EFFECT_FIELDS.keys()].join(', ')}`);
  }
  for (const [field, type] of Object.entries(fields)) {
    if (typeof effect?.[field] !== type) throw new RangeError(`effect.${field} must be a ${type}`);
  }
  return body as unknown as FaultRule;
}

function optionalText(body: ControlRequest['body'], field: string): string | undefined {
  const value = body[field];
  if (value === undefined || typeof value === 'string') return value;
  throw new RangeError(`${field} must be a string`);
}
