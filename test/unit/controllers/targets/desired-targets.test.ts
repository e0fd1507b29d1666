import { describe, expect, it } from 'vitest';
import {
  type BackendService,
  desireTargets,
  type Endpoints,
} from '../../../../src/controllers/targets/desired-targets.ts';
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
    why: 'the groups are of IPv4 addresses',
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
});

function trimmed(service: ServiceDraft | undefined, slices: readonly SliceDraft[]): Endpoints {
  return {
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
    message: /no endpoint with an IPv4 address; give the Service the address family/,
  },
  'instances, which are not there yet': {
    service: draftService('shop'),
    slices: ready,
    backend: { targetType: 'instance' },
    reason: 'TargetTypeUnsupported',
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

  it('are known to be none by an empty slice, and where nobody but its author makes slices', () => {
    expect(known(draftService('shop'), [draftSlice('shop', [])])).toBe(true);
    expect(known(unselecting, [])).toBe(true);
  });
});
