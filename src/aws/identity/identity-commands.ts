/**
 * The operations of STS and IAM that `albridge doctor` uses, over the SDK's own protocol and signer, as those of EC2
 * (docs/decisions/0013-ec2-without-its-client.md). The operator calls none of them, so they are not in the table of operations.
 * https://smithy.io/2.0/aws/protocols/aws-query-protocol.html
 */
import { partition } from '@aws-sdk/core/client';
import { AwsQueryProtocol } from '@aws-sdk/core/protocols';
import {
  chooseEndpoint,
  defineService,
  type EndpointParameters,
  TEXT,
  TEXTS,
} from '../client/sdk-commands.ts';

const NAMESPACE = 'com.amazonaws.identity';

/** Turns any client of the SDK into one of STS: https://docs.aws.amazon.com/general/latest/gr/sts.html */
export const stsService = {
  serviceId: 'STS',
  signingName: 'sts',
  protocol: AwsQueryProtocol,
  protocolSettings: describeProtocol('https://sts.amazonaws.com/doc/2011-06-15/', '2011-06-15'),
  endpointProvider: (parameters: EndpointParameters) => chooseEndpoint('sts', parameters),
} as const;

/** IAM has one endpoint in each partition, and its signatures name one region: https://docs.aws.amazon.com/general/latest/gr/iam-service.html */
export const iamService = {
  serviceId: 'IAM',
  signingName: 'iam',
  protocol: AwsQueryProtocol,
  protocolSettings: describeProtocol('https://iam.amazonaws.com/doc/2010-05-08/', '2010-05-08'),
  endpointProvider: ({ Region = '', Endpoint }: EndpointParameters) => {
    return { url: new URL(Endpoint ?? `https://${findIam(Region).host}`) };
  },
} as const;

/** The host of IAM in the partition of a region, and the region that signatures for it name. */
export function findIam(region: string): { readonly host: string; readonly signedFor: string } {
  switch (partition(region).name) {
    case 'aws-cn':
      return { host: 'iam.cn-north-1.amazonaws.com.cn', signedFor: 'cn-north-1' };
    case 'aws-us-gov':
      return { host: 'iam.us-gov.amazonaws.com', signedFor: 'us-gov-west-1' };
    default:
      return { host: 'iam.amazonaws.com', signedFor: 'us-east-1' };
  }
}

function describeProtocol(xmlNamespace: string, version: string): object {
  return { defaultNamespace: NAMESPACE, xmlNamespace, version, serviceTarget: 'Identity' };
}

const { defineStructure, defineList, createCommand } = defineService({
  namespace: NAMESPACE,
  name: 'Identity',
  client: 'IdentityClient',
});

const ContextEntry = defineStructure('ContextEntry', {
  ...{ ContextKeyName: TEXT, ContextKeyType: TEXT, ContextKeyValues: TEXTS },
});
const EvaluationResult = defineStructure('EvaluationResult', {
  ...{ EvalActionName: TEXT, EvalResourceName: TEXT, EvalDecision: TEXT },
});

const schemas = {
  GetCallerIdentity: [
    defineStructure('GetCallerIdentityRequest', {}),
    defineStructure('GetCallerIdentityResponse', { Account: TEXT, Arn: TEXT, UserId: TEXT }),
  ],
  SimulatePrincipalPolicy: [
    defineStructure('SimulatePrincipalPolicyRequest', {
      ...{ PolicySourceArn: TEXT, ActionNames: TEXTS, ResourceArns: TEXTS },
      ContextEntries: defineList(ContextEntry),
      Marker: TEXT,
    }),
    defineStructure('SimulatePolicyResponse', {
      EvaluationResults: defineList(EvaluationResult),
      Marker: TEXT,
    }),
  ],
} as const;

/** A command for the SDK's client, as of a client of its own. */
export function createIdentityCommand(operation: keyof typeof schemas, input: object): object {
  return createCommand(operation, schemas[operation], input);
}
