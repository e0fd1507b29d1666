import { describe, expect, inject, it } from 'vitest';
import { type CommandLineRun, runAlbridge } from '../surroundings/command-line.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const { awsEnvironment, controlPlane } = inject('surroundings');
const place = sharedPlace();

function albridge(args: readonly string[], environment = {}): Promise<CommandLineRun> {
  const { kubeconfigPath } = controlPlane;
  return runAlbridge(args, { kubeconfigPath, awsEnvironment, environment });
}

const ATTRIBUTES = {
  'idle_timeout.timeout_seconds': '75',
  'deletion_protection.enabled': 'true',
  'routing.http.drop_invalid_header_fields.enabled': 'true',
};
interface Described {
  readonly manifest: { readonly spec: object };
  readonly traffic: { readonly spec: object };
}

const TAGS = { team: 'web', 'kubernetes.io/cluster/old': 'owned' };

/** Each command is a process of its own, and a busy machine takes seconds to start one. */
const PATIENT = { timeout: 180_000 } as const;

describe('albridge adopt', PATIENT, () => {
  it('prints a manifest whose apply changes nothing but the tags of albridge', async () => {
    const objects = await place.createNamespace('cli-adopt');
    const { namespace } = objects;
    const { articleSubnets, securityGroups } = place.network;
    const settings = { Subnets: [...articleSubnets], SecurityGroups: [...securityGroups] };
    const name = `old-${namespace}`.slice(0, 30);
    const arn = await place.outsider.createBalancer(
      { Name: name, Scheme: 'internal', IpAddressType: 'ipv4', ...settings },
      TAGS,
    );
    await place.outsider.setAttributes(arn, ATTRIBUTES);
    await place.outsider.createListener(arn, 80);
    const before = await until('the balancer is active', async () => {
      const balancer = await place.standIn.balancer(arn);
      return balancer?.state === 'active' && balancer;
    });

    const printed = await albridge(['adopt', arn, '-n', namespace, '--name', 'shop']);
    expect(printed.stderr).toBe('');
    expect(printed.exitCode).toBe(0);
    const clusterId = await place.clusterId();
    const consent = [
      `Key=albridge.io/cluster,Value=${clusterId}`,
      `Key=albridge.io/adopt,Value=${namespace}/shop`,
    ];
    expect(printed.stdout).toContain(
      `# aws elbv2 add-tags --resource-arns ${arn} --tags ${consent.join(' ')}\n`,
    );
    expect(printed.stdout).toContain(
      '# Warning: the tag kubernetes.io/cluster/old is that of another',
    );

    const asJson = await albridge(['adopt', arn, '-n', namespace, '--name', 'shop', '-o', 'json']);
    const { manifest, traffic } = JSON.parse(asJson.stdout) as Described;
    const whole = { ...manifest, spec: { ...manifest.spec, ...traffic.spec } };
    expect(traffic.spec).toMatchObject({ listeners: [{ port: 80, protocol: 'HTTP' }] });
    await place.kubectl(['apply', '--dry-run=server', '-f', '-'], JSON.stringify(whole));

    await place.outsider.setTags(arn, {
      'albridge.io/cluster': clusterId,
      'albridge.io/adopt': `${namespace}/shop`,
    });
    await place.kubectl(['apply', '-f', '-'], printed.stdout);
    const adopted = await objects.whenReady('shop');
    expect(adopted.status.alb?.arn).toBe(arn);

    const { tags: _, ...after } = (await place.standIn.balancer(arn)) ?? {};
    expect({ ...after, tags: {} }).toEqual({ ...before, tags: {} });
    const writes = await place.standIn.writesOn(arn);
    expect(writes.map(({ operation }) => operation)).toEqual(['AddTags']);
    expect(await place.outsider.tags(arn)).toMatchObject(TAGS);

    const again = await albridge(['adopt', arn, '-n', namespace, '--name', 'shop']);
    expect(again).toMatchObject({ exitCode: 1, stdout: '' });
    expect(again.stderr).toContain('holds it already: nothing is left to do');
    const other = await albridge(['adopt', arn, '-n', namespace, '--name', 'other']);
    expect(other.stderr).toContain(
      `is held by MyIngress ${namespace}/shop of cluster ${clusterId}`,
    );
  });

  it('says in one sentence that AWS cannot be asked', async () => {
    const arn = `arn:aws:elasticloadbalancing:${awsEnvironment['AWS_REGION']}:000000000000:loadbalancer/app/no/0123456789abcdef`;
    const args = ['adopt', arn, '-n', 'default', '--name', 'x'];
    const wrong: readonly (readonly [Readonly<Record<string, string>>, RegExp])[] = [
      [{ AWS_ACCESS_KEY_ID: '' }, /credentials/i],
      [{ AWS_ENDPOINT_URL: 'http://127.0.0.1:1' }, /ECONNREFUSED|unreachable|connect/i],
      [{ AWS_REGION: '' }, /^albridge: AWS_REGION is not set: set it to an AWS region/],
      [{ KUBECONFIG: '/nowhere' }, /^albridge: no kubeconfig at \/nowhere/],
    ];
    for (const [environment, says] of wrong) {
      const { exitCode, stderr } = await albridge(args, environment);
      expect(stderr).toMatch(says);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(exitCode).toBe(1);
    }
  });

  it('names what is wrong in one sentence', async () => {
    const arn = (region: string): string =>
      `arn:aws:elasticloadbalancing:${region}:000000000000:loadbalancer/app/no/0123456789abcdef`;
    const region = awsEnvironment['AWS_REGION'] ?? '';
    const wrong: readonly (readonly [readonly string[], number, RegExp])[] = [
      [['shop', '--name', 'x'], 64, /"shop" is not the ARN of a load balancer: aws elbv2/],
      [[arn(region)], 64, /--name NAME is missing/],
      [[arn('mars-north-1'), '--name', 'x'], 1, /is in mars-north-1 and AWS_REGION is/],
      [[arn(region), '--name', 'x'], 1, /AWS knows no load balancer .* in this region and account/],
    ];
    for (const [args, code, says] of wrong) {
      const { exitCode, stderr } = await albridge(['adopt', ...args, '-n', 'default']);
      expect(stderr).toMatch(says);
      expect(stderr.split('\n')).toHaveLength(2);
      expect(exitCode).toBe(code);
    }
  });
});
