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

/** A pass that began with the spec before may still be under way: a process is frozen for 40 s at most. */
export const PASS_MS = 45_000;

interface Stage {
  readonly spec: TrafficSpec;
  /** When another spec took its place. */
  readonly untilMs: number;
}

/** The specs on the way from the last state that was as desired to the newest spec. */
export class Course {
  /** Empty until AWS has once been as desired: while things are made for the first time nothing holds. */
  #stages: readonly Stage[] = [];
  #past: readonly Stage[] = [];
  /** Since when something holds. */
  #sinceMs = 0;
  #isSettled = false;
  /** Since when AWS is as the newest spec desires. */
  #settledMs = 0;

  /** undefined: nothing is promised now. */
  specs(nowMs: number): readonly TrafficSpec[] | undefined {
    this.#prune(nowMs);
    return this.#stages.length === 0 ? undefined : this.#stages.map(({ spec }) => spec);
  }

  /** The same for a data plane that is as old as a window. */
  specsLately(nowMs: number): readonly TrafficSpec[] | undefined {
    const specs = this.specs(nowMs);
    if (specs === undefined || nowMs < this.#sinceMs + WINDOW_MS) return undefined;
    return [...this.#past.map(({ spec }) => spec), ...specs];
  }

  edit(spec: TrafficSpec, nowMs: number): void {
    this.#prune(nowMs);
    this.#isSettled = false;
    if (this.#stages.length === 0) return;
    const ended = this.#stages.map((one) => ({ ...one, untilMs: Math.min(one.untilMs, nowMs) }));
    this.#stages = [...ended, { spec, untilMs: Number.POSITIVE_INFINITY }];
  }

  /** AWS is as the newest spec desires; `isAlone`: no other one was in force lately. */
  settle(spec: TrafficSpec, nowMs: number, isAlone: boolean): void {
    if (!this.#isSettled) this.#settledMs = nowMs;
    this.#isSettled = true;
    if (this.#stages.length > 0 || !isAlone) return;
    this.#sinceMs = nowMs;
    this.#stages = [{ spec, untilMs: Number.POSITIVE_INFINITY }];
  }

  /** A write has led away from the newest spec again, or not yet to it. */
  unsettle(): void {
    this.#isSettled = false;
  }

  /** Somebody else has changed where requests go. */
  lose(): void {
    this.#stages = [];
    this.#past = [];
  }

  #prune(nowMs: number): void {
    const isRecent = ({ untilMs }: Stage): boolean => untilMs >= nowMs - WINDOW_MS;
    this.#past = this.#past.filter(isRecent);
    if (!this.#isSettled) return;
    const over = this.#stages.filter(({ untilMs }) => untilMs < nowMs - PASS_MS);
    this.#stages = this.#stages.filter((one) => !over.includes(one));
    const ended = over.map(({ spec, untilMs }) => {
      return { spec, untilMs: Math.max(untilMs, this.#settledMs) };
    });
    this.#past = [...this.#past, ...ended].filter(isRecent);
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

function describePlace(rule: RuleSpec): unknown {
  const { name, hosts, paths, methods, headers, listeners } = rule;
  return { name, hosts, paths, methods, headers, listeners };
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
