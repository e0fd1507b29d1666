import * as sdk from '@aws-sdk/client-acm';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { acmService, createAcmCommand } from '../../../../src/aws/acm/acm-commands.ts';
import type { AcmMessages } from '../../../../src/aws/acm/operations.ts';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { serveAwsForTests } from '../../localstack/http/served-aws.ts';
import { PLACES, requestOf } from '../client/sent-requests.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** With every member that albridge sends. */
const input: AcmMessages['ListCertificates'][0] = {
  CertificateStatuses: ['ISSUED', 'EXPIRED'],
  Includes: { keyTypes: ['RSA_4096', 'EC_prime256v1'] },
  ...{ MaxItems: 1000, NextToken: 'more' },
};
const theirCommand = new sdk.ListCertificatesCommand(
  input as unknown as sdk.ListCertificatesCommandInput,
);

async function jsonOf(...args: Parameters<typeof requestOf>): Promise<object> {
  const { body, ...sent } = await requestOf(...args);
  return { ...sent, body: JSON.parse(body) as unknown };
}

function ours(options: object): ElasticLoadBalancingV2Client {
  return new ElasticLoadBalancingV2Client({ ...options, ...acmService } as object);
}

function theirs(options: object): sdk.ACMClient {
  return new sdk.ACMClient(options);
}

const ourCommand = createAcmCommand('ListCertificates', input);

describe('a request to ACM', () => {
  it("is what the SDK's own client sends", async () => {
    const expected = await jsonOf(theirs, theirCommand);
    expect(await jsonOf(ours, ourCommand)).toEqual(expected);
    expect(expected).toMatchObject({ scope: 'eu-west-1/acm/aws4_request', body: input });
  });

  it.each(PLACES)('goes where the SDK goes in %o', async (place) => {
    const expected = await jsonOf(theirs, theirCommand, place);
    expect(await jsonOf(ours, ourCommand, place)).toEqual(expected);
  });
});

describe('an answer of ACM', () => {
  const served = serveAwsForTests();
  const place = (): object => ({
    ...{ region: 'us-east-1', endpoint: served.server.url },
    ...{ credentials, maxAttempts: 1 },
  });

  it("has what the SDK's own client reads", async () => {
    const acm = theirs(place());
    const { certificate, privateKey } = await makeCertificate(['a.example.com', '*.example.com']);
    const blobs = { Certificate: Buffer.from(certificate), PrivateKey: Buffer.from(privateKey) };
    await acm.send(new sdk.ImportCertificateCommand(blobs));
    const { NextToken: _, ...first } = input;
    const all = { ...first, Includes: { keyTypes: ['RSA_2048', 'EC_prime256v1'] } };
    const answer: unknown = await ours(place()).send(
      createAcmCommand('ListCertificates', all) as never,
    );
    const own = answer as {
      readonly CertificateSummaryList: readonly [Record<string, unknown>];
    };
    const read = await acm.send(
      new sdk.ListCertificatesCommand(all as unknown as sdk.ListCertificatesCommandInput),
    );
    expect(own.CertificateSummaryList).toHaveLength(1);
    expect(read.CertificateSummaryList).toMatchObject(own.CertificateSummaryList);
    expect(own.CertificateSummaryList[0]).toMatchObject({
      SubjectAlternativeNameSummaries: ['a.example.com', '*.example.com'],
      NotAfter: expect.any(Date) as Date,
    });
  });

  it('that is an error has the code of ACM', async () => {
    const wrong = createAcmCommand('ListCertificates', { ...input, MaxItems: 5000 });
    await expect(ours(place()).send(wrong as never)).rejects.toMatchObject({
      name: 'ValidationException',
      $metadata: { httpStatusCode: 400 },
    });
  });
});
