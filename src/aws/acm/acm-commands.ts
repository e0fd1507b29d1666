/**
 * The operations of AWS Certificate Manager that albridge uses, over the SDK's own protocol and signer, as
 * those of EC2 (docs/decisions/0013-ec2-without-its-client.md). A schema names the members of a message;
 * what AWS answers beyond it is left out. https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
import { AwsJson1_1Protocol } from '@aws-sdk/core/protocols';
import {
  chooseEndpoint,
  defineService,
  type EndpointParameters,
  type MessageSchemas,
  NUMBER,
  TEXT,
  TEXTS,
  TIME,
} from '../client/sdk-commands.ts';
import type { AcmOperation } from './operations.ts';

const NAMESPACE = 'com.amazonaws.acm';

/** Turns any client of the SDK into one of ACM. */
export const acmService = {
  serviceId: 'ACM',
  signingName: 'acm',
  protocol: AwsJson1_1Protocol,
  protocolSettings: {
    defaultNamespace: NAMESPACE,
    version: '2015-12-08',
    serviceTarget: 'CertificateManager',
  },
  /** https://docs.aws.amazon.com/general/latest/gr/acm.html */
  endpointProvider: (parameters: EndpointParameters) => chooseEndpoint('acm', parameters),
} as const;

const { defineStructure, defineList, createCommand } = defineService({
  namespace: NAMESPACE,
  name: 'CertificateManager',
  client: 'ACMClient',
});

const Filters = defineStructure('Filters', { keyTypes: TEXTS });
const CertificateSummary = defineStructure('CertificateSummary', {
  ...{ CertificateArn: TEXT, DomainName: TEXT, SubjectAlternativeNameSummaries: TEXTS },
  ...{ NotBefore: TIME, NotAfter: TIME },
});

const schemas: Readonly<Record<AcmOperation, MessageSchemas>> = {
  ListCertificates: [
    defineStructure('ListCertificatesRequest', {
      ...{ CertificateStatuses: TEXTS, Includes: Filters, NextToken: TEXT, MaxItems: NUMBER },
    }),
    defineStructure('ListCertificatesResponse', {
      NextToken: TEXT,
      CertificateSummaryList: defineList(CertificateSummary),
    }),
  ],
};

/** A command for the SDK's client, as of a client of its own. */
export function createAcmCommand(operation: AcmOperation, input: object): object {
  return createCommand(operation, schemas[operation], input);
}
