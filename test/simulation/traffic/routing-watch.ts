import type { AwsWorld } from '../../../localstack/embedded/aws-world.ts';
import type { Request } from '../../../src/routing/rule.ts';
import type { Report } from '../violation.ts';
import type { Claims } from './claims.ts';
import { Course, judgeAnswer, WINDOW_MS } from './course.ts';
import { describeDeadRedirect } from './dead-redirects.ts';
import { describeProbe, listProbes } from './probes.ts';
import { backendIn, resourceIdOf } from './resources.ts';
import { listListeners, type TrafficSpec } from './spec-answers.ts';
import { answerByState, type RoutingState } from './state-answers.ts';

export interface RoutingWatchParts {
  readonly world: AwsWorld;
  readonly claims: Claims;
  readonly nowMs: () => number;
  /** Whether every listener and rule is as the spec says, and no other is left. */
  readonly isAsDesired: (key: string, spec: TrafficSpec) => boolean;
  /** Whether no other spec of the object was in force lately. */
  readonly isAlone: (key: string) => boolean;
  readonly report: Report;
}

/**
 * Asks the same requests of every balancer after each change: a request is answered as before the edit
 * that is under way, or as after it, also by a data plane that lets go sooner than it takes over.
 */
export class RoutingWatch {
  readonly #parts: RoutingWatchParts;
  readonly #courses = new Map<string, Course>();

  constructor(parts: RoutingWatchParts) {
    this.#parts = parts;
  }

  edited(key: string, spec: TrafficSpec): void {
    this.#courseOf(key).edit(spec, this.#parts.nowMs());
  }

  /** Others have changed where requests of this object go, or it goes itself. */
  lost(key: string): void {
    this.#courses.get(key)?.lose();
  }

  /** Call after each write of the operator to a balancer of this object. */
  changed(key: string, { spec, arn }: { readonly spec: TrafficSpec; readonly arn: string }): void {
    const state = this.#stateOf(arn);
    const course = this.#courseOf(key);
    const nowMs = this.#parts.nowMs();
    this.#judge(key, state, course.specs(nowMs));
    this.#judgeRedirects(key, state, course.specs(nowMs));
    this.#judge(key, this.#lateView(state), course.specsLately(nowMs));
    if (this.#parts.isAsDesired(key, spec)) course.settle(spec, nowMs, this.#parts.isAlone(key));
    else course.unsettle();
  }

  #judge(key: string, state: RoutingState, specs: readonly TrafficSpec[] | undefined): void {
    for (const request of specs === undefined ? [] : probesOf(specs)) {
      const answer = answerByState(state, request);
      if (answer.by.startsWith('arn:')) continue;
      const difference = judgeAnswer(specs ?? [], request, answer);
      if (difference === undefined) continue;
      const what = `${key}: ${describeProbe(request)} is answered by ${difference}`;
      return this.#parts.report('routes-as-before-or-after', what);
    }
  }

  #judgeRedirects(key: string, state: RoutingState, specs: readonly TrafficSpec[] = []): void {
    const dead = describeDeadRedirect(state, specs);
    if (dead !== undefined) this.#parts.report('redirects-lead-somewhere', `${key}: ${dead}`);
  }

  /** What is gone is gone at once; what is new or has changed is as it was a window ago. */
  #lateView(state: RoutingState): RoutingState {
    const { world } = this.#parts;
    const past = world.traffic.rules.asOf(world.clock.now() - WINDOW_MS);
    return {
      ...state,
      rulesOf: (arn) => state.rulesOf(arn).flatMap((rule) => past.byArn(rule.arn) ?? []),
    };
  }

  #stateOf(balancerArn: string): RoutingState {
    const { world, claims } = this.#parts;
    const { listeners, rules, targetGroups } = world.traffic;
    const backendOf = (arn: string): string => {
      const group = targetGroups.byArn(arn);
      return (group && backendIn(resourceIdOf(group))) || arn;
    };
    return {
      listeners: listeners.byKey(balancerArn),
      rulesOf: (arn) => rules.byKey(arn),
      backendOf,
      isOurs: (rule) => claims.ownerOf(rule) !== undefined,
    };
  }

  #courseOf(key: string): Course {
    const course = this.#courses.get(key) ?? new Course();
    this.#courses.set(key, course);
    return course;
  }
}

function probesOf(specs: readonly TrafficSpec[]): readonly Request[] {
  return listProbes(specs.flatMap((spec) => listListeners(spec).map(({ port }) => port)));
}
