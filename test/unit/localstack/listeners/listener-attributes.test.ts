import { describe, expect, test } from 'vitest';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { call, outcomeOf } from '../seeded-model.ts';
import {
  createListener,
  expectRefusal,
  goneArn,
  HTTPS,
  trafficModel,
} from '../traffic/traffic-model.ts';

const SERVER = 'routing.http.response.server.enabled';
const TLS_HEADER = 'routing.http.request.x_amzn_tls_version.header_name';

function keysOf(aws: EmbeddedAws, ListenerArn: string): string[] {
  const { Attributes } = call(aws, 'DescribeListenerAttributes', { ListenerArn });
  return Attributes.map(({ Key }: { Key: string }) => Key);
}

describe('the attributes of a listener', () => {
  test('are of responses, and of TLS on HTTPS alone', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = createListener(aws, shop, HTTPS);
    expect(keysOf(aws, ListenerArn)).toHaveLength(19);
    call(aws, 'ModifyListener', { ListenerArn, Protocol: 'HTTP' });
    expect(keysOf(aws, ListenerArn)).toHaveLength(11);
    expect(keysOf(aws, ListenerArn)).not.toContain(TLS_HEADER);
  });

  test('change what is given, all or nothing', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = createListener(aws, shop, HTTPS);
    const modify = (...pairs: (readonly [string, string])[]): [string, object] => [
      'ModifyListenerAttributes',
      { ListenerArn, Attributes: pairs.map(([Key, Value]) => ({ Key, Value })) },
    ];
    const answer = call(aws, ...modify([SERVER, 'false'], [TLS_HEADER, 'X-Version']));
    expect(answer['Attributes']).toContainEqual({ Key: SERVER, Value: 'false' });
    expect(answer['Attributes']).toContainEqual({ Key: TLS_HEADER, Value: 'X-Version' });
    for (const bad of [
      [SERVER, 'no'],
      [TLS_HEADER, 'no spaces'],
      ['tcp.idle_timeout.seconds', '60'],
    ] as const) {
      const [first] = [[SERVER, 'true'] as const];
      const change = bad[0] === SERVER ? modify(bad) : modify(first, bad);
      expectRefusal(aws, change, { code: 'ValidationError', why: bad.join('=') });
    }
    expectRefusal(aws, modify(), { code: 'ValidationError', why: 'none is given' });
  });

  test('are of a listener that exists', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = goneArn(createListener(aws, shop));
    expect(outcomeOf(aws, 'DescribeListenerAttributes', { ListenerArn })).toBe('ListenerNotFound');
    const Attributes = [{ Key: SERVER, Value: 'true' }];
    expect(outcomeOf(aws, 'ModifyListenerAttributes', { ListenerArn, Attributes })).toBe(
      'ListenerNotFound',
    );
  });
});
