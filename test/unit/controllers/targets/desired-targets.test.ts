import { describe, expect, it } from 'vitest';
import {
  type BackendService,
  desireTargets,
  type Endpoints,
} from '../../../../src/controllers/targets/desired-targets.ts';
import {
  chooseInstances,
  type Nodes,
} from '../../../../src/controllers/targets/instances/instances.ts';
import {
  type TrimmedNode,
  trimNode,
} from '../../../../src/controllers/targets/instances/trimmed-node.ts';
import {
  type TrimmedEndpointSlice,
  type TrimmedService,
  trimEndpointSlice,
  trimService,
} from '../../../../src/controllers/targets/transforms.ts';
import {
  draftService,
  draftSlice,
  endpointOf as endpoint,
  HTTP_PORT,
  type ServiceDraft,
  type SliceDraft,
} from './endpoints.ts';
import { draftNode, instanceOf } from './instances/nodes.ts';

interface Case {
  readonly why: string;
  readonly service?: ServiceDraft;
  readonly slices: readonly SliceDraft[];
  readonly port?: string | number;
  readonly targets: readonly string[];
}

const conditions = (is: object): object => ({ addresses: ['10.0.0.1'], conditions: is });
const twoPorts = draftService('shop', { ports: [HTTP_PORT, { name: 'admin', port: 81 }] });

const cases: Readonly<Record<string, Case>> = {
  'a ready pod is a target': {
    why: 'the normal case',
    slices: [draftSlice('shop', [endpoint('10.0.0.1')])],
    targets: ['10.0.0.1:8080'],
  },
  'a pod that is not ready is none': {
    why: 'it does not answer',
    slices: [draftSlice('shop', [endpoint('10.0.0.1'), endpoint('10.0.0.2', 'unready')])],
    targets: ['10.0.0.1:8080'],
  },
  'a pod that is being deleted is none although it serves': {
    why: 'it goes soon, and deregistration takes time to reach the data plane',
    slices: [draftSlice('shop', [endpoint('10.0.0.1'), endpoint('10.0.0.2', 'leaving')])],
    targets: ['10.0.0.1:8080'],
  },
  'a pod that is being deleted and does not serve is none': {
    why: 'nobody listens',
    slices: [draftSlice('shop', [endpoint('10.0.0.1'), endpoint('10.0.0.2', 'gone')])],
    targets: ['10.0.0.1:8080'],
  },
  'pods that are being deleted and serve stay while no other is ready': {
    why: 'a group without targets answers 503',
    slices: [
      draftSlice('shop', [
        endpoint('10.0.0.1', 'leaving'),
        endpoint('10.0.0.2', 'unready'),
        endpoint('10.0.0.3', 'gone'),
      ]),
    ],
    targets: ['10.0.0.1:8080'],
  },
  'ready is true where it is left out': {
    why: 'the API says so',
    slices: [draftSlice('shop', [conditions({}), { addresses: ['10.0.0.2'] }])],
    targets: ['10.0.0.1:8080', '10.0.0.2:8080'],
  },
  'publishNotReadyAddresses does not make a pod that is being deleted a target': {
    why: 'ready is true there whatever the pod does',
    slices: [
      draftSlice('shop', [
        conditions({ ready: true, serving: false, terminating: true }),
        endpoint('10.0.0.2'),
      ]),
    ],
    targets: ['10.0.0.2:8080'],
  },
  'each slice has its own number for a named target port': {
    why: 'the containers differ by pod',
    slices: [
      draftSlice('shop', [endpoint('10.0.0.1')]),
      draftSlice('shop', [endpoint('10.0.0.2')], {
        suffix: 'b',
        ports: [{ name: 'http', port: 9090, protocol: 'TCP' }],
      }),
    ],
    targets: ['10.0.0.1:8080', '10.0.0.2:9090'],
  },
  'of two ports the named one counts': {
    why: 'slices name ports as the Service does',
    service: twoPorts,
    slices: [
      draftSlice('shop', [endpoint('10.0.0.1')], {
        ports: [
          { name: 'admin', port: 9000 },
          { name: 'http', port: 8080 },
        ],
      }),
    ],
    targets: ['10.0.0.1:8080'],
  },
  'a port is found by its number in the Service': {
    why: 'the number is not that of the pods',
    service: twoPorts,
    port: 81,
    slices: [
      draftSlice('shop', [endpoint('10.0.0.1')], { ports: [{ name: 'admin', port: 9000 }] }),
    ],
    targets: ['10.0.0.1:9000'],
  },
  'an only port may have no name': {
    why: 'then slices name it ""',
    service: draftService('shop', { ports: [{ port: 80 }] }),
    port: 80,
    slices: [draftSlice('shop', [endpoint('10.0.0.1')], { ports: [{ name: '', port: 8080 }] })],
    targets: ['10.0.0.1:8080'],
  },
  'UDP of the same number is another port': {
    why: 'a load balancer speaks TCP to its targets',
    service: draftService('shop', {
      ports: [
        { name: 'quic', port: 80, protocol: 'UDP' },
        { name: 'http', port: 80, protocol: 'TCP' },
      ],
    }),
    port: 80,
    slices: [
      draftSlice('shop', [endpoint('10.0.0.1')], {
        ports: [
          { name: 'quic', port: 8443, protocol: 'UDP' },
          { name: 'http', port: 8080, protocol: 'TCP' },
        ],
      }),
    ],
    targets: ['10.0.0.1:8080'],
  },
  'only the first address of an endpoint counts': {
    why: 'all of them are the same pod',
    slices: [draftSlice('shop', [{ addresses: ['10.0.0.1', '10.0.0.2'] }])],
    targets: ['10.0.0.1:8080'],
  },
  'an endpoint in two slices is one target': {
    why: 'it is moved from one to the other',
    slices: [
      draftSlice('shop', [endpoint('10.0.0.1')]),
      draftSlice('shop', [endpoint('10.0.0.1')], { suffix: 'b' }),
    ],
    targets: ['10.0.0.1:8080'],
  },
  'names and IPv6 addresses are left out': {
    why: 'the group is one of IPv4 addresses',
    slices: [
      draftSlice('shop', [endpoint('10.0.0.1')]),
      draftSlice('shop', [endpoint('fd00::1')], { suffix: 'b', addressType: 'IPv6' }),
      draftSlice('shop', [endpoint('db.example.com')], { suffix: 'c', addressType: 'FQDN' }),
    ],
    targets: ['10.0.0.1:8080'],
  },
  'a headless Service is as any other': {
    why: 'its slices are',
    service: draftService('shop', {
      clusterIP: 'None',
      ports: [HTTP_PORT],
    } as ServiceDraft['spec']),
    slices: [draftSlice('shop', [endpoint('10.0.0.1')])],
    targets: ['10.0.0.1:8080'],
  },
  'slices written by hand count': {
    why: 'a Service without a selector has no others',
    slices: [draftSlice('shop', [{ addresses: ['10.0.0.1'] }], { suffix: 'mine' })],
    targets: ['10.0.0.1:8080'],
  },
};

const backend = (port: string | number = 'http'): BackendService => ({
  service: { name: 'shop', port },
  targetType: 'ip',
  ipAddressType: 'ipv4',
});

function trimmed(
  service: ServiceDraft | undefined,
  slices: readonly SliceDraft[],
  nodes: Nodes = { kind: 'unsupported' },
): Endpoints {
  return {
    nodes,
    service: service && (trimService(service) as TrimmedService),
    slices: slices.map((slice) => trimEndpointSlice(slice) as TrimmedEndpointSlice),
    held: new Set(),
  };
}

describe('desired targets', () => {
  it.each(Object.entries(cases))('%s', (_name, { service, slices, port, targets, why }) => {
    const endpoints = trimmed(service ?? draftService('shop'), slices);
    const desired = desireTargets(backend(port), endpoints);
    expect([...desired.targets.keys()], why).toEqual(targets);
    expect(desired.problem).toBeUndefined();
  });
});

const NODE_PORT = [{ ...HTTP_PORT, nodePort: 30_080 }];
const nodePorts = draftService('shop', {
  ...{ type: 'NodePort', ports: NODE_PORT, selector: { app: 'shop' } },
});

interface ProblemCase {
  readonly service: ServiceDraft | undefined;
  readonly slices: readonly SliceDraft[];
  readonly backend?: Partial<BackendService>;
  readonly reason: string;
  readonly message: RegExp;
}

const ready = [draftSlice('shop', [endpoint('10.0.0.1')])];

const problems: Readonly<Record<string, ProblemCase>> = {
  'a missing Service': {
    service: undefined,
    slices: [],
    reason: 'ServiceNotFound',
    message: /^Service shop does not exist; create the Service/,
  },
  'a port that the Service does not have': {
    service: draftService('shop'),
    slices: ready,
    backend: { service: { name: 'shop', port: 8080 } },
    reason: 'ServicePortNotFound',
    message: /^Service shop has no TCP port 8080; correct the port/,
  },
  'a port of UDP': {
    service: draftService('shop', { ports: [{ name: 'http', port: 80, protocol: 'UDP' }] }),
    slices: ready,
    reason: 'ServicePortNotFound',
    message: /no TCP port http/,
  },
  'a Service of type ExternalName': {
    service: draftService('shop', { type: 'ExternalName', ports: [HTTP_PORT] }),
    slices: [],
    reason: 'ExternalNameService',
    message: /of type ExternalName; name a Service with a selector/,
  },
  'no slice at all': {
    service: draftService('shop'),
    slices: [],
    reason: 'NoReadyEndpoints',
    message: /^Service shop has no endpoints; check that the selector/,
  },
  'an empty slice': {
    service: draftService('shop'),
    slices: [draftSlice('shop', null, { ports: null })],
    reason: 'NoReadyEndpoints',
    message: /^Service shop has no endpoints/,
  },
  'pods none of which is ready': {
    service: draftService('shop'),
    slices: [draftSlice('shop', [endpoint('10.0.0.1', 'unready'), endpoint('10.0.0.2', 'gone')])],
    reason: 'NoReadyEndpoints',
    message: /^Service shop has 2 endpoints and none of them is ready/,
  },
  'a named target port that no container has': {
    service: draftService('shop'),
    slices: [draftSlice('shop', [endpoint('10.0.0.1')], { ports: [] })],
    reason: 'TargetPortNotFound',
    message: /correct targetPort of the Service/,
  },
  'IPv6 alone': {
    service: draftService('shop'),
    slices: [draftSlice('shop', [endpoint('fd00::1')], { addressType: 'IPv6' })],
    reason: 'UnusableEndpoints',
    message: /no endpoint with an IPv4 address; give the Service that address family/,
  },
  'IPv4 alone for a backend of IPv6': {
    service: draftService('shop'),
    slices: ready,
    backend: { ipAddressType: 'ipv6' },
    reason: 'UnusableEndpoints',
    message: /no endpoint with an IPv6 address; .*correct ipAddressType/,
  },
  'instances where nodes are not read': {
    service: nodePorts,
    slices: ready,
    backend: { targetType: 'instance' },
    reason: 'BackendUnsupported',
    message: /set targetType to ip/,
  },
};

describe('a backend without targets says why:', () => {
  it.each(Object.entries(problems))('%s', (_name, { service, slices, backend: given, ...told }) => {
    const desired = desireTargets({ ...backend(), ...given }, trimmed(service, slices));
    expect([...desired.targets]).toEqual([]);
    expect(desired.problem?.reason).toBe(told.reason);
    expect(desired.problem?.message).toMatch(told.message);
  });
});

describe('a backend of IPv6', () => {
  const six = { ...backend(), ipAddressType: 'ipv6' } as const;

  it('has the addresses of its family, however they are written', () => {
    const slices = [
      ...ready,
      draftSlice('shop', [endpoint('FD00:0:0::1'), endpoint('fd00::2', 'leaving')], {
        ...{ suffix: 'b', addressType: 'IPv6' },
      }),
    ];
    const desired = desireTargets(six, trimmed(draftService('shop'), slices));
    expect([...desired.targets]).toEqual([['[fd00::1]:8080', { id: 'fd00::1', port: 8080 }]]);
    expect([...desired.live]).toEqual(['fd00::1', 'fd00::2']);
  });
});

describe('a backend of instances', () => {
  const node = (index: number, plan = {}): TrimmedNode =>
    trimNode(draftNode(index, plan)) as TrimmedNode;
  const desire = (
    nodes: readonly TrimmedNode[],
    service: ServiceDraft | undefined = nodePorts,
  ): ReturnType<typeof desireTargets> => {
    const known = { kind: 'known', ...chooseInstances(nodes) } as const;
    const instances = { ...backend(), targetType: 'instance' } as const;
    return desireTargets(instances, trimmed(service, ready, known));
  };

  it('has each usable node with the node port of the Service, and no pod', () => {
    const { targets, problem } = desire([node(1), node(2, { ready: 'False' })]);
    expect([...targets.values()]).toEqual([{ id: instanceOf(1), port: 30_080 }]);
    expect(problem).toBeUndefined();
  });

  it('finds the node port of a Service of type LoadBalancer too, by the name of the port', () => {
    const ports = [{ name: 'admin', port: 81, nodePort: 30_081 }, ...NODE_PORT];
    const service = draftService('shop', { type: 'LoadBalancer', ports });
    expect([...desire([node(1)], service).targets.keys()]).toEqual([`${instanceOf(1)}:30080`]);
  });

  it.each([
    ['of type ClusterIP', draftService('shop')],
    [
      'without node ports of its own choice',
      draftService('shop', { type: 'LoadBalancer', ports: [HTTP_PORT] }),
    ],
  ])('has none with a Service %s, and says what to change', (_, service) => {
    const { targets, problem } = desire([node(1)], service);
    expect([...targets]).toEqual([]);
    expect(problem).toEqual({
      reason: 'NodePortNotFound',
      message:
        'Service shop has no node port; set the type of the Service to NodePort or LoadBalancer, or targetType to ip in spec.backends',
    });
  });

  it('counts the nodes that are no instances', () => {
    const fargate = node(2, { providerID: 'aws:///us-east-1a/0a1b/fargate-ip-10-0-0-1' });
    expect(desire([node(1), fargate]).note).toBe(
      'nodes that are not EC2 instances are left out: 1',
    );
    expect(desire([node(1)]).note).toBeUndefined();
  });

  it('says why no node is a target', () => {
    const { problem, isUnknown } = desire([node(1, { ready: 'False' })]);
    expect(problem?.message).toMatch(/^no node can be a target: 1 not ready; check that nodes/);
    expect(isUnknown).toBeUndefined();
  });

  it('knows nothing by an empty list of nodes', () => {
    expect(desire([])).toMatchObject({ isUnknown: true, problem: { reason: 'NoReadyNodes' } });
  });

  it('is healthy with some of its nodes where the others have no pod and so fail the check', () => {
    const local = draftService('shop', { ...nodePorts.spec, externalTrafficPolicy: 'Local' });
    expect(desire([node(1)], local).isPartial).toBe(true);
    expect(desire([node(1)]).isPartial).toBeUndefined();
  });
});

describe('live addresses', () => {
  it('are those of pods that serve, on whatever port', () => {
    const slices = [
      draftSlice('shop', [endpoint('10.0.0.1'), endpoint('10.0.0.2', 'leaving')], { ports: [] }),
      draftSlice('shop', [endpoint('10.0.0.3', 'gone'), endpoint('10.0.0.4', 'unready')], {
        suffix: 'b',
      }),
    ];
    const { live } = desireTargets(backend(), trimmed(draftService('shop'), slices));
    expect([...live]).toEqual(['10.0.0.1', '10.0.0.2']);
  });
});

describe('the pods of a Service', () => {
  const known = (service: ServiceDraft, slices: readonly SliceDraft[]): boolean =>
    desireTargets(backend(), trimmed(service, slices)).isUnknown === undefined;
  const unselecting = draftService('shop', { ports: [HTTP_PORT] });
  const other = draftService('shop', { ports: [], selector: { app: 'shop' } });

  it('are not known while it has no slice although it selects some', () => {
    expect(known(draftService('shop'), [])).toBe(false);
    expect(known(other, [])).toBe(false);
  });

  it('are known to be none by an empty slice, and where only its author makes slices', () => {
    expect(known(draftService('shop'), [draftSlice('shop', [])])).toBe(true);
    expect(known(unselecting, [])).toBe(true);
  });
});
