import type { Mutation } from '../mutation.ts';

/** Bugs about routes that WebApps attach to a MyIngress. */
export const ATTACHING_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'older-object-takes-path': {
    file: 'controllers/my-ingress/attaching/decide.ts',
    find: 'const reserved = reserveClaims(all, holders, held);',
    replace: 'const reserved: Holders = new Map();',
    why: 'an older object that asks for the host of another one takes its requests',
    seed: 42,
  },
  'holders-forgotten-at-start': {
    file: 'controllers/my-ingress/attaching/attachments.ts',
    find: '?? recallHolders(ports, standing, recorded);',
    replace: '?? new Map();',
    why: 'after a restart the older object takes the host of another one',
    seed: 373,
  },
  'decided-by-the-first-listed': {
    file: 'controllers/my-ingress/attaching/attachments.ts',
    find: 'this.#isKnown = options.sources.length === 0;',
    replace: 'this.#isKnown = true;',
    why: 'after a restart the objects that are listed first take the hosts of the others',
    seed: 629,
  },
  'any-namespace-attaches': {
    file: 'controllers/my-ingress/attaching/namespace-labels.ts',
    find: "if (from === 'Same') return false;",
    replace: "if (from === 'Same') return true;",
    why: 'whoever is not allowed gets the requests of another team',
    seed: 10,
  },
  'unselected-stays-attached': {
    file: 'controllers/my-ingress/attaching/admission.ts',
    find: 'isAdmitted: isListed ?? recorded.has(getSource(source))',
    replace: 'isAdmitted: isListed === true || recorded.has(getSource(source))',
    why: 'a namespace that may no longer attach keeps its requests',
    seed: 298,
  },
  'detached-rule-stays': {
    file: 'controllers/my-ingress/attaching/attachments.ts',
    find: 'if (before !== undefined) this.#remove(before, source);',
    replace: 'if (before !== undefined && object !== undefined) this.#remove(before, source);',
    why: 'nobody else gets the host of an object that is gone, and its requests get 503',
    seed: 10,
  },
  'ports-decided-together': {
    file: 'controllers/my-ingress/attaching/candidates.ts',
    find: 'ports.map((port) => ({ ...rule, listeners: [port] }))',
    replace: '[rule]',
    why: 'an object is served on no port where another one holds its host on one of them',
    seed: 298,
  },
  'attached-in-order-of-age': {
    file: 'controllers/my-ingress/attaching/decide.ts',
    find: 'const accepted = clear.filter((one) => served.has(one)).toSorted(compareEvaluation);',
    replace: 'const accepted = clear.filter((one) => served.has(one));',
    why: 'the pattern of one object takes the requests for the exact host of another one',
    seed: 10,
  },
  'exposed-not-followed': {
    file: 'controllers/my-ingress/attaching/attachments.ts',
    find: 'this.#onState?.(object);',
    replace: '',
    why: 'a WebApp goes on saying what was so before',
    seed: 10,
  },
  'attached-to-the-first': {
    file: 'controllers/my-ingress/routes/read-routes.ts',
    find: '.map(({ rule, source }) => readRule(rule, { ...context, source })),',
    replace: `.map(({ rule, source }, _at, [first = { rule, source }]) => ({
        ...readRule(rule, { ...context, source }),
        action: readRule(first.rule, { ...context, source: first.source }).action,
      })),`,
    why: 'the requests for the hosts of one object are sent to the pods of another one',
    seed: 10,
  },
  'attached-drains-at-once': {
    file: 'controllers/my-ingress/routes/read-routes.ts',
    find: '    service: { ...route.service, namespace },',
    replace: `    service: { ...route.service, namespace },
    attributes: { ...route.attributes, 'deregistration_delay.timeout_seconds': '0' },`,
    why: 'requests in flight to a pod of an attached object are cut off when it leaves',
    seed: 10,
  },
};
