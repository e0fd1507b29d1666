import type { MyIngressSpec } from '../../../src/apis/my-ingress.ts';
import type { Request } from '../../../src/routing/rule.ts';
import {
  type Answer,
  CLOSED,
  describeForward,
  describeRedirect,
  describeResponse,
  describeRewrite,
  type RedirectParts,
  type ResponseParts,
  type RewriteParts,
} from './answer.ts';

export type TrafficSpec = Pick<
  MyIngressSpec,
  'backends' | 'listeners' | 'rules' | 'defaultAction' | 'inbound'
>;

export type RuleSpec = NonNullable<TrafficSpec['rules']>[number];
type HeaderSpec = NonNullable<RuleSpec['headers']>[number];
export type ListenerSpec = NonNullable<TrafficSpec['listeners']>[number];

interface ActionSpec {
  readonly forward?: readonly { readonly backend?: string; readonly weight?: number }[];
  readonly redirect?: RedirectParts;
  readonly fixedResponse?: ResponseParts;
  readonly rewrite?: RewriteParts;
}

/**
 * What a spec asks for, read without any of the code that carries it out: docs/myingress.md, section
 * "Traffic", in a few lines.
 */
export function answerBySpec(spec: TrafficSpec, request: Request): Answer {
  const listener = listListeners(spec).find(({ port }) => port === request.port);
  if (listener === undefined) return CLOSED;
  const rule = listRules(spec, request.port).find((one) => meets(one, request));
  if (rule !== undefined) return { by: rule.name, action: describeAction(rule) };
  return { by: 'default', action: describeDefault(spec, listener) };
}

/** With the one that backends get which have none. */
export function listListeners({ listeners, backends = [] }: TrafficSpec): readonly ListenerSpec[] {
  return listeners ?? (backends.length === 0 ? [] : [{ port: 80, protocol: 'HTTP' }]);
}

/** Of one listener, in the order of evaluation. */
export function listRules(spec: TrafficSpec, port: number): readonly RuleSpec[] {
  const listener = listListeners(spec).find((one) => one.port === port);
  if (listener === undefined || listener.redirectToHTTPS === true) return [];
  return (spec.rules ?? []).filter(({ listeners }) => listeners?.includes(port) ?? true);
}

/** Whether all conditions of the rule hold. */
export function meets(rule: RuleSpec, request: Request): boolean {
  const { hosts, paths, methods, headers = [] } = rule;
  const holds = [
    hosts?.some((host) => fits(host.toLowerCase(), request.host)),
    paths?.some((path) => fits(path, request.path)),
    methods?.includes(request.method),
    headers.every((header) => hasHeader(header, request)),
  ];
  return holds.every((one) => one ?? true);
}

/** The patterns are those of the generator. */
function hasHeader({ name, values = [], regex }: HeaderSpec, { headers }: Request): boolean {
  const sent = headers.filter(([has]) => has.toLowerCase() === name.toLowerCase());
  return sent.some(([, text]) => {
    if (regex !== undefined) return new RegExp(regex).test(text);
    return values.some((value) => fits(value.toLowerCase(), text.toLowerCase()));
  });
}

export function describeAction(action: ActionSpec): string {
  const { forward = [], redirect, fixedResponse, rewrite = {} } = action;
  if (redirect !== undefined) return describeRedirect(redirect);
  if (fixedResponse !== undefined) return describeResponse(fixedResponse);
  const shares = forward.map(({ backend = '', weight = 1 }) => ({ backend, weight }));
  return `${describeForward(shares)}${describeRewrite(rewrite)}`;
}

export function describeDefault(spec: TrafficSpec, listener: ListenerSpec): string {
  if (listener.redirectToHTTPS === true) {
    const port = portOfHttps(spec);
    return describeRedirect({ statusCode: 301, protocol: 'HTTPS', port });
  }
  const action = listener.defaultAction ?? spec.defaultAction;
  if (action !== undefined) return describeAction(action);
  const [only, second] = spec.backends ?? [];
  if (only === undefined || second !== undefined) return describeResponse({ statusCode: 404 });
  return describeForward([{ backend: only.name, weight: 1 }]);
}

/** Names of the backends that some action sends requests to. */
export function listAsked(spec: TrafficSpec): ReadonlySet<string> {
  const actions = listListeners(spec).flatMap((listener) => [
    defaultOf(spec, listener),
    ...listRules(spec, listener.port),
  ]);
  const shares = actions.flatMap((action) => action?.forward ?? []);
  const taking = shares.filter(({ weight = 1 }) => weight > 0);
  return new Set(taking.flatMap(({ backend }) => backend ?? []));
}

function defaultOf(spec: TrafficSpec, listener: ListenerSpec): ActionSpec | undefined {
  if (listener.redirectToHTTPS === true) return undefined;
  const [only, second] = spec.backends ?? [];
  const isOnly = only !== undefined && second === undefined;
  const implied = isOnly ? { forward: [{ backend: only.name }] } : undefined;
  return listener.defaultAction ?? spec.defaultAction ?? implied;
}

/** 443, or where no such listener is there the lowest one. */
function portOfHttps(spec: TrafficSpec): number {
  const secure = listListeners(spec).filter(({ protocol }) => protocol === 'HTTPS');
  const ports = secure.map(({ port }) => port);
  return ports.includes(443) ? 443 : Math.min(...ports);
}

/** `*` stands for any number of characters, `?` for one. */
function fits(pattern: string, text: string): boolean {
  const source = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
  return new RegExp(`^${source.replaceAll('?', '.')}$`).test(text);
}
