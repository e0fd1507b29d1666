import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shapeActions, toAction } from '../../../../src/aws/elbv2/actions.ts';
import { shapeCondition, shapeTransform } from '../../../../src/aws/elbv2/rules-client.ts';
import type {
  HealthCheck,
  KnownAction,
  KnownCondition,
  KnownTransform,
  MutualTls,
  RedirectAction,
  RuleSettings,
} from '../../../../src/aws/elbv2/traffic.ts';
import { CERTIFICATE, POLICY } from '../../localstack/traffic/traffic-model.ts';
import { never } from '../client/scripted-aws-api.ts';
import { groupSettings, makeGroups, trafficBench } from './traffic-bench.ts';

/** Letters that hold for every field, and are compared with regard to case by none of AWS's. */
const word = fc.stringMatching(/^[a-z][a-z0-9]{0,7}$/);
const values = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });

const conditions: fc.Arbitrary<readonly KnownCondition[]> = fc
  .record(
    {
      hosts: values.map((list) => ({
        field: 'host-header' as const,
        values: list.map((one) => `${one}.example.com`),
      })),
      paths: values.map((list) => ({
        field: 'path-pattern' as const,
        values: list.map((one) => `/${one}`),
      })),
      methods: fc.constantFrom(['GET'], ['GET', 'HEAD']).map((list) => ({
        field: 'http-request-method' as const,
        values: list,
      })),
      sources: fc.constantFrom(['10.0.0.0/8'], ['192.0.2.0/24', '2001:db8::/32']).map((list) => ({
        field: 'source-ip' as const,
        values: list,
      })),
      header: fc.record({ name: word, values }).map((header) => ({
        ...header,
        field: 'http-header' as const,
      })),
      regex: word.map((name) => ({
        ...{ field: 'http-header' as const, name, values: ['^v[0-9]+$'] },
        isRegex: true as const,
      })),
      query: fc
        .uniqueArray(fc.record({ key: word, value: word }, { requiredKeys: ['value'] }), {
          minLength: 1,
          maxLength: 3,
          selector: (pair) => JSON.stringify(pair),
        })
        .map((list) => ({ field: 'query-string' as const, values: list })),
    },
    { requiredKeys: [] },
  )
  .map((some) => Object.values(some) as KnownCondition[])
  .filter((some) => some.length > 0 && some.flatMap((one) => [...one.values]).length <= 5);

const redirects: fc.Arbitrary<RedirectAction> = fc
  .record(
    {
      statusCode: fc.constantFrom(301, 302),
      protocol: fc.constantFrom('HTTP', '#{protocol}'),
      host: word.map((one) => `${one}.example.com`),
      port: fc.constantFrom('80', '8443', '#{port}'),
      path: word.map((one) => `/${one}/#{path}`),
      query: word.map((one) => `a=${one}&#{query}`),
    },
    { requiredKeys: ['statusCode', 'path'] },
  )
  .map((parts) => ({ kind: 'redirect', ...parts }));

const responses: fc.Arbitrary<KnownAction> = fc
  .record(
    {
      statusCode: fc.constantFrom(200, 404, 418, 503),
      contentType: fc.constantFrom('text/plain', 'application/json'),
      body: word,
    },
    { requiredKeys: ['statusCode'] },
  )
  .map((parts) => ({ kind: 'fixed-response', ...parts }));

function forwards(arns: readonly string[]): fc.Arbitrary<KnownAction> {
  const groups = fc.uniqueArray(
    fc.record({ arn: fc.constantFrom(...arns), weight: fc.integer({ min: 0, max: 999 }) }),
    { minLength: 1, maxLength: 5, selector: ({ arn }) => arn },
  );
  return fc
    .record(
      { targetGroups: groups, stickinessSeconds: fc.integer({ min: 1, max: 604_800 }) },
      { requiredKeys: ['targetGroups'] },
    )
    .map((parts) => ({ kind: 'forward', ...parts }));
}

const transforms: fc.Arbitrary<readonly KnownTransform[]> = fc.subarray([
  { kind: 'host', regex: '^(.+)[.]example[.]com$', replace: '$1.internal' },
  { kind: 'url', regex: '^/a/(.*)$', replace: '/$1' },
]);

/** What is left out of a redirect keeps the request's, which AWS echoes as placeholders. */
const PLACEHOLDERS = {
  ...{ protocol: '#{protocol}', host: '#{host}', port: '#{port}' },
  ...{ path: '/#{path}', query: '#{query}' },
};

function meaningOf(action: KnownAction): KnownAction {
  return action.kind === 'redirect' ? { ...PLACEHOLDERS, ...action } : action;
}

describe('what is sent and read back means the same', () => {
  it('for the actions and conditions of a rule, created and modified', {
    timeout: 60_000,
  }, async () => {
    const bench = trafficBench();
    const arns = (await makeGroups(bench, 'a', 'b', 'c', 'd', 'e')).map(({ arn }) => arn);
    const defaultAction = { kind: 'fixed-response', statusCode: 404 } as const;
    const http = { port: 80, protocol: 'HTTP', defaultAction, tags: { a: 'b' } };
    const listener = await bench.listeners.create(bench.shop, http);
    const actions = fc.oneof(forwards(arns), redirects, responses);
    const rules = fc.record({ action: actions, conditions, transforms });
    const observe = async (arn: string): Promise<unknown> => {
      const all = await bench.rules.list(listener.arn, never);
      const rule = all?.find((one) => one.arn === arn);
      return {
        ...{ conditions: rule?.conditions, action: rule?.actions },
        transforms: rule?.transforms,
      };
    };
    const meant = (rule: Omit<RuleSettings, 'priority'>) => ({
      ...{ conditions: rule.conditions, transforms: rule.transforms },
      action: [meaningOf(rule.action)],
    });
    await fc.assert(
      fc.asyncProperty(rules, rules, async (first, second) => {
        const { arn } = await bench.rules.create(listener.arn, {
          ...first,
          priority: 1,
          tags: { a: 'b' },
        });
        try {
          expect(await observe(arn)).toEqual(meant(first));
          await bench.rules.modify(arn, second);
          expect(await observe(arn)).toEqual(meant(second));
        } finally {
          await bench.rules.delete(arn);
        }
      }),
      { numRuns: 150 },
    );
  });

  it('for the default action of a listener', async () => {
    const bench = trafficBench();
    const arns = (await makeGroups(bench, 'a', 'b')).map(({ arn }) => arn);
    await fc.assert(
      fc.asyncProperty(fc.oneof(forwards(arns), redirects, responses), async (defaultAction) => {
        const settings = { port: 80, protocol: 'HTTP', defaultAction, tags: { a: 'b' } };
        const { arn } = await bench.listeners.create(bench.shop, settings);
        const [listed] = (await bench.listeners.list(bench.shop, never)) ?? [];
        await bench.listeners.delete(arn);
        expect(listed?.defaultActions).toEqual([meaningOf(defaultAction)]);
      }),
      { numRuns: 50 },
    );
  });

  it('for mutual TLS of a listener, which is left out where it is off', async () => {
    const bench = trafficBench();
    const trustStore = 'arn:aws:elasticloadbalancing:us-east-1:000000000000:truststore/a/1';
    bench.model.control.setTrustStores([trustStore]);
    const modes: fc.Arbitrary<MutualTls> = fc.oneof(
      fc.constantFrom<MutualTls>({ mode: 'off' }, { mode: 'passthrough' }),
      fc.record({
        ...{ mode: fc.constant('verify' as const), trustStore: fc.constant(trustStore) },
        ...{ ignoresExpiry: fc.boolean(), advertisesCaNames: fc.boolean() },
      }),
    );
    const https = { port: 443, protocol: 'HTTPS', sslPolicy: POLICY, certificate: CERTIFICATE };
    const defaultAction = { kind: 'fixed-response', statusCode: 404 } as const;
    const settings = { ...https, defaultAction, tags: { a: 'b' } };
    const read = async (): Promise<unknown> =>
      (await bench.listeners.list(bench.shop, never))?.[0]?.mutualTls ?? { mode: 'off' };
    await fc.assert(
      fc.asyncProperty(modes, modes, async (first, second) => {
        const { arn } = await bench.listeners.create(bench.shop, { ...settings, mutualTls: first });
        expect(await read()).toEqual(first);
        await bench.listeners.modify(arn, { mutualTls: second });
        expect(await read()).toEqual(second);
        await bench.listeners.delete(arn);
      }),
      { numRuns: 30 },
    );
  });

  it('for the health check of a group', async () => {
    const { targetGroups } = trafficBench();
    const { arn } = await targetGroups.create(groupSettings);
    const checks: fc.Arbitrary<HealthCheck> = fc.record({
      protocol: fc.constantFrom('HTTP', 'HTTPS'),
      port: fc.constantFrom('traffic-port', '9000'),
      path: word.map((one) => `/${one}?full=1`),
      intervalSeconds: fc.integer({ min: 121, max: 300 }),
      timeoutSeconds: fc.integer({ min: 2, max: 120 }),
      healthyThreshold: fc.integer({ min: 2, max: 10 }),
      unhealthyThreshold: fc.integer({ min: 2, max: 10 }),
      matcher: fc.constantFrom('200', '200,204', '200-399'),
    });
    await fc.assert(
      fc.asyncProperty(checks, async (healthCheck) => {
        await targetGroups.setHealthCheck(arn, healthCheck, 'HTTP1');
        const [observed] = await targetGroups.find([groupSettings.name], never);
        expect(observed?.healthCheck).toEqual(healthCheck);
      }),
      { numRuns: 50 },
    );
  });
});

describe('what albridge does not write', () => {
  it('is shown by its type and its place', () => {
    const forward = toAction({ kind: 'forward', targetGroups: [{ arn: 'a', weight: 1 }] });
    const authenticate = { Type: 'authenticate-oidc', Order: 1 } as const;
    expect(shapeActions([{ ...forward, Order: 2 }, authenticate])).toEqual([
      { kind: 'unknown', type: 'authenticate-oidc' },
      { kind: 'forward', targetGroups: [{ arn: 'a', weight: 1 }] },
    ]);
  });

  it('is a regular expression on a host or a path', () => {
    const condition = { Field: 'host-header', HostHeaderConfig: { RegexValues: ['^a'] } };
    expect(shapeCondition(condition)).toEqual({ field: 'unknown', type: 'host-header' });
  });

  it('is a transform of two rewrites or of another type', () => {
    const one = { Regex: 'a', Replace: 'b' };
    for (const from of [
      { Type: 'url-rewrite', UrlRewriteConfig: { Rewrites: [one, one] } },
      { Type: 'body-rewrite' },
    ]) {
      expect(shapeTransform(from as never)).toEqual({ kind: 'unknown', type: from.Type });
    }
  });

  it('is no forward without its groups, which AWS may name in the short form alone', () => {
    expect(shapeActions([{ Type: 'forward', TargetGroupArn: 'a' }])).toEqual([
      { kind: 'forward', targetGroups: [{ arn: 'a', weight: 1 }] },
    ]);
  });
});
