import { describe, expect, test } from 'vitest';
import { call, outcomeOf } from '../seeded-model.ts';
import {
  CERTIFICATE,
  certificateArn,
  createListener,
  expectRefusal,
  goneArn,
  HTTPS,
  trafficModel,
} from '../traffic/traffic-model.ts';

function securedModel(limit = 25) {
  const limits = { 'certificates-per-application-load-balancer': limit };
  const model = trafficModel({ limits });
  const ListenerArn = createListener(model.aws, model.shop, HTTPS);
  const input = (number: number): object => ({
    ...{ ListenerArn, Certificates: [{ CertificateArn: certificateArn(number) }] },
  });
  return { ...model, ListenerArn, input };
}

describe('the certificates of a listener', () => {
  test('are the default one and those that were added, each once', () => {
    const { aws, ListenerArn, input } = securedModel();
    for (const number of [2, 2, 1]) call(aws, 'AddListenerCertificates', input(number));
    const described = call(aws, 'DescribeListenerCertificates', { ListenerArn });
    expect(described['Certificates']).toEqual([
      { CertificateArn: CERTIFICATE, IsDefault: true },
      { CertificateArn: certificateArn(2), IsDefault: false },
      { CertificateArn: CERTIFICATE, IsDefault: false },
    ]);
    const page = call(aws, 'DescribeListenerCertificates', { ListenerArn, PageSize: 2 });
    const rest = { ListenerArn, PageSize: 2, Marker: page['NextMarker'] };
    expect(call(aws, 'DescribeListenerCertificates', rest)['Certificates']).toHaveLength(1);
  });

  test('are shown as the default one alone in DescribeListeners', () => {
    const { aws, ListenerArn, input } = securedModel();
    call(aws, 'AddListenerCertificates', input(2));
    const { Listeners } = call(aws, 'DescribeListeners', { ListenerArns: [ListenerArn] });
    expect(Listeners[0].Certificates).toEqual([{ CertificateArn: CERTIFICATE }]);
  });

  test('go, but for the default one; also one that ACM has lost, and one that is not in the list', () => {
    const { aws, input, ListenerArn } = securedModel();
    call(aws, 'AddListenerCertificates', input(2));
    expectRefusal(aws, ['RemoveListenerCertificates', input(1)], {
      code: 'OperationNotPermitted',
      why: 'the listener would have none',
    });
    aws.control.setCertificates([CERTIFICATE]);
    for (let i = 0; i < 2; i += 1) call(aws, 'RemoveListenerCertificates', input(2));
    const described = call(aws, 'DescribeListenerCertificates', { ListenerArn });
    expect(described['Certificates']).toHaveLength(1);
  });

  test('count together with those of the other listeners of the balancer', () => {
    const { aws, shop, input } = securedModel(2);
    const ListenerArn = createListener(aws, shop, { ...HTTPS, Port: 8443 });
    call(aws, 'AddListenerCertificates', input(2));
    call(aws, 'AddListenerCertificates', { ...input(2), ListenerArn });
    for (const asked of [input(3), { ...input(3), ListenerArn }]) {
      expectRefusal(aws, ['AddListenerCertificates', asked], {
        code: 'TooManyCertificates',
        why: 'the quota is that of the balancer',
      });
    }
    // One that is there takes no more room.
    call(aws, 'AddListenerCertificates', input(2));
  });

  test('refuse what is over the quota, missing, or on a listener without TLS', () => {
    const { aws, shop, ListenerArn, input } = securedModel(2);
    for (const number of [2, 3]) call(aws, 'AddListenerCertificates', input(number));
    const plain = createListener(aws, shop);
    const two = {
      ListenerArn,
      Certificates: [2, 3].map((one) => ({ CertificateArn: certificateArn(one) })),
    };
    const cases: readonly (readonly [object, string])[] = [
      [input(4), 'TooManyCertificates'],
      [input(9), 'CertificateNotFound'],
      [two, 'TooManyCertificates'],
      [{ ...input(2), ListenerArn: plain }, 'ValidationError'],
      [{ ...input(2), ListenerArn: goneArn(ListenerArn) }, 'ListenerNotFound'],
    ];
    for (const [asked, code] of cases) {
      expectRefusal(aws, ['AddListenerCertificates', asked], { code, why: JSON.stringify(asked) });
    }
    for (const [arn, code] of [
      [plain, 'ValidationError'],
      [goneArn(plain), 'ListenerNotFound'],
    ]) {
      expect(outcomeOf(aws, 'DescribeListenerCertificates', { ListenerArn: arn })).toBe(code);
      expect(outcomeOf(aws, 'RemoveListenerCertificates', { ...input(2), ListenerArn: arn })).toBe(
        code,
      );
    }
  });
});
