import type { Mutation } from '../mutation.ts';

/** Bugs about listeners, rules, target groups, targets and security groups. */
export const TRAFFIC_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'ready-target-deregistered': {
    file: 'controllers/targets/registrations.ts',
    find: 'return listWithout(this.#possible, desired);',
    replace:
      'return desired.size > 2 ? [...this.#possible.values()].slice(0, 1) : listWithout(this.#possible, desired);',
    why: 'a pod that serves gets no requests',
    seed: 47,
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
    seed: 61,
  },
  'rule-recreated': {
    file: 'controllers/my-ingress/rules/diff.ts',
    find: "...{ id, operation: 'ModifyRule', why: why.join('; ') },",
    replace: "...{ id, operation: 'DeleteRule' as 'ModifyRule', why: why.join('; ') },",
    why: 'while a rule is changed its requests find none',
    seed: 47,
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
    seed: 79,
  },
  'group-deleted-at-once': {
    file: 'controllers/my-ingress/target-groups/retirement.ts',
    find: 'const dueMs = sinceMs + Math.max(WINDOW_MS, seconds * 1000);',
    replace: 'const dueMs = sinceMs + 0 * Math.max(WINDOW_MS, seconds * 1000);',
    why: 'requests that still arrive, and those in flight, are cut off',
    seed: 63,
  },
  'finalizer-before-groups': {
    file: 'controllers/my-ingress/finalize.ts',
    find: 'if (left !== undefined) return left;',
    replace: '',
    why: 'the object goes while its security group is held by network interfaces, and nobody deletes it',
    seed: 31,
  },
};
