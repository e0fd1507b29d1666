import { describe, expect, test } from 'vitest';
import { call, createBalancer, outcomeOf } from '../seeded-model.ts';
import {
  CERTIFICATE,
  certificateArn,
  createGroup,
  createListener,
  createRule,
  describeRule,
  expectRefusal,
  forwardTo,
  goneArn,
  HTTPS,
  NOT_FOUND,
  POLICY,
  type Refusal,
  trafficModel,
} from '../traffic/traffic-model.ts';

const HTTP = { Protocol: 'HTTP', Port: 80 };
const foreign = CERTIFICATE.replace('us-east-1', 'eu-west-1');

const refusals: Readonly<Record<string, Refusal & { readonly input: object }>> = {
  'no port': {
    input: { ...HTTP, Port: undefined },
    code: 'ValidationError',
    message: 'A listener port must be specified',
    why: 'it is required for an ALB',
  },
  'no protocol': {
    input: { ...HTTP, Protocol: undefined },
    code: 'ValidationError',
    message: 'A listener protocol must be specified',
    why: 'it is required for an ALB',
  },
  'port 65536': { input: { ...HTTP, Port: 65_536 }, code: 'ValidationError', why: '1 to 65535' },
  'a protocol of network balancers': {
    input: { ...HTTP, Protocol: 'TCP' },
    code: 'ValidationError',
    message: "Listener protocol 'TCP' must be one of 'HTTP, HTTPS'",
    why: 'the balancer is an ALB',
  },
  'a policy for HTTP': {
    input: { ...HTTP, SslPolicy: POLICY },
    code: 'ValidationError',
    message: 'An SSL policy cannot be specifed for HTTP listeners',
    why: 'there is no TLS',
  },
  'a certificate for HTTP': {
    input: { ...HTTP, Certificates: HTTPS.Certificates },
    code: 'ValidationError',
    why: 'there is no TLS',
  },
  'HTTPS without a certificate': {
    input: { ...HTTPS, Certificates: undefined },
    code: 'ValidationError',
    message: 'A certificate must be specified for HTTPS listeners',
    why: 'TLS needs one',
  },
  'two certificates': {
    input: {
      ...HTTPS,
      Certificates: [1, 2].map((one) => ({ CertificateArn: certificateArn(one) })),
    },
    code: 'TooManyCertificates',
    message: "Up to '1' certificate ARNs can be specified, but '2' were specified",
    why: 'further ones have their own operation',
  },
  'a certificate marked as the default one': {
    input: { ...HTTPS, Certificates: [{ CertificateArn: CERTIFICATE, IsDefault: true }] },
    code: 'ValidationError',
    why: 'that is for answers only',
  },
  'a certificate that is not there': {
    input: { ...HTTPS, Certificates: [{ CertificateArn: certificateArn(99) }] },
    code: 'CertificateNotFound',
    why: 'nobody imported it',
  },
  'a certificate of another region': {
    input: { ...HTTPS, Certificates: [{ CertificateArn: foreign }] },
    code: 'ValidationError',
    message: `Certificate ARN '${foreign}' is not valid`,
    why: 'ACM is regional',
  },
  'a policy that is not there': {
    input: { ...HTTPS, SslPolicy: 'ELBSecurityPolicy-None' },
    code: 'SSLPolicyNotFound',
    why: 'AWS names its policies',
  },
  'a trust store': {
    input: {
      ...HTTPS,
      MutualAuthentication: { Mode: 'verify', TrustStoreArn: 'arn:aws:x' },
    },
    code: 'TrustStoreNotFound',
    why: 'none is ever there',
  },
  'verification without a trust store': {
    input: { ...HTTPS, MutualAuthentication: { Mode: 'verify' } },
    code: 'InvalidConfigurationRequest',
    why: 'nobody would be trusted',
  },
  'a trust store without verification': {
    input: {
      ...HTTPS,
      MutualAuthentication: { Mode: 'passthrough', TrustStoreArn: 'arn:aws:x' },
    },
    code: 'InvalidConfigurationRequest',
    why: 'nothing is verified',
  },
  'mutual authentication for HTTP': {
    input: { ...HTTP, MutualAuthentication: { Mode: 'passthrough' } },
    code: 'InvalidConfigurationRequest',
    why: 'there is no TLS',
  },
  'an ALPN policy': {
    input: { ...HTTPS, AlpnPolicy: ['HTTP2Only'] },
    code: 'InvalidConfigurationRequest',
    why: 'of TLS listeners',
  },
  'no action': {
    input: { ...HTTP, DefaultActions: [] },
    code: 'ValidationError',
    why: 'requests need an answer',
  },
  'a target group that is not there': {
    input: {
      ...HTTP,
      DefaultActions: forwardTo(
        `arn:aws:elasticloadbalancing:us-east-1:000000000000:targetgroup/x/${'0'.repeat(16)}`,
      ),
    },
    code: 'TargetGroupNotFound',
    why: 'nobody made it',
  },
};

describe('CreateListener', () => {
  test('answers what AWS answers for HTTP, the forward action in both forms', () => {
    const { aws, shop, web } = trafficModel();
    const Tags = [{ Key: 'team', Value: 'web' }];
    const input = { LoadBalancerArn: shop, ...HTTP, DefaultActions: forwardTo(web), Tags };
    const { Listeners } = call(aws, 'CreateListener', input);
    expect(Listeners).toEqual([
      {
        ListenerArn: expect.stringMatching(
          new RegExp(`^${shop.replace(':loadbalancer/', ':listener/')}/[0-9a-f]{16}$`),
        ),
        LoadBalancerArn: shop,
        Port: 80,
        Protocol: 'HTTP',
        DefaultActions: [
          {
            Type: 'forward',
            TargetGroupArn: web,
            ForwardConfig: {
              TargetGroups: [{ TargetGroupArn: web, Weight: 1 }],
              TargetGroupStickinessConfig: { Enabled: false },
            },
          },
        ],
      },
    ]);
    const ResourceArns = [Listeners[0].ListenerArn];
    expect(call(aws, 'DescribeTags', { ResourceArns })['TagDescriptions'][0].Tags).toEqual(Tags);
  });

  test('gives HTTPS the policy of 2016 where none is asked for, as the API does', () => {
    const { aws, shop } = trafficModel();
    const { SslPolicy: _, ...input } = HTTPS;
    createListener(aws, shop, input);
    expect(call(aws, 'DescribeListeners', { LoadBalancerArn: shop })['Listeners']).toMatchObject([
      {
        SslPolicy: 'ELBSecurityPolicy-2016-08',
        Certificates: [{ CertificateArn: CERTIFICATE }],
        MutualAuthentication: { Mode: 'off' },
      },
    ]);
  });

  test('verifies clients by a trust store, until it is told otherwise as a whole', () => {
    const { aws, shop } = trafficModel();
    const TrustStoreArn = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:truststore/a/1';
    aws.control.setTrustStores([TrustStoreArn]);
    const verify = { Mode: 'verify', TrustStoreArn, IgnoreClientCertificateExpiry: true };
    const ListenerArn = createListener(aws, shop, { ...HTTPS, MutualAuthentication: verify });
    const echoOf = (): unknown =>
      call(aws, 'DescribeListeners', { LoadBalancerArn: shop })['Listeners'][0]
        .MutualAuthentication;
    expect(echoOf()).toEqual({ ...verify, AdvertiseTrustStoreCaNames: 'off' });
    call(aws, 'ModifyListener', { ListenerArn, Port: 8443 });
    expect(echoOf()).toMatchObject(verify);
    call(aws, 'ModifyListener', { ListenerArn, MutualAuthentication: { Mode: 'passthrough' } });
    expect(echoOf()).toEqual({ Mode: 'passthrough' });
  });

  test('makes the default rule with it', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = createListener(aws, shop);
    expect(call(aws, 'DescribeRules', { ListenerArn })['Rules']).toEqual([
      {
        RuleArn: expect.stringMatching(
          new RegExp(`^${ListenerArn.replace(':listener/', ':listener-rule/')}/[0-9a-f]{16}$`),
        ),
        Priority: 'default',
        Conditions: [],
        Actions: NOT_FOUND,
        IsDefault: true,
      },
    ]);
  });

  test('answers the existing listener, unchanged, for the same settings and other tags', () => {
    const { aws, shop, web } = trafficModel();
    const input = { LoadBalancerArn: shop, ...HTTPS, DefaultActions: forwardTo(web) };
    const first = call(aws, 'CreateListener', input);
    createRule(aws, first['Listeners'][0].ListenerArn, 1);
    const again = { ...input, Tags: [{ Key: 'a', Value: 'b' }] };
    expect(call(aws, 'CreateListener', again)).toEqual(first);
    expect(aws.control.snapshot().listeners).toMatchObject([{ tags: {}, rules: [{}, {}] }]);
  });

  test.each([
    { DefaultActions: NOT_FOUND },
    { SslPolicy: 'ELBSecurityPolicy-2016-08' },
    { Certificates: [{ CertificateArn: certificateArn(2) }] },
    { Protocol: 'HTTP', SslPolicy: undefined, Certificates: undefined },
  ])('refuses a port that is taken with other settings: %j', (other) => {
    const { aws, shop, web } = trafficModel();
    const input = { LoadBalancerArn: shop, ...HTTPS, DefaultActions: forwardTo(web) };
    call(aws, 'CreateListener', input);
    expectRefusal(aws, ['CreateListener', { ...input, ...other }], {
      code: 'DuplicateListener',
      message: `A listener already exists on this port for this load balancer '${shop}'`,
      why: 'a port has one listener',
    });
  });

  test.each(Object.entries(refusals))('refuses %s', (_, { input, ...refusal }) => {
    const { aws, shop } = trafficModel();
    const asked = { LoadBalancerArn: shop, DefaultActions: NOT_FOUND, ...input };
    expectRefusal(aws, ['CreateListener', asked], refusal);
  });

  test('refuses a balancer that is gone, and more listeners than the quota', () => {
    const { aws, shop } = trafficModel({
      limits: { 'listeners-per-application-load-balancer': 2 },
    });
    createListener(aws, shop);
    createListener(aws, shop, { Port: 81 });
    const input = { ...HTTP, Port: 82, DefaultActions: NOT_FOUND };
    expectRefusal(aws, ['CreateListener', { ...input, LoadBalancerArn: shop }], {
      code: 'TooManyListeners',
      why: 'two is the quota',
    });
    const other = createBalancer(aws, 'other')['LoadBalancerArn'] as string;
    createListener(aws, other);
    expectRefusal(aws, ['CreateListener', { ...input, LoadBalancerArn: goneArn(shop) }], {
      code: 'LoadBalancerNotFound',
      why: 'there is none',
    });
  });
});

describe('DescribeListeners', () => {
  test('finds by balancer, in pages, and by ARN', () => {
    const { aws, shop } = trafficModel();
    const arns = [80, 81, 82].map((Port) => createListener(aws, shop, { Port }));
    const other = createBalancer(aws, 'other')['LoadBalancerArn'] as string;
    const foreignArn = createListener(aws, other);
    const listed = (input: object): unknown[] =>
      call(aws, 'DescribeListeners', input)['Listeners'].map(
        (one: { ListenerArn: string }) => one.ListenerArn,
      );
    expect(listed({ LoadBalancerArn: shop })).toEqual(arns);
    const first = call(aws, 'DescribeListeners', { LoadBalancerArn: shop, PageSize: 2 });
    const Marker = first['NextMarker'] as string;
    expect(listed({ LoadBalancerArn: shop, PageSize: 2, Marker })).toEqual([arns[2]]);
    expect(listed({ ListenerArns: [foreignArn, arns[0], foreignArn] })).toEqual([
      foreignArn,
      arns[0],
    ]);
  });

  test('fails as a whole where one is missing, and without a balancer', () => {
    const { aws, shop } = trafficModel();
    const arn = createListener(aws, shop);
    const cases: readonly (readonly [object, string])[] = [
      [{ ListenerArns: [arn, goneArn(arn)] }, 'ListenerNotFound'],
      [{ ListenerArns: [shop] }, 'ValidationError'],
      [{ LoadBalancerArn: goneArn(shop) }, 'LoadBalancerNotFound'],
      [{ LoadBalancerArn: shop, ListenerArns: [arn] }, 'ValidationError'],
      [{}, 'ValidationError'],
      [{ LoadBalancerArn: shop, PageSize: 0 }, 'ValidationError'],
    ];
    for (const [input, code] of cases) {
      expect(outcomeOf(aws, 'DescribeListeners', input), JSON.stringify(input)).toBe(code);
    }
  });
});

describe('ModifyListener', () => {
  test('changes what is given and keeps rules, ARN and the rest', () => {
    const { aws, shop, web } = trafficModel();
    const ListenerArn = createListener(aws, shop, HTTPS);
    const rule = createRule(aws, ListenerArn, 5);
    const change = { ListenerArn, Port: 8443, DefaultActions: forwardTo(web) };
    expect(call(aws, 'ModifyListener', change)['Listeners']).toMatchObject([
      { ListenerArn, Port: 8443, SslPolicy: POLICY, DefaultActions: [{ TargetGroupArn: web }] },
    ]);
    expect(describeRule(aws, rule)).toMatchObject({ Priority: '5' });
    const { Rules } = call(aws, 'DescribeRules', { ListenerArn });
    expect(Rules.at(-1)).toMatchObject({ IsDefault: true, Actions: [{ TargetGroupArn: web }] });
  });

  test('rotates the default certificate', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = createListener(aws, shop, HTTPS);
    const Certificates = [{ CertificateArn: certificateArn(2) }];
    const answer = call(aws, 'ModifyListener', { ListenerArn, Certificates });
    expect(answer['Listeners'][0].Certificates).toEqual(Certificates);
  });

  test('drops policy and certificates on the way to HTTP, and needs both on the way back', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = createListener(aws, shop, HTTPS);
    const Certificates = [{ CertificateArn: certificateArn(2) }];
    call(aws, 'AddListenerCertificates', { ListenerArn, Certificates });
    const plain = call(aws, 'ModifyListener', { ListenerArn, Protocol: 'HTTP' });
    expect(plain['Listeners'][0]).not.toHaveProperty('SslPolicy');
    expect(plain['Listeners'][0]).not.toHaveProperty('Certificates');
    const back = { ListenerArn, Protocol: 'HTTPS' };
    expectRefusal(aws, ['ModifyListener', { ...back, Certificates }], {
      code: 'ValidationError',
      message: 'An SSL policy must be specified for HTTPS listeners',
      why: 'a modification has no default policy',
    });
    expectRefusal(aws, ['ModifyListener', { ...back, SslPolicy: POLICY }], {
      code: 'ValidationError',
      message: 'A certificate must be specified for HTTPS listeners',
      why: 'TLS needs one',
    });
    call(aws, 'ModifyListener', { ...back, SslPolicy: POLICY, Certificates });
    expect(aws.control.snapshot().listeners).toMatchObject([{ certificates: [certificateArn(2)] }]);
  });

  test('refuses a port that another listener has', () => {
    const { aws, shop } = trafficModel();
    createListener(aws, shop);
    const ListenerArn = createListener(aws, shop, { Port: 81 });
    expectRefusal(aws, ['ModifyListener', { ListenerArn, Port: 80 }], {
      code: 'ValidationError',
      message: "Listener port '80' is already in use",
      why: 'AWS answers no DuplicateListener here',
    });
    call(aws, 'ModifyListener', { ListenerArn, Port: 81 });
  });

  test('refuses to leave HTTPS under a rule that needs it', () => {
    const { aws, shop } = trafficModel();
    const grpc = createGroup(aws, 'grpc', { ProtocolVersion: 'GRPC' });
    const ListenerArn = createListener(aws, shop, HTTPS);
    createRule(aws, ListenerArn, { Priority: 1, Actions: forwardTo(grpc) });
    expectRefusal(aws, ['ModifyListener', { ListenerArn, Protocol: 'HTTP' }], {
      code: 'IncompatibleProtocols',
      why: 'gRPC is HTTP/2, which is HTTPS only',
    });
  });

  test('refuses a listener that is gone', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = goneArn(createListener(aws, shop));
    expectRefusal(aws, ['ModifyListener', { ListenerArn, Port: 81 }], {
      code: 'ListenerNotFound',
      message: 'One or more listeners not found',
      why: 'there is none',
    });
  });
});

describe('deletions', () => {
  test('of a listener take its rules along, and are refused the second time', () => {
    const { aws, shop } = trafficModel();
    const ListenerArn = createListener(aws, shop);
    const kept = createListener(aws, shop, { Port: 81 });
    const rule = createRule(aws, ListenerArn, 1);
    call(aws, 'DeleteListener', { ListenerArn });
    expect(outcomeOf(aws, 'DescribeRules', { RuleArns: [rule] })).toBe('RuleNotFound');
    expect(aws.control.snapshot().listeners).toMatchObject([{ arn: kept }]);
    expect(outcomeOf(aws, 'DeleteListener', { ListenerArn })).toBe('ListenerNotFound');
  });

  test('of a balancer take listeners and rules along, and leave the groups', () => {
    const { aws, shop, web } = trafficModel();
    const other = createBalancer(aws, 'other')['LoadBalancerArn'] as string;
    const kept = createListener(aws, other);
    const ListenerArn = createListener(aws, shop, { DefaultActions: forwardTo(web) });
    const rule = createRule(aws, ListenerArn, { Priority: 1, Actions: forwardTo(web) });
    call(aws, 'DeleteLoadBalancer', { LoadBalancerArn: shop });
    const { listeners, targetGroups } = aws.control.snapshot();
    expect(listeners.map(({ arn }) => arn)).toEqual([kept]);
    expect(targetGroups).toMatchObject([{ name: 'web', loadBalancerArn: undefined }]);
    expect(outcomeOf(aws, 'DescribeRules', { RuleArns: [rule] })).toBe('RuleNotFound');
    expect(outcomeOf(aws, 'DeleteListener', { ListenerArn })).toBe('ListenerNotFound');
  });
});
