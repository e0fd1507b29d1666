import { describe, expect, it } from 'vitest';
import { trimEndpointSlice, trimService } from '../../../../src/controllers/targets/transforms.ts';
import { draftService, draftSlice, endpointOf } from './endpoints.ts';

const metadata = {
  ...{ namespace: 'web', name: 'shop', uid: 'u1', resourceVersion: '7', generation: 3 },
  annotations: { big: 'x'.repeat(10_000) },
  managedFields: [{ manager: 'kubectl' }],
};

describe('of a Service is kept', () => {
  it('its name, its version, its families, its selector and its TCP ports', () => {
    const service = draftService('shop', {
      ...{ type: 'ClusterIP', ipFamilies: ['IPv6', 'IPv4'] },
      selector: { app: 'shop' },
      ports: [
        { name: 'http', port: 80, targetPort: 'web', nodePort: 30_080 },
        { name: 'dns', port: 53, protocol: 'UDP' },
      ],
    });
    expect(trimService({ ...service, metadata })).toEqual({
      ...{ apiVersion: 'v1', kind: 'Service', isExternalName: false },
      ...{ families: ['ipv6', 'ipv4'], selector: { app: 'shop' } },
      metadata: { namespace: 'web', name: 'shop', uid: 'u1', resourceVersion: '7' },
      ...{ ports: [{ name: 'http', port: 80, nodePort: 30_080 }], isLocal: false },
    });
  });
});

describe('of an EndpointSlice is kept', () => {
  it('the addresses that count, and the number of the others', () => {
    const endpoints = (['ready', 'unready', 'leaving', 'gone'] as const).map((state, index) =>
      endpointOf(`10.0.0.${index}`, state),
    );
    const slice = draftSlice('shop', endpoints);
    const labels = { ...slice.metadata.labels, 'app.kubernetes.io/name': 'shop' };
    expect(trimEndpointSlice({ ...slice, metadata: { ...metadata, labels } })).toEqual({
      ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
      metadata: { namespace: 'web', name: 'shop', uid: 'u1', resourceVersion: '7' },
      ...{ service: 'shop', family: 'ipv4', ports: [{ name: 'http', port: 8080 }] },
      ...{ ready: ['10.0.0.0'], leaving: ['10.0.0.2'], others: 2 },
      unready: [{ address: '10.0.0.1', pod: 'pod-10.0.0.1' }],
    });
  });

  it('no name', () => {
    const slice = draftSlice('shop', [endpointOf('x'.repeat(253))], { addressType: 'FQDN' });
    expect(trimEndpointSlice(slice)).toMatchObject({ family: undefined, ready: [], others: 1 });
  });

  it('a bounded number of ports, which anybody may write by the thousand', () => {
    const ports = Array.from({ length: 20_000 }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
    expect(trimEndpointSlice(draftSlice('shop', [], { ports }))).toHaveProperty(
      'ports.length',
      256,
    );
    expect(trimService(draftService('shop', { ports }))).toHaveProperty('ports.length', 256);
  });
});
