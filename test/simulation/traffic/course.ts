import { isDeepStrictEqual } from 'node:util';
import type { Request } from '../../../src/routing/rule.ts';
import type { Answer } from './answer.ts';
import {
  answerBySpec,
  describeAction,
  describeDefault,
  listListeners,
  listRules,
  meets,
  type RuleSpec,
  type TrafficSpec,
} from './spec-answers.ts';

/**
 * AWS's data plane takes changes of rules in windows of about 10 s.
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/pull/4039
 */
export const WINDOW_MS = 10_000;

interface Past {
  readonly spec: TrafficSpec;
  readonly untilMs: number;
}

/** The specs on the way from the last state that was as desired to the newest spec. */
export class Course {
  /** Empty until AWS has once been as desired: while things are made for the first time nothing holds. */
  #known: readonly TrafficSpec[] = [];
  #past: readonly Past[] = [];
  /** Since when something holds. */
  #knownSinceMs = 0;

  /** undefined: nothing is promised now. */
  get specs(): readonly TrafficSpec[] | undefined {
    return this.#known.length === 0 ? undefined : this.#known;
  }

  /** The same for a data plane that is as old as a window. */
  specsLately(nowMs: number): readonly TrafficSpec[] | undefined {
    if (this.#known.length === 0 || nowMs < this.#knownSinceMs + WINDOW_MS) return undefined;
    const late = this.#past.filter(({ untilMs }) => untilMs >= nowMs - WINDOW_MS);
    return [...late.map(({ spec }) => spec), ...this.#known];
  }

  edit(spec: TrafficSpec): void {
    if (this.#known.length > 0) this.#known = [...this.#known, spec];
  }

  /** AWS is as the newest spec desires. */
  settle(spec: TrafficSpec, nowMs: number): void {
    if (this.#known.length === 0) this.#knownSinceMs = nowMs;
    const left = this.#known.filter((one) => one !== spec);
    this.#past = [
      ...this.#past.filter(({ untilMs }) => untilMs >= nowMs - WINDOW_MS),
      ...left.map((one) => ({ spec: one, untilMs: nowMs })),
    ];
    this.#known = [spec];
  }

  /** Somebody else has changed where requests go. */
  lose(): void {
    this.#known = [];
    this.#past = [];
  }
}

/** What is wrong with this answer on the way through these specs; undefined: nothing. */
export function judgeAnswer(
  specs: readonly TrafficSpec[],
  request: Request,
  answer: Answer,
): string | undefined {
  const desired = specs.map((spec) => answerBySpec(spec, request));
  if (desired.some(({ action }) => action === answer.action)) return undefined;
  // Where a listener comes or goes, so do its rules.
  if (desired.some(({ by }) => by === 'closed')) return undefined;
  const expected = [...new Set(desired.map(({ action }) => action))].join(' or ');
  const difference = `${answer.action} by ${answer.by}, desired ${expected}`;
  if (isSteady(specs)) return difference;
  if (answer.by === 'closed') return difference;
  if (answer.by === 'default' && hasLastingRule(specs, request)) return difference;
  return listPossible(specs, request, desired).includes(answer.action) ? undefined : difference;
}

/** One edit after which each rule of both specs has its conditions and its place. */
function isSteady(specs: readonly TrafficSpec[]): boolean {
  const [before, after] = specs;
  if (before === undefined || specs.length > 2) return false;
  if (after === undefined) return true;
  if (!isDeepStrictEqual(listListeners(before), listListeners(after))) return false;
  const common = (spec: TrafficSpec, other: TrafficSpec): readonly unknown[] => {
    const names = new Set((other.rules ?? []).map(({ name }) => name));
    return (spec.rules ?? []).filter(({ name }) => names.has(name)).map(describePlace);
  };
  return isDeepStrictEqual(common(before, after), common(after, before));
}

function describePlace({ name, hosts, paths, methods, listeners }: RuleSpec): unknown {
  return { name, hosts, paths, methods, listeners };
}

/** Whether a rule of this name fits the request in every one of the specs: it must never be missing. */
function hasLastingRule(specs: readonly TrafficSpec[], request: Request): boolean {
  const [first, ...others] = specs.map((spec) =>
    listRules(spec, request.port)
      .filter((rule) => meets(rule, request))
      .map(({ name }) => name),
  );
  return (first ?? []).some((name) => others.every((names) => names.includes(name)));
}

/** What any of the specs has a rule of the request do, or all requests without one. */
function listPossible(
  specs: readonly TrafficSpec[],
  request: Request,
  desired: readonly Answer[],
): readonly string[] {
  const all = specs.flatMap((spec) => listRules(spec, request.port));
  const names = new Set(all.filter((rule) => meets(rule, request)).map(({ name }) => name));
  const byRules = all.filter(({ name }) => names.has(name)).map((rule) => describeAction(rule));
  const byDefault = specs.flatMap((spec) => {
    const listener = listListeners(spec).find(({ port }) => port === request.port);
    return listener === undefined ? [] : [describeDefault(spec, listener)];
  });
  const mayMiss = desired.some(({ by }) => by === 'default') || !hasLastingRule(specs, request);
  return [...byRules, ...(mayMiss ? byDefault : [])];
}
