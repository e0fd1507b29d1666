import {
  DeleteCertificateCommand,
  DescribeCertificateCommand,
  ImportCertificateCommand,
  ListCertificatesCommand,
} from '@aws-sdk/client-acm';
import {
  CreateListenerCommand,
  CreateLoadBalancerCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonFromOutput } from '../../../../localstack/embedded/http/json-protocol.ts';
import { type MadeCertificate, makeCertificate } from '../../../fakes/certificate.ts';
import { acmClient, importCertificate } from '../../../surroundings/certificates.ts';
import { serveAwsForTests } from '../http/served-aws.ts';

const aws = serveAwsForTests();
let [rsa, ecdsa, other, expired]: MadeCertificate[] = [];

beforeAll(async () => {
  rsa = await makeCertificate(['shop.example.com', '*.shop.example.com']);
  ecdsa = await makeCertificate(['api.example.com'], { algorithm: 'ECDSA' });
  other = await makeCertificate(['api.example.com'], { algorithm: 'ECDSA' });
  const long = { notBefore: new Date(2020, 1, 1), notAfter: new Date(2021, 1, 1) };
  expired = await makeCertificate(['old.example.com'], { algorithm: 'ECDSA', ...long });
});

function inputOf(made: MadeCertificate | undefined): { Certificate: Buffer; PrivateKey: Buffer } {
  const { certificate = '', privateKey = '' } = made ?? {};
  return { Certificate: Buffer.from(certificate), PrivateKey: Buffer.from(privateKey) };
}

test('an operation of ACM without output has an empty body', () => {
  expect([{}, { CertificateArn: 'a' }].map(jsonFromOutput)).toEqual(['', '{"CertificateArn":"a"}']);
});

describe('certificates in ACM, through its client', () => {
  test('are imported, listed, described, replaced and deleted', async () => {
    const acm = acmClient(aws.environment);
    const [first, second] = [
      await importCertificate(aws.environment, rsa as MadeCertificate),
      await importCertificate(aws.environment, ecdsa as MadeCertificate),
    ];
    expect(first).toMatch(/^arn:aws:acm:us-east-1:000000000000:certificate\/[0-9a-f-]{36}$/);
    const unasked = await acm.send(new ListCertificatesCommand({}));
    const { NotAfter } = unasked.CertificateSummaryList?.[0] ?? {};
    expect(NotAfter?.getTime()).toBeGreaterThan(Date.now());
    expect(NotAfter?.getTime()).toBeLessThan(Date.now() + 48 * 3_600_000);
    expect(unasked.CertificateSummaryList).toMatchObject([
      {
        ...{ CertificateArn: first, DomainName: 'shop.example.com', KeyAlgorithm: 'RSA_2048' },
        SubjectAlternativeNameSummaries: ['shop.example.com', '*.shop.example.com'],
        ...{ Status: 'ISSUED', Type: 'IMPORTED', InUse: false },
      },
    ]);
    const Includes = { keyTypes: ['RSA_2048' as const, 'EC_prime256v1' as const] };
    const list = (NextToken?: string) =>
      acm.send(new ListCertificatesCommand({ Includes, MaxItems: 1, NextToken }));
    const page = await list();
    const last = await list(page.NextToken);
    expect(last.CertificateSummaryList).toMatchObject([{ CertificateArn: second }]);
    expect(last.NextToken).toBeUndefined();

    const again = { ...inputOf(other), CertificateArn: second };
    expect((await acm.send(new ImportCertificateCommand(again))).CertificateArn).toBe(second);
    await acm.send(new DeleteCertificateCommand({ CertificateArn: second }));
    const describing = acm.send(new DescribeCertificateCommand({ CertificateArn: second }));
    await expect(describing).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
    acm.destroy();
  });

  test('can be those of a listener, and then stay', async () => {
    const acm = acmClient(aws.environment);
    const CertificateArn = await importCertificate(aws.environment, ecdsa as MadeCertificate);
    const Subnets = aws.network.subnets.slice(0, 2);
    const { LoadBalancers } = await aws.elb.send(
      new CreateLoadBalancerCommand({ Name: 'shop', Subnets }),
    );
    const LoadBalancerArn = LoadBalancers?.[0]?.LoadBalancerArn ?? '';
    const FixedResponseConfig = { StatusCode: '404' };
    await aws.elb.send(
      new CreateListenerCommand({
        ...{ LoadBalancerArn, Protocol: 'HTTPS', Port: 443, Certificates: [{ CertificateArn }] },
        DefaultActions: [{ Type: 'fixed-response', FixedResponseConfig }],
      }),
    );
    const deleting = acm.send(new DeleteCertificateCommand({ CertificateArn }));
    await expect(deleting).rejects.toMatchObject({ name: 'ResourceInUseException' });
    const { Certificate } = await acm.send(new DescribeCertificateCommand({ CertificateArn }));
    expect(Certificate).toMatchObject({
      InUseBy: [LoadBalancerArn],
      Subject: 'CN=api.example.com',
    });
    acm.destroy();
  });

  test.each([
    [
      'a key of another certificate',
      () => ({ ...inputOf(ecdsa), PrivateKey: inputOf(other).PrivateKey }),
    ],
    ['what is no certificate', () => ({ ...inputOf(ecdsa), Certificate: Buffer.from('x') })],
    ['a certificate that has expired', () => inputOf(expired)],
    [
      'two certificates in one field',
      () => {
        const { Certificate, PrivateKey } = inputOf(ecdsa);
        return { Certificate: Buffer.concat([Certificate, Certificate]), PrivateKey };
      },
    ],
    ['a key beyond 5 KB', () => ({ ...inputOf(ecdsa), PrivateKey: Buffer.alloc(5121) })],
    [
      'tags on a second import',
      () => ({
        ...inputOf(ecdsa),
        CertificateArn: 'arn:aws:acm:us-east-1:000000000000:certificate/x',
        Tags: [{ Key: 'a', Value: 'b' }],
      }),
    ],
    ['an ARN that is none', () => ({ ...inputOf(ecdsa), CertificateArn: 'arn:aws:iam::1:server' })],
  ])('refuse %s with ValidationException', async (_, input) => {
    const acm = acmClient(aws.environment);
    const importing = acm.send(new ImportCertificateCommand(input()));
    await expect(importing).rejects.toMatchObject({ name: 'ValidationException' });
    const Includes = { keyTypes: ['EC_prime256v1' as const] };
    const { CertificateSummaryList } = await acm.send(new ListCertificatesCommand({ Includes }));
    expect(CertificateSummaryList).toEqual([]);
    acm.destroy();
  });

  test.each([
    ['a key that AWS reserves', [{ Key: 'aws:a' }], 'InvalidTagException'],
    ['one key twice', [{ Key: 'a' }, { Key: 'a' }], 'InvalidParameterException'],
    ['51 of them', Array.from({ length: 51 }, (_, i) => ({ Key: `${i}` })), 'TooManyTagsException'],
  ])("refuse tags with %s by ACM's own code", async (_, Tags, name) => {
    const acm = acmClient(aws.environment);
    const importing = acm.send(new ImportCertificateCommand({ ...inputOf(ecdsa), Tags }));
    await expect(importing).rejects.toMatchObject({ name });
    acm.destroy();
  });

  test('refuse what is not modelled', async () => {
    const acm = acmClient(aws.environment);
    const command = new ListCertificatesCommand({ SortBy: 'CREATED_AT', SortOrder: 'ASCENDING' });
    await expect(acm.send(command)).rejects.toMatchObject({ name: 'ValidationException' });
    acm.destroy();
  });
});
