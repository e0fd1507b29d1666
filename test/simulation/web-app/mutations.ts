import type { Mutation } from '../mutation.ts';

/** Bugs about the pods and Services that WebApps and their like have made. */
export const APPLICATION_MUTATIONS: Readonly<Record<string, Mutation>> = {
  'ready-while-replacing': {
    file: 'controllers/immortal-container/replacement.ts',
    find: 'recordNow(isReady ? outcome : undefined);',
    replace: 'recordNow();',
    why: 'the pod of an object that is Ready is sent away',
    seed: 4,
  },
  'token-in-every-pod': {
    file: 'pods/pod.ts',
    find: 'automountServiceAccountToken: false,',
    replace: '',
    why: 'an image that a tenant names gets the rights of the ServiceAccount of its namespace',
    seed: 8,
  },
  'template-ignored': {
    file: 'controllers/my-app/desired-pods.ts',
    find: 'if (podTemplate === undefined) {',
    replace: 'if (podTemplate !== null) {',
    why: 'pods run without what their user gave them',
    seed: 28,
  },
  'replaced-by-scaling': {
    file: 'controllers/my-app/desired-pods.ts',
    find: '      ...metadata,\n    },',
    replace:
      '      ...metadata,\n      annotations: { replicas: String(object.spec.replicas) },\n    },',
    why: 'whoever adds a pod loses all that run',
    seed: 105,
  },
  'foreign-pod-starves-others': {
    file: 'core/children/owned-objects.ts',
    find: 'if (error instanceof OperatorError && isOfOneObject(error)) return error;\n',
    replace: '',
    why: 'one pod that cannot be created keeps all others from being created',
    seed: 154,
  },
  'service-type-ignored': {
    file: 'controllers/web-app/desired.ts',
    find: 'ports, ...(type && { type }) },',
    replace: 'ports },',
    why: 'an application is not reached at the load balancer that its user asked for',
    seed: 2,
  },
  'gone-owner-served': {
    file: 'core/controller/lifecycle.ts',
    find: 'if (deps.writes.isMissing(object)) {',
    replace: 'if (deps.writes.size < 0) {',
    why: 'pods start again and again for an application that was deleted behind a silent watch',
    seed: 830,
  },
};
