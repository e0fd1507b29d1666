import {
  AddListenerCertificatesCommand,
  DeleteListenerCommand,
  ModifyRuleCommand,
  RegisterTargetsCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ListenerAddress } from '../../../../localstack/embedded/data-plane/data-plane.ts';
import { makeCertificate } from '../../../fakes/certificate.ts';
import { startTarget } from '../../../fakes/http-target.ts';
import { importCertificate } from '../../../surroundings/certificates.ts';
import { until } from '../../../surroundings/until.ts';
import { serveAwsForTests } from '../http/served-aws.ts';
import { askListener, BalancedPods, forwardTo, NOT_FOUND } from './balanced-pods.ts';

const aws = serveAwsForTests();
const pods = new BalancedPods(aws);
const onHost = (host: string) => ({ Field: 'host-header', Values: [host] });
const onPath = (path: string) => ({ Field: 'path-pattern', Values: [path] });

describe('requests through the data plane', () => {
  test('go by host and path to the targets of the rule, and elsewhere by default', async () => {
    const shop = await pods.createBalancer();
    const [web, api] = [await pods.createGroup('web'), await pods.createGroup('api')];
    await pods.addTarget(web, '10.9.0.1', await startTarget('web'));
    await pods.addTarget(api, '10.9.0.2', await startTarget('api'));
    const listener = await pods.createListener(shop, NOT_FOUND);
    await pods.createRule(listener, forwardTo(api), onHost('shop.example.com'), onPath('/api/*'));
    await pods.createRule(listener, forwardTo(web), onHost('shop.example.com'));
    await pods.untilHealthy(web);
    await pods.untilHealthy(api);

    const [found] = await pods.listeners();
    expect(found).toMatchObject({ loadBalancerArn: shop, port: 80, protocol: 'HTTP' });
    expect(found?.dnsName).toMatch(/^shop-\d+\.us-east-1\.elb\.amazonaws\.com$/);
    const bodyOf = async (path: string, host = 'shop.example.com') =>
      (await pods.ask(80, { path, headers: { host } })).body;
    expect(await bodyOf('/')).toBe('web');
    expect(await bodyOf('/api/v1?x=1')).toBe('api');
    expect(await bodyOf('/', 'other.example.com')).toBe('nothing here');
    expect(await pods.ask(80)).toMatchObject({
      status: 404,
      headers: { server: 'awselb/2.0', 'content-type': 'text/plain' },
    });
  });

  test('reach an instance by its id and the node port', async () => {
    const Id = 'i-0123456789abcdef0';
    const Port = 30_080;
    await pods.control('PUT', `instances/${Id}`, { subnetId: aws.network.subnets[0] });
    const group = await pods.createGroup('nodes', { TargetType: 'instance' });
    await pods.createListener(await pods.createBalancer(), forwardTo(group));
    const node = await startTarget('node');
    onTestFinished(() => node.stop());
    await pods.control('PUT', 'targets', [{ ip: Id, port: Port, address: node.address }]);
    const Targets = [{ Id, Port }];
    await aws.elb.send(new RegisterTargetsCommand({ TargetGroupArn: group, Targets }));
    await pods.untilHealthy(group);
    expect((await pods.ask(80)).body).toBe('node');
  });

  test('are split by weight', async () => {
    const shop = await pods.createBalancer();
    const [stable, canary] = [await pods.createGroup('stable'), await pods.createGroup('canary')];
    await pods.addTarget(stable, '10.9.0.1', await startTarget('stable'));
    await pods.addTarget(canary, '10.9.0.2', await startTarget('canary'));
    await pods.createListener(shop, forwardTo([stable, 90], [canary, 10]));
    await pods.untilHealthy(stable);
    await pods.untilHealthy(canary);
    const { address } = (await pods.listeners())[0] ?? {};
    const bodies: string[] = [];
    const sendHundred = async (): Promise<void> => {
      for (let sent = 0; sent < 100; sent += 1) {
        bodies.push(await (await fetch(`http://${address}/`)).text());
      }
    };
    await Promise.all(Array.from({ length: 10 }, sendHundred));
    const toCanary = bodies.filter((body) => body === 'canary').length;
    expect(bodies.filter((body) => body === 'stable')).toHaveLength(1000 - toCanary);
    // Six standard deviations of 1,000 draws at 10 %.
    expect(Math.abs(toCanary - 100)).toBeLessThan(57);
  });

  test('are encrypted with the certificate of the name that the client asks for', async () => {
    const importFor = async (...names: [string, ...string[]]) =>
      importCertificate(aws.environment, await makeCertificate(names, { algorithm: 'ECDSA' }));
    const first = await importFor('shop.example.com', '*.shop.example.com');
    const second = await importFor('api.example.com');
    const shop = await pods.createBalancer();
    const ListenerArn = await pods.createListener(shop, NOT_FOUND, {
      ...{ Protocol: 'HTTPS', Port: 443, SslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06' },
      Certificates: [{ CertificateArn: first }],
    });
    const certificateFor = async (servername: string) =>
      (await pods.ask(443, { servername })).certificate;
    expect(await certificateFor('api.example.com')).toBe('shop.example.com');

    const Certificates = [{ CertificateArn: second }];
    await aws.elb.send(new AddListenerCertificatesCommand({ ListenerArn, Certificates }));
    expect(await certificateFor('api.example.com')).toBe('api.example.com');
    expect(await certificateFor('a.shop.example.com')).toBe('shop.example.com');
    expect(await certificateFor('other.example.com')).toBe('shop.example.com');
    expect(await certificateFor('')).toBe('shop.example.com');
  });

  test('are 464 in HTTP/1.1 where the target group is for HTTP/2', async () => {
    const made = await makeCertificate(['shop.example.com'], { algorithm: 'ECDSA' });
    const CertificateArn = await importCertificate(aws.environment, made);
    const web = await pods.createGroup('web', { ProtocolVersion: 'HTTP2' });
    await pods.createListener(await pods.createBalancer(), forwardTo(web), {
      ...{ Protocol: 'HTTPS', Port: 443, Certificates: [{ CertificateArn }] },
    });
    expect((await pods.ask(443)).status).toBe(464);
  });

  test('fail with 502 where a target has died, and avoid it once it counts as unhealthy', async () => {
    const shop = await pods.createBalancer();
    const web = await pods.createGroup('web');
    const dying = await startTarget('dying');
    await pods.addTarget(web, '10.9.0.1', dying);
    await pods.addTarget(web, '10.9.0.2', await startTarget('living'));
    await pods.createListener(shop, forwardTo(web));
    await pods.untilHealthy(web);
    await dying.stop();
    const statuses = [await pods.ask(80), await pods.ask(80)].map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 502]));

    const found = { state: 'unhealthy', reason: 'Target.FailedHealthChecks', id: '10.9.0.1' };
    await pods.control('PUT', 'target-groups/web/health', found);
    for (let sent = 0; sent < 4; sent += 1) {
      expect(await pods.ask(80)).toMatchObject({ status: 200, body: 'living' });
    }
  });

  test('follow a changed rule only when it has propagated', async () => {
    const shop = await pods.createBalancer();
    const [old, young] = [await pods.createGroup('old'), await pods.createGroup('young')];
    await pods.addTarget(old, '10.9.0.1', await startTarget('old'));
    await pods.addTarget(young, '10.9.0.2', await startTarget('young'));
    const listener = await pods.createListener(shop, NOT_FOUND);
    const RuleArn = await pods.createRule(listener, forwardTo([old, 1], [young, 0]), onPath('/*'));
    await pods.untilHealthy(old);
    await pods.untilHealthy(young);
    await pods.control('PATCH', 'settings', { propagationMs: 1000 });
    try {
      const Actions = [forwardTo([old, 0], [young, 1])];
      const startMs = performance.now();
      await aws.elb.send(new ModifyRuleCommand({ RuleArn, Actions }));
      const [found] = await pods.listeners();
      const answer = async () => (await askListener(found as ListenerAddress)).body;
      expect(await answer()).toBe('old');
      await until('the change arrives', async () => (await answer()) === 'young');
      expect(performance.now() - startMs).toBeGreaterThanOrEqual(1000);
    } finally {
      await pods.control('PATCH', 'settings', { propagationMs: 0 });
    }
  });

  test('are redirected with what the rule leaves as it was', async () => {
    const RedirectConfig = { StatusCode: 'HTTP_301', Protocol: 'HTTPS', Port: '443' } as const;
    await pods.createListener(await pods.createBalancer(), { Type: 'redirect', RedirectConfig });
    const answered = await pods.ask(80, { path: '/a?b=c', headers: { host: 'a.example.com' } });
    const location = 'https://a.example.com:443/a?b=c';
    expect(answered).toMatchObject({ status: 301, headers: { location } });
  });

  test('find nobody on the port of a listener that is gone, nor another listener', async () => {
    const shop = await pods.createBalancer();
    const ListenerArn = await pods.createListener(shop, NOT_FOUND);
    const [gone] = await pods.listeners();
    await aws.elb.send(new DeleteListenerCommand({ ListenerArn }));
    await pods.createListener(shop, NOT_FOUND, { Port: 81 });
    const [next] = await pods.listeners();
    expect(next?.address).not.toBe(gone?.address);
    await expect(askListener(gone as ListenerAddress)).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });
});

describe('the control interface', () => {
  test('knows no listener where there is none', async () => {
    expect(await pods.listeners()).toEqual([]);
  });

  test.each([
    [{ ip: '10.9.0.1', port: 80, address: '127.0.0.1:1' }, 'must be a JSON list'],
    [[{ ip: '10.9.0.1', port: '80', address: '127.0.0.1:1' }], 'must have an ip and a port'],
    [[{ ip: '10.9.0.1', port: 80, address: '192.0.2.1:80' }], 'must be 127.x.y.z:PORT'],
  ])('refuses the targets %j', async (targets, says) => {
    await expect(pods.control('PUT', 'targets', targets)).rejects.toThrow(says);
  });

  test.each([-1, 60_001, '1'])('refuses a lag of %j', async (propagationMs) => {
    const patching = pods.control('PATCH', 'settings', { propagationMs });
    await expect(patching).rejects.toThrow('propagationMs must be');
  });
});
