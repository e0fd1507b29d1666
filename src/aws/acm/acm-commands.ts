/**
 * The operations of AWS Certificate Manager that albridge uses, over the SDK's own protocol and signer, as
 * those of EC2 (docs/decisions/0013-ec2-without-its-client.md). A schema names the members of a message;
 * what AWS answers beyond it is left out. https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html
 */
import { partition } from '@aws-sdk/core/client';
import { AwsJson1_1Protocol } from '@aws-sdk/core/protocols';
import { makeBuilder } from '@smithy/core/client';
import { getEndpointPlugin } from '@smithy/core/endpoints';
import type { AcmOperation } from './operations.ts';

const NAMESPACE = 'com.amazonaws.acm';

interface EndpointParameters {
  readonly Region?: string;
  readonly Endpoint?: string;
  readonly UseFIPS?: boolean;
}

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
  endpointProvider: ({ Region = '', Endpoint, UseFIPS = false }: EndpointParameters) => {
    const { dnsSuffix, name } = partition(Region);
    const isFips = UseFIPS && name !== 'aws-us-gov';
    const host = `${isFips ? 'acm-fips' : 'acm'}.${Region}.${dnsSuffix}`;
    return { url: new URL(Endpoint ?? `https://${host}`) };
  },
} as const;

/** The SDK's codes of the simple types and of the shapes. */
const TEXT = 0;
const NUMBER = 1;
const TIME = 4;
const TEXTS = 64;
const LIST = 1;
const STRUCTURE = 3;
const OPERATION = 9;

type Schema = number | (() => unknown);

function defineStructure(name: string, members: Readonly<Record<string, Schema>>): () => unknown {
  const built = [STRUCTURE, NAMESPACE, name, 0, Object.keys(members), Object.values(members)];
  return () => built;
}

const Filters = defineStructure('Filters', { keyTypes: TEXTS });
const CertificateSummary = defineStructure('CertificateSummary', {
  ...{ CertificateArn: TEXT, DomainName: TEXT, SubjectAlternativeNameSummaries: TEXTS },
  ...{ NotBefore: TIME, NotAfter: TIME },
});

const schemas: Readonly<Record<AcmOperation, readonly [input: Schema, output: Schema]>> = {
  ListCertificates: [
    defineStructure('ListCertificatesRequest', {
      ...{ CertificateStatuses: TEXTS, Includes: Filters, NextToken: TEXT, MaxItems: NUMBER },
    }),
    defineStructure('ListCertificatesResponse', {
      NextToken: TEXT,
      CertificateSummaryList: () => [LIST, NAMESPACE, 'List', 0, CertificateSummary],
    }),
  ],
};

const command = makeBuilder(
  {
    Region: { type: 'builtInParams', name: 'region' },
    Endpoint: { type: 'builtInParams', name: 'endpoint' },
    UseFIPS: { type: 'builtInParams', name: 'useFipsEndpoint' },
  },
  'CertificateManager',
  'ACMClient',
  getEndpointPlugin,
);

/** A command for the SDK's client, as of a client of its own. */
export function createAcmCommand(operation: AcmOperation, input: object): object {
  const [request, result] = schemas[operation];
  const schema = [OPERATION, NAMESPACE, operation, 0, request, result];
  const Command = command({}, () => [], operation, schema as never);
  return new Command(input);
}
