import type { ACMClient } from '@aws-sdk/client-acm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../fakes/certificate.ts';
import { acmClient } from '../../surroundings/certificates.ts';
import { backendUnderTest, isMissing } from '../under-test.ts';
import { type Contestant, compareSequences, knownAmong, useContest } from './comparing.ts';
import { createBalancer } from './side.ts';
import { judgedTls, judgeTls } from './tls-judge.ts';
import { type TlsPlace, TlsSide } from './tls-side.ts';
import { closingTls, openingTls, tlsExamples, tlsSteps } from './tls-steps.ts';

const SEQUENCES = 60;

/** As comparison.test.ts, for HTTPS listeners, their certificates and attributes, and ACM. */
describe.skipIf(isMissing)('the embedded stand-in and this backend, with TLS', () => {
  const contest = useContest();
  const places = new Map<Contestant, TlsPlace>();
  beforeAll(async () => {
    const contents = await makeContents();
    for (const one of contest().contestants) {
      const { api } = one.adapter;
      const balancer = await createBalancer(api, `h${process.pid}x0`, one.network.subnets);
      places.set(one, { api, acm: connectToAcm(one), balancer, contents });
    }
  });
  afterAll(async () => {
    for (const { api, acm, balancer } of places.values()) {
      await api.send('DeleteLoadBalancer', { LoadBalancerArn: balancer });
      acm.destroy();
    }
  });

  it(`answer ${SEQUENCES} random sequences alike, but for the table`, {
    timeout: 600_000,
  }, async () => {
    const { accepted, refused, whole, seen } = await compareSequences(contest(), {
      ...{ steps: tlsSteps, opening: openingTls, closing: closingTls },
      ...{ examples: tlsExamples, count: SEQUENCES, seed: 20261127 },
      playerOf: (one) => new TlsSide(places.get(one) as TlsPlace),
      createJudge: () => judgeTls,
    });
    expect(accepted).toBeGreaterThan(SEQUENCES * 5);
    expect(refused).toBeGreaterThan(SEQUENCES);
    expect(whole).toBeGreaterThan(SEQUENCES / 5);
    expect(seen).toEqual(knownAmong(judgedTls));
  });
});

function connectToAcm({ url }: Contestant): ACMClient {
  return acmClient({ AWS_ENDPOINT_URL: url, AWS_REGION: backendUnderTest().region });
}

async function makeContents(): Promise<TlsPlace['contents']> {
  const day = 86_400_000;
  const past = { notBefore: new Date(Date.now() - 2 * day), notAfter: new Date(Date.now() - day) };
  const [shop, org, ecdsa, expired] = await Promise.all([
    makeCertificate(['shop.example.com', '*.shop.example.com']),
    makeCertificate(['example.org']),
    makeCertificate(['api.example.com'], { algorithm: 'ECDSA' }),
    makeCertificate(['old.example.com'], past),
  ]);
  const otherKey = { ...shop, privateKey: org.privateKey };
  return { shop, org, ecdsa, expired, otherKey, noPem: { ...shop, certificate: 'no certificate' } };
}
