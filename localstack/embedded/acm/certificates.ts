// Lives here: ACM, as far as listeners need certificates.
// May import it: localstack/embedded.
// Start with: this file.

import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault, constraintFault, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, structuresOf, textOf, textsOf } from '../input-fields.ts';
import { checkedTags } from '../load-balancers/load-balancer-tags.ts';
import { integerBetween, structureOf } from '../traffic/checked-input.ts';
import { type ImportedCertificate, readCertificate } from './imported-certificate.ts';

/** With an ARN it replaces what is there. https://docs.aws.amazon.com/acm/latest/APIReference/API_ImportCertificate.html */
export function importCertificate(world: AwsWorld, input: Input): unknown {
  const content = readCertificate(input, world.clock.now());
  const isAgain = input['CertificateArn'] !== undefined;
  if (isAgain && input['Tags'] !== undefined) {
    // https://github.com/hashicorp/terraform-provider-aws/pull/15060
    throw validationError('Tagging is not permitted on re-import.');
  }
  const identity = isAgain ? certificateOf(world, input) : identify(world, input);
  const certificate = { ...identity, ...content, importedAtMs: world.clock.now() };
  world.importedCertificates.set(certificate.arn, certificate);
  world.certificates.add(certificate.arn);
  return { CertificateArn: certificate.arn };
}

/** Of the filters keyTypes and the status alone are modelled. https://docs.aws.amazon.com/acm/latest/APIReference/API_ListCertificates.html */
export function listCertificates(world: ReadableWorld, input: Input): unknown {
  const includes = structureOf(input, 'Includes') ?? {};
  const asked = Object.keys({ ...input, ...includes });
  const strange = asked.find((field) => !LIST_FIELDS.includes(field));
  if (strange !== undefined) {
    throw validationError(`${strange} is not modelled by albridge's embedded stand-in`);
  }
  const keyTypes = textsOf(includes, 'keyTypes') ?? ['RSA_1024', 'RSA_2048'];
  const statuses = textsOf(input, 'CertificateStatuses') ?? ['ISSUED'];
  const size = integerBetween(input, 'MaxItems', [1, 1000]) ?? 1000;
  const after = Number(textOf(input, 'NextToken') ?? 0);
  const rest = [...world.importedCertificates.values()].filter(
    ({ keyAlgorithm, names, sequence }) =>
      sequence > after && names.length > 0 && keyTypes.includes(keyAlgorithm),
  );
  const listed = rest.filter((certificate) => statuses.includes(statusOf(world, certificate)));
  const page = listed.slice(0, size);
  return {
    CertificateSummaryList: page.map((certificate) => summarize(world, certificate)),
    ...(listed.length > size && { NextToken: String(page.at(-1)?.sequence) }),
  };
}

const LIST_FIELDS: readonly string[] = [
  ...['Includes', 'keyTypes', 'CertificateStatuses', 'MaxItems', 'NextToken'],
];

/** https://docs.aws.amazon.com/acm/latest/APIReference/API_DescribeCertificate.html */
export function describeCertificate(world: ReadableWorld, input: Input): unknown {
  const certificate = certificateOf(world, input);
  const { x509 } = certificate;
  return {
    Certificate: {
      ...describeCommon(world, certificate),
      SubjectAlternativeNames: [...certificate.names],
      // AWS separates the bytes by colons.
      Serial: x509.serialNumber.toLowerCase().replace(/(..)(?=.)/g, '$1:'),
      Subject: x509.subject.replaceAll('\n', ','),
      Issuer: x509.issuer.replaceAll('\n', ','),
      InUseBy: usersOf(world, certificate.arn),
    },
  };
}

/** https://docs.aws.amazon.com/acm/latest/APIReference/API_DeleteCertificate.html */
export function deleteCertificate(world: AwsWorld, input: Input): unknown {
  const { arn } = certificateOf(world, input);
  if (usersOf(world, arn).length > 0) {
    // https://github.com/dfds/infrastructure-modules/issues/5
    const message = `Certificate ${arn} in account ${world.accountId} is in use.`;
    throw new AwsFault('ResourceInUseException', message);
  }
  world.importedCertificates.delete(arn);
  world.certificates.delete(arn);
  return {};
}

const ARN = /^arn:[\w+=/,.@-]+:acm:[\w+=/,.@-]*:[0-9]+:[\w+=,.@-]+(\/[\w+=,.@-]+)*$/;

function certificateOf(world: ReadableWorld, input: Input): ImportedCertificate {
  const arn = requiredText(input, 'CertificateArn');
  if (arn.length < 20 || arn.length > 2048 || !ARN.test(arn)) {
    const pattern = `Member must satisfy regular expression pattern: ${ARN.source.slice(1, -1)}`;
    throw constraintFault('certificateArn', arn, pattern);
  }
  const certificate = world.importedCertificates.get(arn);
  if (certificate !== undefined) return certificate;
  throw new AwsFault('ResourceNotFoundException', `Could not find certificate ${arn}.`);
}

/** The balancers whose listeners have it. */
function usersOf({ traffic }: ReadableWorld, arn: string): readonly string[] {
  const users = traffic.listeners.all().filter(({ tls, extraCertificateArns }) => {
    return tls?.certificateArn === arn || extraCertificateArns.includes(arn);
  });
  return [...new Set(users.map(({ balancerArn }) => balancerArn))];
}

function statusOf({ clock }: ReadableWorld, { notAfterMs }: ImportedCertificate): string {
  return clock.now() > notAfterMs ? 'EXPIRED' : 'ISSUED';
}

const MAX_SUMMARIZED_NAMES = 100;

function summarize(world: ReadableWorld, certificate: ImportedCertificate): unknown {
  return {
    ...describeCommon(world, certificate),
    SubjectAlternativeNameSummaries: certificate.names.slice(0, MAX_SUMMARIZED_NAMES),
    HasAdditionalSubjectAlternativeNames: certificate.names.length > MAX_SUMMARIZED_NAMES,
    InUse: usersOf(world, certificate.arn).length > 0,
  };
}

function describeCommon(world: ReadableWorld, certificate: ImportedCertificate): object {
  const { arn, names, keyAlgorithm, x509, createdAtMs, importedAtMs, notAfterMs } = certificate;
  return {
    CertificateArn: arn,
    DomainName: names[0],
    Status: statusOf(world, certificate),
    Type: 'IMPORTED',
    KeyAlgorithm: keyAlgorithm,
    RenewalEligibility: 'INELIGIBLE',
    NotBefore: new Date(x509.validFrom),
    NotAfter: new Date(notAfterMs),
    CreatedAt: new Date(createdAtMs),
    ImportedAt: new Date(importedAtMs),
  };
}

type Identity = Pick<ImportedCertificate, 'arn' | 'sequence' | 'createdAtMs' | 'tags'>;

function identify(world: AwsWorld, input: Input): Identity {
  const { partition, region } = world.facts;
  if (structuresOf(input, 'Tags')?.some(({ Key }) => /^aws:/i.test(String(Key))) === true) {
    // https://docs.aws.amazon.com/acm/latest/APIReference/API_ImportCertificate.html; the words are unverified.
    throw new AwsFault('InvalidTagException', 'Tag keys that begin with aws: are reserved.');
  }
  const tags = checkedTags(input);
  const before = Array.from(world.importedCertificates.values(), ({ sequence }) => sequence);
  return {
    arn: `arn:${partition}:acm:${region}:${world.accountId}:certificate/${world.ids.uuid()}`,
    sequence: Math.max(0, ...before) + 1,
    createdAtMs: world.clock.now(),
    tags,
  };
}
