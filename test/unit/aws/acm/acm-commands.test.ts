import * as sdk from '@aws-sdk/client-acm';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, it } from 'vitest';
import { acmService, createAcmCommand } from '../../../../src/aws/acm/acm-commands.ts';
import type { AcmMessages } from '../../../../src/aws/acm/operations.ts';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { serveAwsForTests } from '../../localstack/http/served-aws.ts';

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

type HttpRequest = Readonly<Record<'protocol' | 'hostname' | 'path' | 'body', string>> & {
  readonly headers: Readonly<Record<string, string>>;
};

/** What a client would send: nothing leaves the process. */
async function requestOf(
  create: (options: object) => { send(command: never): Promise<unknown> },
  command: object,
  place: object = { region: 'eu-west-1' },
): Promise<object> {
  let sent: object | undefined;
  const requestHandler = {
    async handle({ protocol, hostname, path, body, headers }: HttpRequest) {
      const scope = /Credential=[^/]+\/\d+\/([^,]+)/.exec(headers['authorization'] ?? '')?.[1];
      const to = `${protocol}//${hostname}${path}`;
      const { 'x-amz-target': target, 'content-type': type } = headers;
      sent = { to, target, type, scope, body: JSON.parse(Buffer.from(body).toString()) as unknown };
      throw new Error('not sent');
    },
  };
  const client = create({ ...place, credentials, maxAttempts: 1, requestHandler });
  await client.send(command as never).catch(() => undefined);
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
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
    const expected = await requestOf(theirs, theirCommand);
    expect(await requestOf(ours, ourCommand)).toEqual(expected);
    expect(expected).toMatchObject({ scope: 'eu-west-1/acm/aws4_request', body: input });
  });

  it.each([
    ...['us-gov-west-1', 'cn-north-1', 'us-iso-east-1'].map((region) => ({ region })),
    ...['us-gov-west-1', 'us-east-1'].map((region) => ({ region, useFipsEndpoint: true })),
    ...['cn-north-1', 'us-east-1'].map((region) => ({ region, useDualstackEndpoint: true })),
    ...['us-gov-west-1', 'us-east-1'].map((region) => {
      return { region, useFipsEndpoint: true, useDualstackEndpoint: true };
    }),
  ])('goes where the SDK goes in %o', async (place) => {
    const expected = await requestOf(theirs, theirCommand, place);
    expect(await requestOf(ours, ourCommand, place)).toEqual(expected);
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
