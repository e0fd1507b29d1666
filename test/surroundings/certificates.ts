import { ACMClient, ImportCertificateCommand } from '@aws-sdk/client-acm';
import { type MadeCertificate, makeCertificate } from '../fakes/certificate.ts';
import { ADMINISTRATOR } from './aws-stand-in.ts';

type Strings = Readonly<Record<string, string>>;

/** The real client of ACM for the stand-in that this environment leads to. */
export function acmClient(environment: Strings): ACMClient {
  return new ACMClient({
    endpoint: environment['AWS_ENDPOINT_URL'] as string,
    region: environment['AWS_REGION'] as string,
    credentials: ADMINISTRATOR,
    maxAttempts: 1,
  });
}

/** Returns its ARN. */
export async function importCertificate(
  environment: Strings,
  { certificate, privateKey }: MadeCertificate,
): Promise<string> {
  const client = acmClient(environment);
  const input = { Certificate: Buffer.from(certificate), PrivateKey: Buffer.from(privateKey) };
  const { CertificateArn } = await client.send(new ImportCertificateCommand(input));
  client.destroy();
  return CertificateArn as string;
}

/** Two to put into a listener: shop.example.com and example.org, each with the names below it. */
export async function importReadyCertificates(environment: Strings): Promise<readonly string[]> {
  const arns: string[] = [];
  for (const name of ['shop.example.com', 'example.org']) {
    arns.push(await importCertificate(environment, await makeCertificate([name, `*.${name}`])));
  }
  return arns;
}
