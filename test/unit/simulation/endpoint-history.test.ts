import { describe, expect, it } from 'vitest';
import { ENDPOINT_SLICES, NODES, SERVICES } from '../../simulation/api-model/kinds.ts';
import { ObjectTable } from '../../simulation/api-model/object-table.ts';
import { EndpointHistory, type Targets } from '../../simulation/services/endpoint-history.ts';

const REF = { namespace: 'web', name: 'shop', port: 80 } as const;

/** A Service, its slices, and a clock that is set by hand. */
class Bench {
  nowMs = 0;
  readonly table = new ObjectTable();
  readonly history = new EndpointHistory(this.table, () => this.nowMs);

  constructor() {
    this.table.onCommit((commit) => this.history.onCommit(commit));
  }

  putService(name: string, nodePort?: number): void {
    const spec = { ports: [{ name, port: 80, nodePort }] };
    this.table.put(SERVICES, { ...objectOf('Service', 'shop'), spec }, 'user');
  }

  /** `address` is that of a pod that serves on its way out, or of one that is ready. */
  putSlice(name: string, port: string, pod: { readonly address: string; isLeaving?: true }): void {
    const { address, isLeaving = false } = pod;
    const addressType = address.includes(':') ? 'IPv6' : 'IPv4';
    const conditions = { ready: !isLeaving, serving: true, terminating: isLeaving };
    const slice = {
      ...objectOf('EndpointSlice', name),
      addressType,
      ports: [{ name: port, port: 8080 }],
      endpoints: [{ addresses: [address], conditions }],
    };
    this.table.put(ENDPOINT_SLICES, slice, 'controller');
  }

  desired(moments: readonly Targets[]): readonly (readonly string[])[] {
    return moments.map(({ desired }) => [...desired]);
  }
}

function objectOf(kind: string, name: string) {
  const labels = { 'kubernetes.io/service-name': 'shop' };
  const metadata = {
    namespace: 'web',
    name,
    labels,
    uid: name,
    resourceVersion: '',
    creationTimestamp: '',
  };
  return { apiVersion: 'v1', kind, metadata };
}

const READY = ['10.0.0.2:8080'];
const LEAVING = ['10.0.0.1:8080'];

/** Two slices, of which the second follows a changed Service 2 ms after the first. */
function renamed(): Bench {
  const bench = new Bench();
  bench.putService('web');
  bench.putSlice('a', 'web', { address: '10.0.0.1', isLeaving: true });
  bench.putSlice('b', 'web', { address: '10.0.0.2' });
  bench.nowMs = 60_000;
  bench.putService('http');
  bench.nowMs = 60_300;
  bench.putSlice('a', 'http', { address: '10.0.0.1', isLeaving: true });
  bench.nowMs = 60_302;
  bench.putSlice('b', 'http', { address: '10.0.0.2' });
  return bench;
}

describe('the history of endpoints', () => {
  it('has each moment that a process may have been shown, also between the patches of two slices', () => {
    const bench = renamed();
    const moments = bench.history.since(REF, 50_000);
    expect(bench.desired(moments)).toEqual([READY, [], LEAVING, READY]);
  });

  it('leaves out where something is to go that slices followed their Service in a moment', () => {
    const bench = renamed();
    expect(bench.desired(bench.history.lastingSince(REF, 50_000))).toEqual([READY, READY]);
  });

  it('counts a Service whose slices never follow', () => {
    const bench = new Bench();
    bench.putService('http');
    bench.putSlice('a', 'http', { address: '10.0.0.2' });
    bench.nowMs = 60_000;
    bench.putService('web');
    bench.nowMs = 66_000;
    expect(bench.desired(bench.history.lastingSince(REF, 50_000))).toEqual([READY, []]);
  });

  it('leaves out where something is to go that a Service has no slice', () => {
    const bench = new Bench();
    bench.putService('http');
    bench.putSlice('a', 'http', { address: '10.0.0.2' });
    bench.nowMs = 60_000;
    const [slice] = bench.table.list(ENDPOINT_SLICES);
    if (slice !== undefined) bench.table.remove(ENDPOINT_SLICES, slice, 'nobody');
    bench.nowMs = 90_000;
    expect(bench.desired(bench.history.since(REF, 50_000))).toEqual([READY, []]);
    expect(bench.desired(bench.history.lastingSince(REF, 50_000))).toEqual([READY]);
  });

  it('has a new node by the node port that its Service had: they are shown by two watches', () => {
    const bench = new Bench();
    bench.putService('http', 31_000);
    bench.nowMs = 60_000;
    bench.putService('http', 32_000);
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    const spec = { providerID: 'aws:///us-east-1a/i-1' };
    bench.table.put(NODES, { ...objectOf('Node', 'node-0'), spec, status }, 'kubelet');
    const moments = bench.history.since({ ...REF, isOfInstances: true }, 50_000);
    expect(bench.desired(moments)).toContainEqual(['i-1:31000']);
  });

  it('has the addresses of each family apart', () => {
    const bench = new Bench();
    bench.putService('http');
    bench.putSlice('a', 'http', { address: '10.0.0.2' });
    bench.putSlice('b', 'http', { address: '2001:db8::2' });
    expect([...bench.history.now(REF).desired]).toEqual(READY);
    const ofIpv6 = bench.history.now({ ...REF, isIpv6: true });
    expect([...ofIpv6.desired]).toEqual(['2001:db8::2:8080']);
  });
});

it('a cluster without nodes says nothing of targets that are nodes', () => {
  const bench = new Bench();
  bench.putService('http');
  const isTold = (isOfInstances: boolean) => bench.history.isTold({ ...REF, isOfInstances });
  expect([isTold(false), isTold(true)]).toEqual([true, false]);
  bench.table.put(NODES, objectOf('Node', 'node-0'), 'kubelet');
  expect(isTold(true)).toBe(true);
});
