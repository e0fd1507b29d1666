/**
 * Every operation of AWS that albridge uses, one entry each in src/aws/elbv2/operations.ts , src/aws/ec2/operations.ts
 * or src/aws/acm/operations.ts. Budget, retries, metrics, error messages, the IAM policy (`npm run gen`),
 * the simulation's crash points and docs/aws-operations.md derive from it. A new entry of ELBv2 needs
 * its command in src/aws/elbv2/elbv2-commands.ts, others their messages and schemas.
 */
import type * as elb from '@aws-sdk/client-elastic-load-balancing-v2';
import { type AcmMessages, acmOperations } from '../acm/operations.ts';
import { type Ec2Messages, ec2Operations } from '../ec2/operations.ts';
import { elbv2Operations } from '../elbv2/operations.ts';
import { type BucketName, type OperationTraits, services } from './operation-traits.ts';

export const operations = { ...elbv2Operations, ...ec2Operations, ...acmOperations } as const;

export type Elbv2Operation = keyof typeof elbv2Operations;
export type AwsOperation = keyof typeof operations;

type Elbv2Messages = {
  readonly [Operation in Elbv2Operation]: InOut<InstanceType<Commands[`${Operation}Command`]>>;
};

/** Each operation's input and output. */
export type AwsOperations = Elbv2Messages & Readonly<Ec2Messages & AcmMessages>;

type Commands = typeof elb;

/** As the SDK types them. */
type InOut<Command> = Command extends {
  readonly input: infer Input;
  resolveMiddleware(...parts: never[]): (args: never) => Promise<{ readonly output: infer Output }>;
}
  ? [Input, Output]
  : never;

export function getTraits(operation: AwsOperation): OperationTraits {
  return operations[operation];
}

/** As the policy names it: `elasticloadbalancing:SetSubnets`. */
export function getIamAction(operation: AwsOperation): string {
  return `${services[operations[operation].service].iamPrefix}:${operation}`;
}

export function isWrite(operation: AwsOperation): boolean {
  return !READS.includes(getTraits(operation).bucket);
}

const READS: readonly BucketName[] = ['reads', 'ec2Reads', 'acmReads'];

/** All that one call pays into. */
export function getBuckets(operation: AwsOperation): readonly BucketName[] {
  const { service, bucket } = getTraits(operation);
  return service === 'elbv2' ? ['account', bucket] : [bucket];
}
