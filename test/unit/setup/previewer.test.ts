import { describe, expect, it } from 'vitest';
import type { WebApp } from '../../../src/apis/web-app.ts';
import { COMMAND_LIMITS, NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import { restrictWrites } from '../../../src/aws/client/aws-api.ts';
import { Patience } from '../../../src/aws/client/patience.ts';
import { wireAws } from '../../../src/aws/client/wire.ts';
import { createPreviewer, type Previewed } from '../../../src/setup/previewer.ts';
import { EmbeddedAwsApi } from '../../fakes/embedded-aws-api.ts';
import { draftOf } from '../controllers/my-ingress/drafts.ts';
import { MINUTE_MS, World } from '../controllers/my-ingress/world.ts';

const IDLE = 'idle_timeout.timeout_seconds';
const LISTENING = { listeners: [{ port: 80, protocol: 'HTTP' }] } as const;

interface Attaching {
  readonly webApps?: readonly WebApp[];
  readonly labels?: Readonly<Record<string, string>>;
}

/** A preview of an object of the world, by a process of its own that may only read. */
async function preview(
  world: World,
  object = world.object('shop'),
  { webApps = [], labels, isCommand = false }: Attaching & { readonly isCommand?: boolean } = {},
): Promise<Previewed> {
  const { clock, log, metrics } = world;
  const api = restrictWrites(new EmbeddedAwsApi(world.aws, clock), []);
  const leadership = { isLeader: () => false };
  const limits = isCommand
    ? {
        budget: COMMAND_LIMITS,
        patience: new Patience({ clock, longestOutageMs: 0, longestThrottleMs: 60_000 }),
      }
    : { budget: NO_LIMITS };
  const aws = wireAws({ api, clock, leadership, metrics, log, ...limits });
  const namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'apps', ...(labels && { labels }) },
  };
  const run = await createPreviewer({
    ...{ aws, clock, log, webApps, cluster: 'cluster-1' },
    namespaces: labels === undefined ? undefined : [namespace],
    settings: { backendSecurityGroups: [] },
  });
  const previewing = run(object, new AbortController().signal);
  await world.clock.advance(60_000);
  return previewing;
}

function stepsOf(previewed: Previewed): readonly string[] {
  return previewed.kind === 'planned' ? previewed.plan.steps : [previewed.message];
}

function exposed(): WebApp {
  const { metadata } = draftOf('blog', {}, 'apps');
  const ingress = { name: 'shop', namespace: 'web' };
  const spec = { image: 'i', replicas: 1, port: 80, expose: { ingress, hosts: ['blog.example'] } };
  return {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata, spec },
    status: { observedGeneration: -1 },
  };
}

describe('a preview by another process', () => {
  it('reads AWS even where the object is Ready, and shows the drift', async () => {
    const world = await World.having('shop', { attributes: { [IDLE]: '120' } });
    world.crash();
    expect(world.condition('shop')).toMatch(/True/);
    expect(stepsOf(await preview(world))).toEqual([]);

    world.outOfBand('ModifyLoadBalancerAttributes', {
      LoadBalancerArn: world.balancer().arn,
      Attributes: [{ Key: IDLE, Value: '60' }],
    });
    expect(stepsOf(await preview(world))).toEqual([
      `set attributes of load-balancer  (attribute ${IDLE}: observed 60, desired 120)`,
    ]);
  });

  it('says what a spec lacks for a balancer in place of an adopted one that is gone', async () => {
    const world = new World();
    world.outOfBand('CreateLoadBalancer', {
      Name: 'legacy',
      Subnets: ['subnet-a', 'subnet-b'],
      Tags: [
        { Key: 'albridge.io/cluster', Value: 'cluster-1' },
        { Key: 'albridge.io/adopt', Value: 'web/shop' },
      ],
    });
    world.start();
    const { arn } = world.balancer();
    await world.applied('shop', { adopt: { arn } });
    world.crash();
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: arn });
    const lost = await preview(world);
    const problem = expect.stringContaining('spec.ipAddressType');
    expect(lost).toMatchObject({ kind: 'planned', problem, plan: { steps: [] } });
  });

  it('waits for the proof that a balancer is gone', async () => {
    const world = await World.having('shop');
    world.crash();
    world.outOfBand('DeleteLoadBalancer', { LoadBalancerArn: world.balancer().arn });
    const lost = await preview(world);
    expect(lost.kind).toBe('planned');
    expect(stepsOf(lost)).toEqual(['create load-balancer  (not there)']);
  });

  it.each([0, 40])(
    'reads 90 target groups within what AWS allows a command, of which others have used up %d',
    async (used) => {
      const names = Array.from({ length: 90 }, (_, index) => `b${index}`);
      const world = await World.having('shop', {
        ...LISTENING,
        backends: names.map((name) => ({ name, service: { name, port: 80 } })),
        rules: names.map((name) => {
          return { name, paths: [`/${name}/*`], forward: [{ backend: name }] };
        }),
      });
      await world.clock.advance(MINUTE_MS);
      expect(world.condition('shop')).toMatch(/True/);
      world.crash();
      world.aws.control.changeSettings({ budget: 'aws' });
      for (let call = 0; call < used; call++) world.outOfBand('DescribeLoadBalancers', {});
      const calls = world.aws.control.calls().length;
      expect(stepsOf(await preview(world, undefined, { isCommand: true }))).toEqual([]);
      expect(world.aws.control.calls().length - calls).toBeGreaterThan(90);
    },
  );

  it('has the routes of WebApps of namespaces that may attach, and of no others', async () => {
    const world = new World();
    const selector = { matchLabels: { team: 'web' } };
    const object = draftOf('shop', {
      ...LISTENING,
      allowedNamespaces: { from: 'Selector', selector },
    });
    const webApps = [exposed()];
    const isRule = (step: string): boolean => step.startsWith('create rule/80/');
    const allowed = await preview(world, object, { webApps, labels: { team: 'web' } });
    expect(stepsOf(allowed).filter(isRule)).toHaveLength(1);
    const refused = await preview(world, object, { webApps, labels: { team: 'api' } });
    expect(stepsOf(refused).filter(isRule)).toEqual([]);
    expect(world.writesToAws).toEqual([]);
  });

  it('names what of the spec cannot be planned', async () => {
    const world = await World.having('shop');
    world.crash();
    const listener = { Port: 80, Protocol: 'HTTP', LoadBalancerArn: world.balancer().arn };
    const action = { Type: 'fixed-response', FixedResponseConfig: { StatusCode: '200' } };
    world.outOfBand('CreateListener', { ...listener, DefaultActions: [action] });
    const shop = world.object('shop');
    const edited = {
      ...shop,
      metadata: { ...shop.metadata, generation: 2 },
      spec: { ...shop.spec, ...LISTENING },
    };
    const previewed = await preview(world, edited);
    expect(previewed.kind === 'planned' && previewed.problem).toMatch(/port 80|listener 80|:80/);
  });
});
