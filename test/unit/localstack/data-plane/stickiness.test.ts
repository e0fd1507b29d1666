import { describe, expect, test } from 'vitest';
import { startTarget } from '../../../fakes/http-target.ts';
import { createGroup } from '../traffic/traffic-model.ts';
import type { Answered } from './balanced-pods.ts';
import { PlaneUnderTest } from './plane-under-test.ts';

/** What a client sends back of the cookies that it was given. */
function cookiesOf({ headers }: Answered): { readonly cookie: string } {
  const given = (headers['set-cookie'] ?? []) as readonly string[];
  return { cookie: given.map((one) => one.split(';')[0]).join('; ') };
}

async function setStickiness(plane: PlaneUnderTest, enabled: boolean, seconds = 60): Promise<void> {
  const values = { enabled: String(enabled), 'lb_cookie.duration_seconds': String(seconds) };
  await plane.call('ModifyTargetGroupAttributes', {
    TargetGroupArn: plane.model.web,
    Attributes: Object.entries(values).map(([key, Value]) => ({ Key: `stickiness.${key}`, Value })),
  });
}

/** Two targets that answer with their names. */
async function stickyPlane(): Promise<PlaneUnderTest> {
  const plane = new PlaneUnderTest();
  await setStickiness(plane, true);
  for (const name of ['one', 'two']) await plane.addTarget(await startTarget(name));
  await plane.untilAll('healthy');
  return plane;
}

async function bodiesOf(plane: PlaneUnderTest, headers: object): Promise<readonly string[]> {
  const bodies: string[] = [];
  for (let sent = 0; sent < 4; sent += 1)
    bodies.push((await plane.ask({ headers: { ...headers } })).body);
  return bodies;
}

describe('a client with the cookie of a target', () => {
  test('stays there, and one without it takes turns', async () => {
    const plane = await stickyPlane();
    const first = await plane.ask();
    expect(first.headers['set-cookie']).toEqual([
      expect.stringMatching(/^AWSALB=[\w-]+; Expires=.* GMT; Path=\/$/),
      expect.stringMatching(/^AWSALBCORS=[\w-]+; Expires=.* GMT; Path=\/; SameSite=None$/),
    ]);
    expect(await bodiesOf(plane, cookiesOf(first))).toEqual(Array(4).fill(first.body));
    expect(new Set(await bodiesOf(plane, {}))).toEqual(new Set(['one', 'two']));
  });

  test('goes elsewhere once the duration is over', async () => {
    const plane = await stickyPlane();
    const headers = cookiesOf(await plane.ask());
    plane.model.clock.advance(59_000);
    expect(new Set(await bodiesOf(plane, headers)).size).toBe(1);
    plane.model.clock.advance(2_000);
    expect(new Set(await bodiesOf(plane, headers)).size).toBe(2);
  });

  test('goes elsewhere where its target drains, and gets a new cookie', async () => {
    const plane = await stickyPlane();
    const first = await plane.ask();
    const Id = first.body === 'one' ? '10.0.0.10' : '10.0.0.11';
    await plane.call('DeregisterTargets', { TargetGroupArn: plane.model.web, Targets: [{ Id }] });
    const other = await plane.ask({ headers: cookiesOf(first) });
    expect(other.body).not.toBe(first.body);
    expect(cookiesOf(other)).not.toEqual(cookiesOf(first));
  });

  test('counts for nobody once stickiness is off, nor does a cookie of its own making', async () => {
    const plane = await stickyPlane();
    const headers = cookiesOf(await plane.ask());
    for (const cookie of ['AWSALB=', 'AWSALB=@@@', 'AWSALB=bm90aGluZw'])
      expect(new Set(await bodiesOf(plane, { cookie })).size).toBe(2);
    await setStickiness(plane, false);
    const answered = await plane.ask({ headers });
    expect(answered.headers['set-cookie']).toBeUndefined();
    expect(new Set(await bodiesOf(plane, headers)).size).toBe(2);
  });
});

describe('a client with the cookie of a target group', () => {
  async function weightedPlane(): Promise<{
    readonly plane: PlaneUnderTest;
    readonly weigh: (web: number, next: number) => Promise<unknown>;
  }> {
    const plane = new PlaneUnderTest();
    const { aws, web, shop } = plane.model;
    const next = createGroup(aws, 'next');
    await plane.addTarget(await startTarget('web'));
    const nextTarget = await startTarget('next');
    await plane.addTarget(nextTarget);
    await plane.call('ModifyTargetGroupAttributes', {
      TargetGroupArn: web,
      Attributes: [{ Key: 'deregistration_delay.timeout_seconds', Value: '0' }],
    });
    await plane.call('DeregisterTargets', {
      ...{ TargetGroupArn: web, Targets: [{ Id: '10.0.0.11' }] },
    });
    await plane.call('RegisterTargets', { TargetGroupArn: next, Targets: [{ Id: '10.0.0.11' }] });
    const { Listeners } = await plane.call('DescribeListeners', { LoadBalancerArn: shop });
    const weigh = (...weights: readonly number[]): Promise<unknown> =>
      plane.call('ModifyListener', {
        ListenerArn: Listeners[0].ListenerArn,
        DefaultActions: [
          {
            Type: 'forward',
            ForwardConfig: {
              TargetGroups: [web, next].map((TargetGroupArn, at) => {
                return { TargetGroupArn, Weight: weights[at] };
              }),
              TargetGroupStickinessConfig: { Enabled: true, DurationSeconds: 60 },
            },
          },
        ],
      });
    await weigh(1, 0);
    await plane.untilAll('healthy');
    const health = { state: 'healthy' } as const;
    aws.control.setTargetHealth('next', { health });
    return { plane, weigh };
  }

  test('stays there while the group has a weight and the duration lasts', async () => {
    const { plane, weigh } = await weightedPlane();
    const first = await plane.ask();
    expect(first.headers['set-cookie']).toEqual([
      expect.stringMatching(/^AWSALBTG=/),
      expect.stringMatching(/^AWSALBTGCORS=.*SameSite=None$/),
    ]);
    await weigh(1, 999);
    expect(await bodiesOf(plane, cookiesOf(first))).toEqual(Array(4).fill('web'));
    await weigh(0, 1);
    expect(await bodiesOf(plane, cookiesOf(first))).toEqual(Array(4).fill('next'));
  });
});
