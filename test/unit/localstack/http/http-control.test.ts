import {
  CreateLoadBalancerCommand,
  DescribeLoadBalancersCommand,
} from '@aws-sdk/client-elastic-load-balancing-v2';
import { beforeEach, describe, expect, test } from 'vitest';
import { serveAwsForTests, signed } from './served-aws.ts';

const served = serveAwsForTests();

async function control(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; json: unknown }> {
  const response = await fetch(`${served.server.url}/_embedded/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, json: await response.json() };
}

async function createBalancer(name = 'shop'): Promise<void> {
  const Subnets = served.network.subnets.slice(0, 2);
  await served.elb.send(new CreateLoadBalancerCommand({ Name: name, Subnets }));
}

const state = async (): Promise<string | undefined> => {
  const found = await served.elb.send(new DescribeLoadBalancersCommand({ Names: ['shop'] }));
  return found.LoadBalancers?.[0]?.State?.Code;
};

describe('the control routes', () => {
  beforeEach(() => served.server.control.clearCalls());

  test('tell every call with its outcome, and forget them', async () => {
    await createBalancer();
    await createBalancer('internal-x').catch(() => undefined);
    const { json } = await control('GET', 'calls?operation=CreateLoadBalancer');

    expect(json).toMatchObject({
      counts: { CreateLoadBalancer: 2 },
      calls: [
        {
          operation: 'CreateLoadBalancer',
          service: 'elasticloadbalancing',
          input: { Name: 'shop' },
          outcome: 'ok',
          at: expect.any(Number),
          userAgent: expect.stringContaining('aws-sdk-js'),
        },
        { input: { Name: 'internal-x' }, outcome: 'ValidationError' },
      ],
    });
    await control('DELETE', 'calls');
    expect((await control('GET', 'calls')).json).toEqual({ counts: {}, calls: [] });
  });

  test('show the state of the account', async () => {
    await createBalancer();
    await control('POST', 'faults', { operation: 'AddTags', effect: { kind: 'hold' } });
    expect((await control('GET', 'state')).json).toMatchObject({
      region: 'us-east-1',
      loadBalancers: [{ name: 'shop', state: 'active' }],
      vpcs: [{ id: served.network.vpcId }],
      held: [],
      faults: [{ operation: 'AddTags', timesLeft: 1 }],
    });
  });

  test('script faults, list them and clear them', async () => {
    const fault = {
      operation: '*',
      times: 2,
      effect: { kind: 'error', code: 'X', status: 500, message: 'm' },
    };
    expect((await control('POST', 'faults', fault)).status).toBe(200);
    await expect(createBalancer()).rejects.toMatchObject({ name: 'X' });
    await control('DELETE', 'faults');
    expect((await control('GET', 'faults')).json).toEqual({ faults: [] });
    await createBalancer();
  });

  test('release held requests', async () => {
    await control('POST', 'faults', { operation: 'CreateLoadBalancer', effect: { kind: 'hold' } });
    const creating = createBalancer();
    await expect.poll(() => served.server.held(), { timeout: 20_000 }).toHaveLength(1);
    expect((await control('POST', 'release')).json).toEqual({ released: 1 });
    await creating;
  });

  test('pin a state and give it back', async () => {
    await createBalancer();
    await control('PUT', 'load-balancers/shop/state', { code: 'active_impaired', reason: 'x' });
    expect(await state()).toBe('active_impaired');
    await control('DELETE', 'load-balancers/shop/state');
    expect(await state()).toBe('active');
  });

  test('change settings', async () => {
    const changed = await control('PATCH', 'settings', { provisioningMs: 60_000, quota: 1 });
    expect(changed.json).toMatchObject({ provisioningMs: 60_000, quota: 1, budget: 'off' });
    await createBalancer();
    expect(await state()).toBe('provisioning');
    await expect(createBalancer('two')).rejects.toMatchObject({
      name: 'TooManyLoadBalancersException',
    });
    await control('PATCH', 'settings', { provisioningMs: 0, quota: 50 });
  });

  test('empty the account, and break off what is held', async () => {
    await createBalancer();
    await control('POST', 'faults', { operation: 'CreateLoadBalancer', effect: { kind: 'hold' } });
    const creating = createBalancer('two');
    creating.catch(() => undefined);
    await expect.poll(() => served.server.held(), { timeout: 20_000 }).toHaveLength(1);
    await control('POST', 'reset', { keepNetwork: true });

    await expect(creating).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect((await control('GET', 'state')).json).toMatchObject({
      loadBalancers: [],
      vpcs: [{ id: served.network.vpcId }],
    });
  });

  const bad: Readonly<
    Record<
      string,
      {
        readonly method: string;
        readonly path: string;
        readonly body?: unknown;
        readonly says: string;
      }
    >
  > = {
    'an unknown effect': {
      method: 'POST',
      path: 'faults',
      body: { operation: '*', effect: { kind: 'x' } },
      says: 'effect.kind',
    },
    'an inherited name as effect': {
      method: 'POST',
      path: 'faults',
      body: { operation: '*', effect: { kind: 'constructor' } },
      says: 'effect.kind',
    },
    'half an effect': {
      method: 'POST',
      path: 'faults',
      body: { operation: '*', effect: { kind: 'delay' } },
      says: 'effect.delayMs',
    },
    'a fault for nothing': {
      method: 'POST',
      path: 'faults',
      body: { effect: { kind: 'hold' } },
      says: 'operation',
    },
    'an unknown setting': { method: 'PATCH', path: 'settings', body: { speed: 1 }, says: 'speed' },
    'a negative quota': { method: 'PATCH', path: 'settings', body: { quota: -1 }, says: 'quota' },
    'an unknown budget': {
      method: 'PATCH',
      path: 'settings',
      body: { budget: 'half' },
      says: 'budget',
    },
    'an unknown balancer': {
      method: 'PUT',
      path: 'load-balancers/gone/state',
      body: { code: 'failed' },
      says: 'gone',
    },
    'an unknown state': {
      method: 'PUT',
      path: 'load-balancers/shop/state',
      body: { code: 'on' },
      says: 'code',
    },
    'a body that is no object': {
      method: 'PATCH',
      path: 'settings',
      body: [1],
      says: 'JSON object',
    },
  };
  test.for(Object.entries(bad))('refuse %s', async ([, { method, path, body, says }]) => {
    const answer = await control(method, path, body);
    expect(answer).toMatchObject({ status: 400, json: { error: expect.stringContaining(says) } });
  });

  test('answer 404 for what is no route', async () => {
    expect((await control('GET', 'nothing')).status).toBe(404);
    expect((await control('PUT', 'load-balancers/shop', { code: 'failed' })).status).toBe(404);
  });
});

describe('the health route', () => {
  test("has LocalStack's form and says that it is not LocalStack", async () => {
    const response = await fetch(`${served.server.url}/_localstack/health`);
    expect(await response.json()).toMatchObject({
      services: { elbv2: 'running', ec2: 'running' },
      implementation: "albridge's embedded stand-in for AWS, not LocalStack",
    });
    const ready = await fetch(`${served.server.url}/_localstack/init/ready`);
    expect(await ready.json()).toEqual({ completed: true, scripts: [] });
  });
});

describe('a raw request', () => {
  const post = async (
    body: string,
    headers: Record<string, string> = {},
  ): Promise<[number, string]> => {
    const response = await fetch(served.server.url, { method: 'POST', body, headers });
    return [response.status, await response.text()];
  };
  const describeAll = 'Action=DescribeLoadBalancers&Version=2015-12-01';

  const refusals: Readonly<
    Record<
      string,
      {
        readonly body: string;
        readonly headers: Record<string, string>;
        readonly status: number;
        readonly code: string;
      }
    >
  > = {
    'without a signature': {
      body: describeAll,
      headers: {},
      status: 403,
      code: 'MissingAuthenticationToken',
    },
    'with half a signature': {
      body: describeAll,
      headers: { authorization: 'AWS4-HMAC-SHA256 x' },
      status: 400,
      code: 'IncompleteSignature',
    },
    'for another region': {
      body: describeAll,
      headers: signed('elasticloadbalancing', 'eu-west-1'),
      status: 403,
      code: 'SignatureDoesNotMatch',
    },
    'for another service': {
      body: describeAll,
      headers: signed('s3'),
      status: 403,
      code: 'SignatureDoesNotMatch',
    },
    'signed six minutes ago': {
      body: describeAll,
      headers: signed('elasticloadbalancing', 'us-east-1', Date.now() - 360_000),
      status: 403,
      code: 'SignatureDoesNotMatch',
    },
    'signed six minutes ahead': {
      body: describeAll,
      headers: signed('elasticloadbalancing', 'us-east-1', Date.now() + 360_000),
      status: 403,
      code: 'SignatureDoesNotMatch',
    },
    'signed without a date': {
      body: describeAll,
      headers: { authorization: signed().authorization },
      status: 400,
      code: 'IncompleteSignature',
    },
    'without an action': {
      body: 'Version=2015-12-01',
      headers: signed(),
      status: 400,
      code: 'MissingAction',
    },
    'with an action of EC2 for ELBv2': {
      body: 'Action=DescribeVpcs',
      headers: signed(),
      status: 400,
      code: 'InvalidAction',
    },
    'with the same field twice': {
      body: `${describeAll}&Marker=a&Marker=b`,
      headers: signed(),
      status: 404,
      code: 'MalformedQueryString',
    },
    'with letters for a number': {
      body: `${describeAll}&PageSize=ten`,
      headers: signed(),
      status: 400,
      code: 'ValidationError',
    },
  };
  test.for(Object.entries(refusals))(
    '%s is refused',
    async ([, { body, headers, status, code }]) => {
      const [seen, xml] = await post(body, headers);
      expect(xml).toContain(`<Code>${code}</Code>`);
      expect(xml).toContain(
        '<ErrorResponse xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/">',
      );
      expect(seen).toBe(status);
    },
  );

  test('of EC2 gets an error in the form of EC2', async () => {
    const headers = signed('ec2');
    const [status, xml] = await post(
      'Action=DescribeVpcs&Version=2016-11-15&VpcId.1=vpc-x',
      headers,
    );
    expect(status).toBe(400);
    expect(xml).toContain('<Response><Errors><Error><Code>InvalidVpcID.NotFound</Code>');
  });

  test('of EC2 may be signed a quarter of an hour ago, and no longer', async () => {
    const body = 'Action=DescribeVpcs&Version=2016-11-15';
    const signedAgo = (ms: number) => post(body, signed('ec2', 'us-east-1', Date.now() - ms));
    expect((await signedAgo(840_000))[0]).toBe(200);
    expect((await signedAgo(960_000))[1]).toContain('<Code>RequestExpired</Code>');
  });

  test('may come by GET, with the signature in the query', async () => {
    const credential = encodeURIComponent('test/20260101/us-east-1/sts/aws4_request');
    const query = `Action=GetCallerIdentity&Version=2011-06-15&X-Amz-Credential=${credential}&X-Amz-Date=${signed()['x-amz-date']}`;
    const response = await fetch(`${served.server.url}/?${query}`);
    expect(await response.text()).toContain('<Account>000000000000</Account>');
  });

  test('that is too large is refused without being read to its end', async () => {
    const [status] = await post('x'.repeat(1_100_000), signed());
    expect(status).toBe(413);
  });
});
