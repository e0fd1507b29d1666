import type { Draft, RuleTable } from './rule-case.ts';

const image = 'nginx:1.25';

function withImage(text: string): Draft {
  return { spec: { image: text } };
}

function named(name: string): Draft {
  return { name, spec: { image } };
}

interface Exposing {
  readonly ingress?: object;
  readonly hosts?: readonly string[];
  readonly paths?: readonly string[];
  readonly listener?: number;
}

function withExpose(expose: Exposing): object {
  return { image, expose: { ingress: { name: 'shared' }, hosts: ['shop.example.com'], ...expose } };
}

function exposed(expose: Exposing): Draft {
  return { spec: { ...withExpose(expose) } };
}

/** Judged in memory and by a real API server. */
export const webAppCases: RuleTable = {
  'spec.expose.hosts[]: is not a host': {
    accepts: {
      'a name and a pattern': {
        why: 'AWS takes both',
        object: exposed({ hosts: ['shop.example.com', '*.example.org'] }),
      },
    },
    rejects: {
      'no dot': { why: 'a name of the cluster', object: exposed({ hosts: ['shop'] }) },
      'every host': { why: 'that of all others too', object: exposed({ hosts: ['*'] }) },
    },
  },
  'spec.expose.paths[]: is not a path': {
    accepts: {
      'a path and a pattern': { why: 'AWS takes both', object: exposed({ paths: ['/a', '/b/*'] }) },
    },
    rejects: { 'no slash': { why: 'it matches nothing', object: exposed({ paths: ['shop'] }) } },
  },
  'root: spec is missing': {
    accepts: {
      'an object with a spec': { why: 'it says what is wanted', object: withImage(image) },
      'a stored object without one': {
        why: 'a status write must not be refused',
        old: {},
        object: {},
        isOlderThanRules: true,
      },
      'a stored object that gets one': {
        why: 'the repair',
        old: {},
        object: withImage(image),
        isOlderThanRules: true,
      },
    },
    rejects: {
      'a new object without a spec': {
        why: "the article's CRD let it in, and its operator looped on it",
        object: {},
      },
      'an object that loses its spec': {
        why: 'albridge would no longer know what to keep',
        old: withImage(image),
        object: {},
      },
    },
  },
  'root: name becomes that of a Service': {
    accepts: {
      'the name of the article': { why: 'it applies as written', object: named('demo-app') },
      'a single letter': { why: 'the least', object: named('a') },
      '63 characters': { why: 'the most', object: named('a'.repeat(63)) },
      'digits and hyphens behind a letter': { why: 'allowed', object: named('a-1-b2') },
      'an update of a stored object with another name': {
        why: 'a status write must not be refused',
        old: named('1.stored'),
        object: named('1.stored'),
        isOlderThanRules: true,
      },
    },
    rejects: {
      '64 characters': { why: 'one too many', object: named('a'.repeat(64)) },
      'a dot': { why: 'a Service name is one label', object: named('shop.example.com') },
      'a digit first': { why: 'a Service name begins with a letter', object: named('1shop') },
    },
  },
  'spec.image: holds a blank': {
    accepts: {
      'a name with a tag': { why: 'the usual', object: withImage(image) },
      'a name with registry, port and digest': {
        why: 'the longest form',
        object: withImage(`registry.example.com:5000/shop/web@sha256:${'a'.repeat(64)}`),
      },
    },
    rejects: {
      'a blank behind': { why: 'pasted with one', object: withImage('nginx ') },
      'a line break': { why: 'pasted with one', object: withImage('nginx\n') },
      'a blank alone': { why: 'an unfilled template', object: withImage(' ') },
    },
  },
};

/** Refused by the schema itself, before any rule. */
export const webAppFaults: Readonly<
  Record<string, { readonly why: string; readonly spec: object; readonly says: string }>
> = {
  'no image': { why: 'there is no default', spec: {}, says: 'spec.image: Required value' },
  'an empty image': {
    why: 'an unfilled template',
    spec: { image: '' },
    says: 'spec.image in body should be at least 1 chars long',
  },
  'a number of pods below zero': {
    why: 'nothing to run',
    spec: { image, replicas: -1 },
    says: 'spec.replicas in body should be greater than or equal to 0',
  },
  'half a pod': { why: 'pods are whole', spec: { image, replicas: 1.5 }, says: 'spec.replicas' },
  'more pods than a cluster holds': {
    why: 'a slip of the finger',
    spec: { image, replicas: 150_001 },
    says: 'spec.replicas in body should be less than or equal to 150000',
  },
  'port 0': {
    why: 'no port',
    spec: { image, port: 0 },
    says: 'spec.port in body should be greater than or equal to 1',
  },
  'port 65536': {
    why: 'one too many',
    spec: { image, port: 65_536 },
    says: 'spec.port in body should be less than or equal to 65535',
  },
  'a port in words': {
    why: 'a Service may have named ports, this field not',
    spec: { image, port: 'http' },
    says: 'spec.port in body must be of type integer',
  },
  'an exposure without a MyIngress': {
    why: 'there is no default one',
    spec: { image, expose: { hosts: ['shop.example.com'] } },
    says: 'spec.expose.ingress: Required value',
  },
  'an exposure to a MyIngress without a name': {
    why: 'a namespace may have several',
    spec: withExpose({ ingress: { namespace: 'platform' } }),
    says: 'spec.expose.ingress.name: Required value',
  },
  'an exposure without hosts': {
    why: 'it would take every host of the load balancer',
    spec: { image, expose: { ingress: { name: 'shared' } } },
    says: 'spec.expose.hosts: Required value',
  },
  'an exposure with an empty list of hosts': {
    why: 'the same',
    spec: withExpose({ hosts: [] }),
    says: 'spec.expose.hosts in body should have at least 1 items',
  },
  'six hosts': {
    why: 'one application must not take the quota of all',
    spec: withExpose({ hosts: Array.from({ length: 6 }, (_, at) => `h${at}.example.com`) }),
    says: 'spec.expose.hosts: Too many: 6: must have at most 5 items',
  },
  'one host twice': {
    why: 'AWS refuses the rule',
    spec: withExpose({ hosts: ['a.example.com', 'a.example.com'] }),
    says: 'spec.expose.hosts[1]: Duplicate value: "a.example.com"',
  },
  'six paths': {
    why: 'as of hosts',
    spec: withExpose({ paths: Array.from({ length: 6 }, (_, at) => `/${at}`) }),
    says: 'spec.expose.paths: Too many: 6: must have at most 5 items',
  },
  'an empty list of paths': {
    why: 'all paths are no list',
    spec: withExpose({ paths: [] }),
    says: 'spec.expose.paths in body should have at least 1 items',
  },
  'a listener on port 0': {
    why: 'no port',
    spec: withExpose({ listener: 0 }),
    says: 'spec.expose.listener in body should be greater than or equal to 1',
  },
  'a Service of another type': {
    why: 'it would have no pods behind it',
    spec: { image, service: { type: 'ExternalName' } },
    says: 'spec.service.type: Unsupported value: "ExternalName"',
  },
  'port 0 of the Service': {
    why: 'no port',
    spec: { image, service: { port: 0 } },
    says: 'spec.service.port in body should be greater than or equal to 1',
  },
  'too many annotations of the Service': {
    why: 'a hostile object must not fill the memory of the operator',
    spec: {
      image,
      service: { annotations: Object.fromEntries(Array.from('abcdefghijklmnopq', (k) => [k, ''])) },
    },
    says: 'spec.service.annotations: Too many: 17: must have at most 16 items',
  },
  'an annotation of the Service that is too long': {
    why: 'the same',
    spec: { image, service: { annotations: { a: 'x'.repeat(1025) } } },
    says: 'spec.service.annotations.a: Too long: may not be more than 1024 bytes',
  },
  'a container of a template without a name': {
    why: 'containers are merged by name',
    spec: { image, podTemplate: { spec: { containers: [{ tty: true }] } } },
    says: 'spec.podTemplate.spec.containers[0].name: Required value',
  },
  'two containers of one name': {
    why: 'one of them would be lost',
    spec: { image, podTemplate: { spec: { containers: [{ name: 'a' }, { name: 'a' }] } } },
    says: 'spec.podTemplate.spec.containers[1]: Duplicate value: {"name":"a"}',
  },
  'too many containers': {
    why: 'a hostile object must not fill the memory of the operator',
    spec: {
      image,
      podTemplate: {
        spec: { containers: Array.from({ length: 17 }, (_, at) => ({ name: `c${at}` })) },
      },
    },
    says: 'spec.podTemplate.spec.containers: Too many: 17: must have at most 16 items',
  },
  'a template with a name': {
    why: 'a typing error must not be dropped silently',
    spec: { image, podTemplate: { metadata: { name: 'x' } } },
    says: 'unknown field "spec.podTemplate.metadata.name"',
  },
  'an unknown field': {
    why: 'a typing error must not be dropped silently',
    spec: { image, replica: 3 },
    says: 'unknown field "spec.replica"',
  },
};
