import type { WebApp } from '../../apis/web-app.ts';
import type { StatedCondition } from '../../core/objects/conditions.ts';

/** The result of `spec.expose`, as the controller of MyIngress has it. */
export type ExposeState =
  | { readonly kind: 'unknown' | 'missing' | 'unwatched' | 'deleting' | 'pending' | 'waiting' }
  /** It stays unknown: this operator serves no MyIngress. */
  | { readonly kind: 'unserved' }
  | { readonly kind: 'attached'; readonly url?: string }
  | { readonly kind: 'refused'; readonly reason: string; readonly claim?: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** The MyIngresses, as far as a WebApp is concerned. */
export interface Exposing {
  read(ref: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
  }): ExposeState;
}

const TYPE = 'Exposed';

/** The condition Exposed, for whoever asks for it or has once done so; its words name no object of others. Pure. */
export function stateExposed(
  { metadata, spec, status }: WebApp,
  readState: () => ExposeState,
): readonly StatedCondition[] {
  const before = (status?.conditions ?? []).find(({ type }) => type === TYPE);
  if (spec.expose === undefined) {
    const message = 'the object has no spec.expose';
    return before ? [{ type: TYPE, status: 'False', reason: 'NotExposed', message }] : [];
  }
  const state = readState();
  // It is of this spec: an operator that starts does not deny it before it has read the MyIngresses.
  if (state.kind === 'unknown' && before?.observedGeneration === metadata.generation) {
    return [pickStated(before)];
  }
  const { hosts, ingress } = spec.expose;
  return [{ type: TYPE, ...describe(state, { hosts, ingress: ingress.name }) }];
}

function pickStated({ type, status, reason, message }: StatedCondition): StatedCondition {
  return { type, status, reason, message };
}

/** `status.url`: the public one while the routes are served, else `inside`; while that is not known, the one of before. */
export function chooseUrl(
  { spec, status }: WebApp,
  readState: () => ExposeState,
  inside: string,
): string {
  if (spec.expose === undefined) return inside;
  const state = readState();
  if (state.kind === 'attached') return state.url ?? inside;
  const isOpen = OPEN.has(state.kind);
  const { url = inside } = status ?? {};
  return isOpen && dropPort(url) !== dropPort(inside) ? url : inside;
}

/** `status.url` while the Service may still have the port of before: a public one of routes that are gone is replaced. */
export function correctUrl(
  object: WebApp,
  readState: () => ExposeState,
  inside: string,
): string | undefined {
  const { url } = object.status ?? {};
  if (url === undefined) return undefined;
  const chosen = chooseUrl(object, readState, inside);
  return dropPort(chosen) === dropPort(url) ? url : chosen;
}

/** Nothing follows from these for what the load balancer does. */
const OPEN: ReadonlySet<ExposeState['kind']> = new Set(['unknown', 'unserved', 'pending']);

function dropPort(url: string): string {
  return url.replace(/:\d+$/, '');
}

interface Asked {
  readonly hosts: readonly string[];
  readonly ingress: string;
}

function describe(state: ExposeState, asked: Asked): Omit<StatedCondition, 'type'> {
  if (state.kind === 'refused') {
    return { status: 'False', reason: state.reason, message: explainRefusal(state) };
  }
  if (state.kind === 'failed') {
    const { reason } = state;
    const message = `AWS does not take the routes: ${reason}; docs/reasons.md has the cause and the next action`;
    return { status: 'False', reason, message };
  }
  return describePlain(state.kind, asked);
}

type Plain = Exclude<ExposeState, { readonly reason: string }>['kind'];

function describePlain(kind: Plain, { hosts, ingress }: Asked): Omit<StatedCondition, 'type'> {
  const texts: Readonly<Record<Plain, Omit<StatedCondition, 'type'>>> = {
    attached: {
      ...{ status: 'True', reason: 'Attached' },
      message: `MyIngress ${ingress} sends requests for ${hosts.join(', ')} here`,
    },
    pending: {
      ...{ status: 'Unknown', reason: 'Attaching' },
      message: `MyIngress ${ingress} has not applied the routes yet`,
    },
    waiting: {
      ...{ status: 'Unknown', reason: 'LoadBalancerNotActive' },
      message: `the load balancer of MyIngress ${ingress} is not active; the condition Ready of that object says why`,
    },
    unknown: {
      ...{ status: 'Unknown', reason: 'ExposureUnknown' },
      message: 'no controller of MyIngress is at work in this operator yet',
    },
    unserved: {
      ...{ status: 'Unknown', reason: 'ExposureUnknown' },
      message: 'this operator serves no MyIngress; add myingress to its ALBRIDGE_KINDS',
    },
    missing: {
      ...{ status: 'False', reason: 'IngressNotFound' },
      message: `there is no MyIngress ${ingress} in this namespace; create it, or correct spec.expose.ingress`,
    },
    unwatched: {
      ...{ status: 'False', reason: 'NamespaceNotWatched' },
      message: 'this installation of albridge does not watch the namespace in spec.expose.ingress',
    },
    deleting: {
      ...{ status: 'False', reason: 'IngressDeleting' },
      message: `MyIngress ${ingress} is being deleted, and its load balancer with it`,
    },
  };
  return texts[kind];
}

function explainRefusal({
  reason,
  claim = '',
}: ExposeState & { readonly kind: 'refused' }): string {
  const texts: Readonly<Record<string, string>> = {
    HostAndPathTaken: `${claim} is taken; choose another host or path`,
    NotAllowed:
      'the MyIngress does not exist or does not allow this namespace; its owner allows it in spec.allowedNamespaces',
    NamespacesUnknown: 'the labels of namespaces are not read, by which the MyIngress selects',
    NoListener:
      'the MyIngress has no listener that takes the routes; correct spec.expose.listener, or add the listener to the MyIngress',
    RuleQuotaReached:
      'the load balancer has 100 rules, as many as its quota allows; name another MyIngress',
  };
  return texts[reason] ?? reason;
}
