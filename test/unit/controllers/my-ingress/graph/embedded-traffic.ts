import type { EmbeddedAws } from '../../../../../localstack/embedded/embedded-aws.ts';
import type { Permission } from '../../../../../src/aws/ec2/security-groups.ts';
import { shapeTransform, toTransform } from '../../../../../src/aws/elbv2/rules-client.ts';
import type {
  Action,
  Condition,
  KnownCondition,
  MutualTls,
  Tags,
} from '../../../../../src/aws/elbv2/traffic.ts';
import type {
  DesiredAction,
  ObservedGraph,
  ObservedListener,
  ObservedTargetGroup,
} from '../../../../../src/controllers/my-ingress/graph/graph.ts';
import type {
  Call,
  Operation,
  Step,
} from '../../../../../src/controllers/my-ingress/graph/steps.ts';
import {
  type Answer,
  call,
  createBalancer,
  seededModel,
} from '../../../localstack/seeded-model.ts';
import { CERTIFICATES, SMALL_LISTS, TRUST_STORE } from './random-traffic.ts';
import type { Aws } from './traffic-world.ts';

type Input<Name extends Operation> = Call<Name>['input'];

/** The stand-in, whose every operation is as strict as AWS's, as steps and as an observed graph. */
export class EmbeddedTraffic implements Aws {
  readonly #aws: EmbeddedAws;
  readonly #balancer: string;

  constructor(aws: EmbeddedAws, balancer: string) {
    this.#aws = aws;
    this.#balancer = balancer;
  }

  get defaultGroup(): string {
    const filters = [
      { Name: 'group-name', Values: ['default'] },
      { Name: 'vpc-id', Values: ['vpc-main'] },
    ];
    return this.#ask('DescribeSecurityGroups', { Filters: filters })['SecurityGroups'][0].GroupId;
  }

  observed(): ObservedGraph {
    const arn = this.#balancer;
    const [balancer] = this.#ask('DescribeLoadBalancers', { LoadBalancerArns: [arn] })[
      'LoadBalancers'
    ];
    const filters = [{ Name: 'tag-key', Values: ['albridge.io/resource'] }];
    const groups = this.#ask('DescribeSecurityGroups', { Filters: filters })['SecurityGroups'];
    return {
      loadBalancer: { arn, securityGroups: balancer.SecurityGroups, vpcId: balancer.VpcId },
      securityGroups: groups.map((group: Answer) => ({
        securityGroup: {
          ...{ id: group['GroupId'], name: group['GroupName'], vpcId: group['VpcId'] },
          ingress: group['IpPermissions'].flatMap(permissionsOf),
        },
        tags: pairsOf(group['Tags']),
      })),
      targetGroups: this.#ask('DescribeTargetGroups', {})['TargetGroups'].map((group: Answer) =>
        this.#observeGroup(group),
      ),
      listeners: this.#ask('DescribeListeners', { LoadBalancerArn: arn })['Listeners'].map(
        (listener: Answer) => this.#observeListener(listener),
      ),
    };
  }

  apply({ operation, input }: Step): void {
    const write = this.#inputs[operation] as (given: typeof input) => object;
    this.#ask(operation, write(input));
  }

  readonly #inputs: { readonly [Name in Operation]: (input: Input<Name>) => object } = {
    CreateTargetGroup: ({ name, port, vpcId, healthCheck, tags, ...fixed }) => ({
      ...{ Name: name, Port: port, VpcId: vpcId, Tags: toPairs(tags) },
      ...{ Protocol: fixed.protocol, ProtocolVersion: fixed.protocolVersion },
      ...{ TargetType: fixed.targetType, IpAddressType: fixed.ipAddressType },
      ...healthCheckInput(healthCheck, fixed.protocolVersion),
    }),
    ModifyTargetGroup: ({ arn, healthCheck, protocolVersion }) => ({
      ...{ TargetGroupArn: arn, ...healthCheckInput(healthCheck, protocolVersion) },
    }),
    ModifyTargetGroupAttributes: ({ targetGroup, attributes }) => ({
      ...{ TargetGroupArn: this.#groupArn(targetGroup), Attributes: toPairs(attributes) },
    }),
    DeleteTargetGroup: ({ arn }) => ({ TargetGroupArn: arn }),
    CreateListener: ({ tags, ...listener }) => ({
      ...{ LoadBalancerArn: this.#balancer, Tags: toPairs(tags), ...this.#listenerInput(listener) },
    }),
    ModifyListener: ({ arn, ...listener }) => ({
      ...{ ListenerArn: arn, ...this.#listenerInput(listener) },
    }),
    ModifyListenerAttributes: ({ listener, attributes }) => ({
      ...{ ListenerArn: this.#listenerArn(listener), Attributes: toPairs(attributes) },
    }),
    AddListenerCertificates: (input) => this.#certificateInput(input),
    RemoveListenerCertificates: (input) => this.#certificateInput(input),
    DeleteListener: ({ arn }) => ({ ListenerArn: arn }),
    CreateRule: ({ listener, priority, conditions, action, transforms, tags }) => ({
      ...{ ListenerArn: this.#listenerArn(listener), Priority: priority, Tags: toPairs(tags) },
      ...{ Conditions: conditions.map(conditionInput), Actions: [this.#actionInput(action)] },
      Transforms: transforms.map(toTransform),
    }),
    ModifyRule: ({ arn, conditions, action, transforms }) => ({
      RuleArn: arn,
      ...(conditions !== undefined && { Conditions: conditions.map(conditionInput) }),
      ...(action !== undefined && { Actions: [this.#actionInput(action)] }),
      ...(transforms?.length === 0 && { ResetTransforms: true }),
      ...(transforms !== undefined && { Transforms: transforms.map(toTransform) }),
    }),
    SetRulePriorities: ({ priorities }) => ({
      RulePriorities: priorities.map(({ arn, priority }) => ({ RuleArn: arn, Priority: priority })),
    }),
    DeleteRule: ({ arn }) => ({ RuleArn: arn }),
    AddTags: ({ resource, tags }) => ({ ResourceArns: [resource], Tags: toPairs(tags) }),
    RemoveTags: ({ resource, keys }) => ({ ResourceArns: [resource], TagKeys: keys }),
    CreateTags: ({ resource, tags }) => ({ Resources: [resource], Tags: toPairs(tags) }),
    DeleteTags: ({ resource, tags }) => ({ Resources: [resource], Tags: toPairs(tags) }),
    CreateSecurityGroup: ({ name, description, vpcId, tags }) => ({
      ...{ GroupName: name, Description: description, VpcId: vpcId },
      TagSpecifications: [{ ResourceType: 'security-group', Tags: toPairs(tags) }],
    }),
    AuthorizeSecurityGroupIngress: ({ ingress }) => this.#ingressInput(ingress),
    RevokeSecurityGroupIngress: ({ ingress }) => this.#ingressInput(ingress),
    SetSecurityGroups: ({ groups }) => ({
      LoadBalancerArn: this.#balancer,
      SecurityGroups: groups.map((group) => ('id' in group ? group.id : this.#ownGroup())),
    }),
    DeleteSecurityGroup: ({ groupId }) => ({ GroupId: groupId }),
  };

  #observeGroup(group: Answer): ObservedTargetGroup {
    const arn = group['TargetGroupArn'];
    const asked = { TargetGroupArn: arn };
    return {
      targetGroup: {
        ...{ arn, name: group['TargetGroupName'], targetType: group['TargetType'] },
        ...{ protocol: group['Protocol'], protocolVersion: group['ProtocolVersion'] },
        ...{ port: group['Port'], vpcId: group['VpcId'], ipAddressType: group['IpAddressType'] },
        healthCheck: {
          protocol: group['HealthCheckProtocol'],
          port: group['HealthCheckPort'],
          path: group['HealthCheckPath'],
          intervalSeconds: group['HealthCheckIntervalSeconds'],
          timeoutSeconds: group['HealthCheckTimeoutSeconds'],
          healthyThreshold: group['HealthyThresholdCount'],
          unhealthyThreshold: group['UnhealthyThresholdCount'],
          matcher: group['Matcher'].HttpCode ?? group['Matcher'].GrpcCode,
        },
        loadBalancerArns: group['LoadBalancerArns'],
      },
      tags: this.#tagsOf(arn),
      attributes: pairsOf(this.#ask('DescribeTargetGroupAttributes', asked)['Attributes']),
    };
  }

  #observeListener(listener: Answer): ObservedListener {
    const arn = listener['ListenerArn'];
    const isSecure = listener['Protocol'] === 'HTTPS';
    const read = isSecure
      ? this.#ask('DescribeListenerCertificates', { ListenerArn: arn })['Certificates']
      : [];
    const certificates = read.map((one: Answer) => one['CertificateArn']);
    return {
      listener: {
        ...{ arn, loadBalancerArn: this.#balancer, port: listener['Port'] },
        protocol: listener['Protocol'],
        ...(isSecure && { sslPolicy: listener['SslPolicy'] }),
        certificates: certificates.slice(0, 1),
        ...mutualTlsOf(listener['MutualAuthentication']),
        defaultActions: listener['DefaultActions'].map(actionOf),
      },
      ...{ certificates, tags: this.#tagsOf(arn) },
      attributes: pairsOf(
        this.#ask('DescribeListenerAttributes', { ListenerArn: arn })['Attributes'],
      ),
      rules: this.#ask('DescribeRules', { ListenerArn: arn })['Rules'].map((rule: Answer) => ({
        rule: {
          arn: rule['RuleArn'],
          priority: rule['IsDefault'] ? 'default' : Number(rule['Priority']),
          conditions: rule['Conditions'].map(conditionOf),
          actions: rule['Actions'].map(actionOf),
          transforms: (rule['Transforms'] ?? []).map(shapeTransform),
        },
        tags: this.#tagsOf(rule['RuleArn']),
      })),
    };
  }

  #tagsOf(arn: string): Tags {
    return pairsOf(this.#ask('DescribeTags', { ResourceArns: [arn] })['TagDescriptions'][0].Tags);
  }

  #listenerInput(listener: Omit<Input<'ModifyListener'>, 'arn'>): object {
    const { port, protocol, sslPolicy, certificate, mutualTls, action } = listener;
    return {
      ...(port !== undefined && { Port: port }),
      ...(protocol !== undefined && { Protocol: protocol }),
      ...(sslPolicy !== undefined && { SslPolicy: sslPolicy }),
      ...(certificate !== undefined && { Certificates: [{ CertificateArn: certificate }] }),
      ...(mutualTls !== undefined && { MutualAuthentication: mutualInput(mutualTls) }),
      ...(action !== undefined && { DefaultActions: [this.#actionInput(action)] }),
    };
  }

  #certificateInput({ listener, certificate }: Input<'AddListenerCertificates'>): object {
    const Certificates = [{ CertificateArn: certificate }];
    return { ListenerArn: this.#listenerArn(listener), Certificates };
  }

  #actionInput(action: DesiredAction): object {
    if (action.kind === 'redirect') {
      const { statusCode, protocol, host, port, path, query } = action;
      const parts = { Protocol: protocol, Host: host, Port: port, Path: path, Query: query };
      const RedirectConfig = { ...parts, StatusCode: `HTTP_${statusCode}` };
      return { Type: 'redirect', RedirectConfig };
    }
    if (action.kind === 'fixed-response') {
      const { statusCode, contentType, body } = action;
      const answer = { StatusCode: String(statusCode), ContentType: contentType };
      return { Type: 'fixed-response', FixedResponseConfig: { ...answer, MessageBody: body } };
    }
    const { targetGroups, stickinessSeconds } = action;
    const TargetGroups = targetGroups.map(({ name, weight }) => {
      return { TargetGroupArn: this.#groupArn(name), Weight: weight };
    });
    const sticky = { Enabled: true, DurationSeconds: stickinessSeconds };
    const TargetGroupStickinessConfig =
      stickinessSeconds === undefined ? { Enabled: false } : sticky;
    return { Type: 'forward', ForwardConfig: { TargetGroups, TargetGroupStickinessConfig } };
  }

  #ingressInput(ingress: readonly Permission[]): object {
    return {
      GroupId: this.#ownGroup(),
      IpPermissions: ingress.map(({ protocol, fromPort, toPort, source }) => ({
        ...{ IpProtocol: protocol, FromPort: fromPort, ToPort: toPort },
        ...(source.kind === 'ipv4' && { IpRanges: [{ CidrIp: source.value }] }),
        ...(source.kind === 'ipv6' && { Ipv6Ranges: [{ CidrIpv6: source.value }] }),
        ...(source.kind === 'prefix-list' && { PrefixListIds: [{ PrefixListId: source.value }] }),
        ...(source.kind === 'security-group' && {
          UserIdGroupPairs: [{ GroupId: source.value }],
        }),
      })),
    };
  }

  #ownGroup(): string {
    return this.observed().securityGroups[0]?.securityGroup.id ?? '';
  }

  #groupArn(name: string): string {
    return this.#ask('DescribeTargetGroups', { Names: [name] })['TargetGroups'][0].TargetGroupArn;
  }

  #listenerArn(id: string): string {
    const found = this.observed().listeners.find(({ tags }) => tags['albridge.io/resource'] === id);
    return found?.listener.arn ?? '';
  }

  #ask(operation: string, input: object): Answer {
    return call(this.#aws, operation, input);
  }
}

/** The stand-in with a balancer of two address types and certificates. */
export function embeddedTraffic(): EmbeddedTraffic {
  const { aws } = seededModel({ provisioningMs: 0, ...SMALL_LISTS.settings });
  aws.control.setCertificates(CERTIFICATES);
  aws.control.setTrustStores([TRUST_STORE]);
  const input = { IpAddressType: 'dualstack' };
  return new EmbeddedTraffic(aws, createBalancer(aws, 'shop', input)['LoadBalancerArn']);
}

function healthCheckInput(
  check: Input<'ModifyTargetGroup'>['healthCheck'],
  version: string,
): object {
  return {
    HealthCheckProtocol: check.protocol,
    HealthCheckPort: check.port,
    HealthCheckPath: check.path,
    HealthCheckIntervalSeconds: check.intervalSeconds,
    HealthCheckTimeoutSeconds: check.timeoutSeconds,
    HealthyThresholdCount: check.healthyThreshold,
    UnhealthyThresholdCount: check.unhealthyThreshold,
    Matcher: { [version === 'GRPC' ? 'GrpcCode' : 'HttpCode']: check.matcher },
  };
}

function mutualInput(mutualTls: MutualTls): object {
  if (mutualTls.mode !== 'verify') return { Mode: mutualTls.mode };
  const { mode, trustStore, ignoresExpiry, advertisesCaNames } = mutualTls;
  return {
    ...{ Mode: mode, TrustStoreArn: trustStore, IgnoreClientCertificateExpiry: ignoresExpiry },
    AdvertiseTrustStoreCaNames: advertisesCaNames ? 'on' : 'off',
  };
}

function mutualTlsOf(echo: Answer | undefined): { readonly mutualTls?: MutualTls } {
  const mode = echo?.['Mode'] ?? 'off';
  if (mode === 'off') return {};
  if (mode === 'passthrough') return { mutualTls: { mode } };
  const { TrustStoreArn, IgnoreClientCertificateExpiry, AdvertiseTrustStoreCaNames } = echo ?? {};
  return {
    mutualTls: {
      ...{ mode, trustStore: TrustStoreArn, ignoresExpiry: IgnoreClientCertificateExpiry },
      advertisesCaNames: AdvertiseTrustStoreCaNames === 'on',
    },
  };
}

const CONFIGS = {
  'host-header': 'HostHeaderConfig',
  'path-pattern': 'PathPatternConfig',
  'http-request-method': 'HttpRequestMethodConfig',
  'source-ip': 'SourceIpConfig',
} as const;

function conditionInput(condition: KnownCondition): object {
  switch (condition.field) {
    case 'http-header': {
      const { field, name, values, isRegex } = condition;
      const compared = isRegex === true ? { RegexValues: values } : { Values: values };
      return { Field: field, HttpHeaderConfig: { HttpHeaderName: name, ...compared } };
    }
    case 'query-string': {
      const Values = condition.values.map(({ key, value }) => {
        return { ...(key !== undefined && { Key: key }), Value: value };
      });
      return { Field: condition.field, QueryStringConfig: { Values } };
    }
    default:
      return { Field: condition.field, [CONFIGS[condition.field]]: { Values: condition.values } };
  }
}

function conditionOf(echo: Answer): Condition {
  const field = echo['Field'];
  if (field === 'http-header') {
    const { HttpHeaderName: name, Values, RegexValues } = echo['HttpHeaderConfig'];
    if (RegexValues === undefined) return { field, name, values: Values };
    return { field, name, values: RegexValues, isRegex: true };
  }
  if (field === 'query-string') {
    const values = echo['QueryStringConfig'].Values.map(({ Key, Value }: Answer) => {
      return { ...(Key !== undefined && { key: Key }), value: Value };
    });
    return { field, values };
  }
  return { field, values: echo[CONFIGS[field as keyof typeof CONFIGS]].Values };
}

function actionOf(echo: Answer): Action {
  switch (echo['Type']) {
    case 'redirect': {
      const { Protocol, Host, Port, Path, Query, StatusCode } = echo['RedirectConfig'];
      const parts = { protocol: Protocol, host: Host, port: Port, path: Path, query: Query };
      return { kind: 'redirect', ...parts, statusCode: Number(StatusCode.slice(-3)) };
    }
    case 'fixed-response': {
      const { StatusCode, ContentType, MessageBody } = echo['FixedResponseConfig'];
      const answer = { contentType: ContentType, body: MessageBody };
      return { kind: 'fixed-response', statusCode: Number(StatusCode), ...answer };
    }
    default: {
      const { TargetGroups, TargetGroupStickinessConfig: sticky } = echo['ForwardConfig'];
      const targetGroups = TargetGroups.map(({ TargetGroupArn, Weight }: Answer) => {
        return { arn: TargetGroupArn, weight: Weight };
      });
      const isSticky = sticky?.Enabled === true;
      return {
        ...{ kind: 'forward', targetGroups },
        ...(isSticky && { stickinessSeconds: sticky.DurationSeconds }),
      };
    }
  }
}

function permissionsOf(echo: Answer): readonly Permission[] {
  const ports = {
    protocol: echo['IpProtocol'],
    fromPort: echo['FromPort'],
    toPort: echo['ToPort'],
  };
  const list = (field: string, kind: Permission['source']['kind'], of: string): Permission[] =>
    echo[field].map((one: Answer) => ({ ...ports, source: { kind, value: one[of] } }));
  return [
    ...list('IpRanges', 'ipv4', 'CidrIp'),
    ...list('Ipv6Ranges', 'ipv6', 'CidrIpv6'),
    ...list('PrefixListIds', 'prefix-list', 'PrefixListId'),
    ...list('UserIdGroupPairs', 'security-group', 'GroupId'),
  ];
}

function toPairs(record: Tags): readonly object[] {
  return Object.entries(record).map(([Key, Value]) => ({ Key, Value }));
}

function pairsOf(pairs: readonly { readonly Key: string; readonly Value: string }[]): Tags {
  return Object.fromEntries(pairs.map(({ Key, Value }) => [Key, Value]));
}
