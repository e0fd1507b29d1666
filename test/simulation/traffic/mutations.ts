import type { Mutation } from '../mutation.ts';

/** Bugs about listeners, rules, target groups, targets and security groups. */
export const TRAFFIC_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'ready-target-deregistered': {
    file: 'controllers/targets/registrations.ts',
    find: 'return listWithout(this.#possible, desired);',
    replace:
      'return desired.size > 2 ? [...this.#possible.values()].slice(0, 1) : listWithout(this.#possible, desired);',
    why: 'a pod that serves gets no requests',
    seed: 35,
  },
  'unready-pod-registered': {
    file: 'controllers/targets/transforms.ts',
    find: 'return (conditions.ready ?? true) && !conditions.terminating;',
    replace: 'return !conditions.terminating;',
    why: 'requests are sent to pods that do not serve',
    seed: 13,
  },
  'terminating-pod-kept': {
    file: 'controllers/targets/transforms.ts',
    find: 'return (conditions.ready ?? true) && !conditions.terminating;',
    replace: 'return (conditions.ready ?? true) || conditions.terminating === true;',
    why: 'requests are sent to pods that are on their way out',
    seed: 131,
  },
  'rule-recreated': {
    file: 'controllers/my-ingress/rules/diff.ts',
    find: "...{ id, operation: 'ModifyRule', why: why.join('; ') },",
    replace: "...{ id, operation: 'DeleteRule' as 'ModifyRule', why: why.join('; ') },",
    why: 'while a rule is changed its requests find none',
    seed: 35,
  },
  'one-priority-for-all': {
    file: 'controllers/my-ingress/rules/priorities.ts',
    find: 'last = firstFree(last + GAP, taken);',
    replace: 'last = GAP;',
    why: 'AWS takes the first rule and refuses the others',
    seed: 29,
  },
  'order-ignored': {
    file: 'controllers/my-ingress/rules/priorities.ts',
    find: 'if (before <= after) return undefined;',
    replace:
      'if (before <= after) return Array.from({ length: count }, () => firstFree(after + 1, taken));',
    why: 'the rules are evaluated in another order than the spec has',
    seed: 35,
  },
  'group-deleted-at-once': {
    file: 'controllers/my-ingress/target-groups/retirement.ts',
    find: 'const dueMs = sinceMs + Math.max(WINDOW_MS, seconds * 1000);',
    replace: 'const dueMs = sinceMs + 0 * Math.max(WINDOW_MS, seconds * 1000);',
    why: 'requests that still arrive, and those in flight, are cut off',
    seed: 67,
  },
  'finalizer-before-groups': {
    file: 'controllers/my-ingress/finalize.ts',
    find: 'if (left !== undefined) return left;',
    replace: '',
    why: 'the object goes while its security group is held by network interfaces, and nobody deletes it',
    seed: 160,
  },
  'deregistered-before-registered': {
    file: 'controllers/targets/flush-plan.ts',
    find: `const deregister = known.filter((target) => keptUntilMs(target) <= nowMs);
  const kept = known.map(keptUntilMs).filter((untilMs) => untilMs > nowMs);
  return { register, deregister,`,
    replace: `const deregister = targets.size > 0 ? known : known.filter((target) => keptUntilMs(target) <= nowMs);
  const kept = targets.size > 0 ? [] : known.map(keptUntilMs).filter((untilMs) => untilMs > nowMs);
  return { register: deregister.length > 0 ? [] : register, deregister,`,
    why: 'while pods are replaced the group is empty, and requests get 503',
    seed: 3,
  },
  'routed-before-filled': {
    file: 'controllers/my-ingress/traffic/carry-out.ts',
    find: 'if (index === routingFrom) await run.prepareRouting();',
    replace: '',
    why: 'requests are sent to a group that has no target yet',
    seed: 3,
  },
  'tag-proof-forgotten': {
    file: 'controllers/my-ingress/traffic/carry-out.ts',
    find: 'const foreign = proofs.filter((proof) => !isOwn(proof.tags, identity));',
    replace:
      'const foreign = proofs.filter((proof) => !isOwn(proof.tags, identity)).slice(proofs.length);',
    why: 'targets are registered in the group of somebody else, with which AWS has answered our create',
    seed: 11,
  },
  'foreign-rule-deleted': {
    file: 'controllers/my-ingress/rules/claims.ts',
    find: 'if (id === undefined) foreign.add(priority);',
    replace:
      "if (id === undefined) obsolete.push({ id: 'rule/0/spec/theirs/0', key: one.rule.arn, observed: one, priority });",
    why: 'a rule that somebody has added to our listener goes',
    seed: 75,
  },
  'foreign-rule-taken-along': {
    file: 'controllers/my-ingress/listeners/plan.ts',
    find: 'const deleted = obsolete.filter((one) => !held.includes(one));',
    replace: 'const deleted = obsolete;',
    why: 'a listener that leaves the spec takes with it the rule that somebody has added',
    seed: 75,
  },
  'default-before-rules': {
    file: 'controllers/my-ingress/listeners/plan.ts',
    find: 'transition: [...orderTransition({ observed, namesByArn, steps }), ...rules.unmarks],',
    replace: `transition: [
      ...listener.after,
      ...orderTransition({ observed, namesByArn, steps: steps.filter((step) => !listener.after.includes(step)) }),
      ...rules.unmarks,
    ],`,
    why: 'requests for which the edit has a rule are answered by the new default until it is there',
    seed: 35,
  },
  'removed-at-once': {
    file: 'controllers/my-ingress/graph/plan.ts',
    find: 'return isChanging ? WINDOW_MS : Math.max(0, facts.changedAtMs + WINDOW_MS - nowMs);',
    replace: 'return isChanging ? 0 : Math.max(0, facts.changedAtMs - nowMs);',
    why: 'AWS lets go of the old rule before it takes over the new one',
    seed: 35,
  },
  'ready-before-registered': {
    file: 'controllers/my-ingress/traffic/status.ts',
    find: 'return awaitTargets(states, nowMs) ?? outcome;',
    replace: 'return awaitTargets([], nowMs) ?? outcome;',
    why: 'whoever waits for Ready sends requests to a balancer without targets',
    seed: 43,
  },
  'port-stays-open': {
    file: 'controllers/my-ingress/security-group/diff.ts',
    find: 'removals: [...revoke(left), ...removals],',
    replace: 'removals,',
    why: 'a source that has left the spec still reaches the balancer',
    seed: 35,
  },
  'port-renamed-empties': {
    file: 'controllers/targets/flush-plan.ts',
    find: 'export const EMPTYING_GRACE_MS = 10_000;',
    replace: 'export const EMPTYING_GRACE_MS = 0;',
    why: 'a Service whose port gets another name has no targets until its slices follow',
    seed: 3,
  },
  'late-slice-trusted': {
    file: 'controllers/targets/flush-plan.ts',
    find: 'if (!late.has(target.id)) return untilMs;',
    replace: 'if (late.size >= 0) return untilMs;',
    why: 'ready pods are deregistered and registered again because their slice follows a moment later',
    seed: 259,
  },
  'empty-list-trusted': {
    file: 'controllers/targets/flush-plan.ts',
    find: 'const known = isUnknown ? [] : surplus;',
    replace: 'const known = surplus;',
    why: 'an API server that has lost its slices in an outage takes every application down',
    seed: 99,
  },
};
