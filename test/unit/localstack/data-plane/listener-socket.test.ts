import { expect, onTestFinished, test } from 'vitest';
import {
  type ImportedCertificate,
  readCertificate,
} from '../../../../localstack/embedded/acm/imported-certificate.ts';
import { chooseCertificate } from '../../../../localstack/embedded/data-plane/certificates.ts';
import { ListenerSocket } from '../../../../localstack/embedded/data-plane/listener-socket.ts';
import type { ListenerTls } from '../../../../localstack/embedded/listeners/listener.ts';
import { type CertificatePlan, makeCertificate } from '../../../fakes/certificate.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';

/** Says of the first port that it was used before. */
class OnceUsedPorts extends Set<number> {
  readonly refused: number[] = [];

  override has(port: number): boolean {
    if (this.refused.length === 0) this.refused.push(port);
    return this.refused.includes(port) || super.has(port);
  }
}

test('a listener never gets a port that another one has had', async () => {
  const usedPorts = new OnceUsedPorts();
  const socket = await ListenerSocket.open({
    ...{ protocol: 'HTTP', usedPorts, keepAliveMs: 1000, getIdleMs: () => 1000 },
    ...{ chooseCertificate: () => undefined, isHttp2On: () => true, handle: () => {} },
    clock: new ManualClock(),
  });
  onTestFinished(() => socket.close());
  const port = Number(socket.address.split(':')[1]);
  expect(usedPorts.refused).toHaveLength(1);
  expect(usedPorts.refused).not.toContain(port);
  expect([...usedPorts]).toEqual([port]);
});

async function imported(arn: string, plan: CertificatePlan = {}): Promise<ImportedCertificate> {
  const made = await makeCertificate(['*.example.com'], plan);
  const input = {
    Certificate: Buffer.from(made.certificate),
    PrivateKey: Buffer.from(made.privateKey),
  };
  const times = { createdAtMs: 0, importedAtMs: 0 };
  return { ...readCertificate(input, Date.now()), ...times, arn, sequence: 1, tags: new Map() };
}

test('of certificates that fit, ECDSA comes before RSA, and what is valid longer before the rest', async () => {
  const soon = new Date(Date.now() + 60_000);
  const all = [
    await imported('default', { notAfter: soon }),
    await imported('rsa'),
    await imported('soon', { algorithm: 'ECDSA', notAfter: soon }),
    await imported('ecdsa', { algorithm: 'ECDSA' }),
  ];
  const chosenOf = (...arns: string[]): string | undefined => {
    const tls = { certificateArn: 'default' } as ListenerTls;
    const byArn = new Map(all.map((one) => [one.arn, one]));
    const choice = { tls, extraCertificateArns: arns, imported: byArn };
    return chooseCertificate(choice, 'a.example.com')?.arn;
  };
  expect(chosenOf('rsa', 'soon', 'ecdsa')).toBe('ecdsa');
  expect(chosenOf('rsa', 'soon')).toBe('soon');
  expect(chosenOf('rsa')).toBe('rsa');
  expect(chosenOf()).toBe('default');
});
