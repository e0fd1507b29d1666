import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, inject, it } from 'vitest';
import { makeCertificate } from '../fakes/certificate.ts';
import { importCertificate } from '../surroundings/certificates.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const place = sharedPlace();
const { network, standIn } = place;

describe('a spec that names no subnets', { concurrent: true }, () => {
  it('becomes a load balancer in the tagged subnets, and in others once it names them', async () => {
    const objects = await place.createNamespace('discovery');
    await objects.create('shop', {});
    const { status } = await objects.whenReady('shop');
    const tagged = [...network.subnets].toSorted();
    expect(status.subnets).toEqual(tagged);
    expect(await subnetsOf(status.alb?.arn)).toEqual(tagged);
    const named = network.articleSubnets;
    await objects.edit('shop', { subnets: named });
    const edited = await objects.when('shop', (one) => one.status.subnets === undefined);
    expect(await subnetsOf(edited.status.alb?.arn)).toEqual([...named].toSorted());
  });
});

describe('an HTTPS listener that names no certificates', () => {
  it('gets the one of its host, as a TLS client sees', async () => {
    const host = 'found.example.net';
    const made = await makeCertificate([host], { algorithm: 'ECDSA' });
    const { awsEnvironment } = inject('surroundings');
    const arn = await importCertificate(awsEnvironment, made);
    const objects = await place.createNamespace('certificates');
    const body = 'found';
    await objects.create('shop', {
      listeners: [{ port: 443, protocol: 'HTTPS' }],
      rules: [{ name: 'all', hosts: [host], fixedResponse: { statusCode: 200, body } }],
    });
    const { status } = await objects.whenReady('shop');
    expect(status.listeners).toMatchObject([{ port: 443, certificates: [{ arn }] }]);
    const listener = await until('the listener serves', async () =>
      (await standIn.listeners()).find(({ dnsName }) => dnsName === status.alb?.dns),
    );
    expect(await ask(host, listener.address, made.certificate)).toBe(body);
  });
});

/** curl verifies the certificate and its name. */
async function ask(host: string, address: string, certificate: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), 'albridge-')), 'ca.pem');
  await writeFile(file, certificate);
  const [ip = '', port = ''] = address.split(':');
  const url = `https://${host}:${port}/`;
  const resolve = `${host}:${port}:${ip}`;
  const args = ['-sS', '--max-time', '20', '--cacert', file, '--resolve', resolve, url];
  return (await promisify(execFile)('curl', args)).stdout;
}

async function subnetsOf(arn: string | undefined): Promise<readonly string[]> {
  const { loadBalancers } = await standIn.state();
  const found = loadBalancers.find((one) => one.arn === arn);
  return [...(found?.subnets ?? [])].toSorted();
}
