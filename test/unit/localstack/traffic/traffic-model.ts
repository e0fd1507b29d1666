import { expect } from 'vitest';
import type { AwsSettings } from '../../../../localstack/embedded/aws-world.ts';
import type { EmbeddedAws } from '../../../../localstack/embedded/embedded-aws.ts';
import { AwsFault } from '../../../../localstack/embedded/http/aws-fault.ts';
import {
  type Answer,
  call,
  createBalancer,
  type ModelUnderTest,
  seededModel,
} from '../seeded-model.ts';

export const CERTIFICATE = certificateArn(1);
export const POLICY = 'ELBSecurityPolicy-TLS13-1-2-2021-06';

export function certificateArn(number: number): string {
  const id = String(number).padStart(12, '0');
  return `arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-8000-${id}`;
}

export interface TrafficUnderTest extends ModelUnderTest {
  /** The ARN of the balancer `shop` in vpc-main. */
  readonly shop: string;
  /** The ARN of the group `web` of ip targets in vpc-main, port 8080. */
  readonly web: string;
}

/** A model with one balancer, one target group and two certificates. */
export function trafficModel(settings: Partial<AwsSettings> = {}): TrafficUnderTest {
  const model = seededModel({ provisioningMs: 0, ...settings });
  model.aws.control.setCertificates([1, 2, 3, 4].map(certificateArn));
  const shop = createBalancer(model.aws, 'shop')['LoadBalancerArn'] as string;
  return { ...model, shop, web: createGroup(model.aws, 'web') };
}

/** Returns its ARN. */
export function createGroup(aws: EmbeddedAws, Name: string, input: object = {}): string {
  const asked = { Name, Protocol: 'HTTP', Port: 8080, VpcId: 'vpc-main', TargetType: 'ip' };
  const answer = call(aws, 'CreateTargetGroup', { ...asked, ...input });
  return answer['TargetGroups'][0].TargetGroupArn;
}

export const NOT_FOUND = [{ Type: 'fixed-response', FixedResponseConfig: { StatusCode: '404' } }];

export function forwardTo(...arns: readonly string[]): readonly object[] {
  if (arns.length === 1) return [{ Type: 'forward', TargetGroupArn: arns[0] }];
  const TargetGroups = arns.map((TargetGroupArn) => ({ TargetGroupArn, Weight: 1 }));
  return [{ Type: 'forward', ForwardConfig: { TargetGroups } }];
}

/** A listener that answers 404 unless told otherwise; returns its ARN. */
export function createListener(
  aws: EmbeddedAws,
  LoadBalancerArn: string,
  input: object = {},
): string {
  const asked = { LoadBalancerArn, Protocol: 'HTTP', Port: 80, DefaultActions: NOT_FOUND };
  return call(aws, 'CreateListener', { ...asked, ...input })['Listeners'][0].ListenerArn;
}

export const HTTPS = {
  ...{ Protocol: 'HTTPS', Port: 443, SslPolicy: POLICY },
  Certificates: [{ CertificateArn: CERTIFICATE }],
};

export function onPath(...Values: readonly string[]): readonly object[] {
  return [{ Field: 'path-pattern', PathPatternConfig: { Values } }];
}

/** A rule on /<priority> that answers 404 unless told otherwise; returns its ARN. */
export function createRule(
  aws: EmbeddedAws,
  ListenerArn: string,
  rule: number | { readonly Priority: number; readonly [field: string]: unknown },
): string {
  const given = typeof rule === 'number' ? { Priority: rule } : rule;
  const Conditions = onPath(`/${given.Priority}`);
  const asked = { ListenerArn, Conditions, Actions: NOT_FOUND, ...given };
  return call(aws, 'CreateRule', asked)['Rules'][0].RuleArn;
}

export function describeRule(aws: EmbeddedAws, arn: string): Answer {
  return call(aws, 'DescribeRules', { RuleArns: [arn] })['Rules'][0];
}

export interface Refusal {
  readonly code: string;
  readonly message?: string | RegExp;
  readonly why: string;
}

/** Holds the operation to this refusal, and to changing nothing. */
export function expectRefusal(
  aws: EmbeddedAws,
  [operation, input]: readonly [string, object],
  { code, message, why }: Refusal,
): void {
  const before = aws.control.snapshot();
  try {
    call(aws, operation, input);
    expect.fail(`accepted: ${why}`);
  } catch (error) {
    if (!(error instanceof AwsFault)) throw error;
    expect({ code: error.code, status: error.status }, why).toEqual({ code, status: 400 });
    if (message !== undefined) expect(error.message, why).toMatch(message);
  }
  expect(aws.control.snapshot(), why).toEqual(before);
}

/** An ARN of the kind that nobody has. */
export function goneArn(arn: string): string {
  return arn.slice(0, -16) + '0'.repeat(16);
}
