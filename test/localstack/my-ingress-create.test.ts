import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { arnOf } from '../surroundings/my-ingresses.ts';
import type { LogLine } from '../surroundings/operator-process.ts';
import { until } from '../surroundings/until.ts';
import { askForALook } from './setup-faults.ts';
import { linesAbout, linesOnce, sharedPlace } from './setup-place.ts';

const place = sharedPlace();

const example = (name: string): Promise<string> =>
  readFile(resolve(import.meta.dirname, '../../examples', name), 'utf8');

const isAvailable = ({ reason }: LogLine): boolean => reason === 'Available';

/** A table of kubectl as rows of cells; columns are two or more blanks apart. */
function rowsOf(table: string): readonly (readonly string[])[] {
  const lines = table.trimEnd().split('\n');
  return lines.map((line) => line.trimEnd().split(/ {2,}/));
}

describe("the article's manifest, applied with kubectl", { concurrent: true }, () => {
  it('goes from provisioning to READY with its DNS name in the table', async () => {
    const objects = await place.createNamespace('article');
    const { namespace } = objects;
    const get = async (...more: readonly string[]): Promise<string> =>
      place.kubectl(['get', ...more, '-n', namespace]);

    await place.kubectl(['apply', '-n', namespace, '-f', '-'], await example('01-article.yaml'));
    const made = await objects.when('myapp', ({ status }) => status?.alb !== undefined);
    const { name: balancer } = made.status.alb as { name: string };
    // As long as it takes kubectl to look.
    await place.standIn.pinState(balancer, { code: 'provisioning' });
    const token = await askForALook(objects, 'myapp');
    await objects.when('myapp', ({ status }) => status.lastHandledReconcileAt === token);
    const provisioning = rowsOf(await get('myingress'));
    await place.standIn.unpinState(balancer);
    await askForALook(objects, 'myapp');
    await place.kubectl([
      'wait',
      '-n',
      namespace,
      '--for=condition=Ready',
      '--timeout=120s',
      'myingress/myapp',
    ]);

    const dns = (await objects.get('myapp')).status?.alb?.dns as string;
    expect(dns).toMatch(/^myapp-alb-[0-9a-f]{8}-\d+\.us-east-1\.elb\.amazonaws\.com$/);
    expect(provisioning).toEqual([
      ['NAME', 'SCHEME', 'STATE', 'ADDRESS', 'TARGETS', 'READY', 'REASON', 'AGE'],
      [
        'myapp',
        'internet-facing',
        'provisioning',
        dns,
        'False',
        'Provisioning',
        expect.stringMatching(/^\d+s$/),
      ],
    ]);
    for (const name of ['myingress', 'mying', 'albridge', 'myingresses.demo.rtfm.co.ua']) {
      const [head, row] = rowsOf(await get(name));
      // kubectl puts the resource before the name where a category has several.
      const shown = name === 'albridge' ? 'myingress.demo.rtfm.co.ua/myapp' : 'myapp';
      expect(head).toEqual([
        'NAME',
        'SCHEME',
        'STATE',
        'ADDRESS',
        'TARGETS',
        'READY',
        'REASON',
        'AGE',
      ]);
      expect(row?.slice(0, 6)).toEqual([
        shown,
        'internet-facing',
        'active',
        dns,
        'True',
        'Available',
      ]);
    }
  });

  it('shows ARN and message in the wide table', async () => {
    const objects = await place.createNamespace('wide');
    const { namespace } = objects;
    await place.kubectl(['apply', '-n', namespace, '-f', '-'], await example('01-article.yaml'));
    const object = await objects.whenReady('myapp');
    const [head, row] = rowsOf(
      await place.kubectl(['get', 'myingress', '-o', 'wide', '-n', namespace]),
    );
    expect(head?.slice(8)).toEqual(['ARN', 'MESSAGE']);
    // Without backends the cell of TARGETS is empty.
    const { name, dns } = object.status.alb as { name: string; dns: string };
    expect(row?.slice(7)).toEqual([arnOf(object), `load balancer ${name} is active at ${dns}`]);
  });

  it('shows what happened in kubectl describe and kubectl events', async () => {
    const objects = await place.createNamespace('describe');
    const { namespace } = objects;
    await place.kubectl(['apply', '-n', namespace, '-f', '-'], await example('01-article.yaml'));
    const object = await objects.whenReady('myapp');
    for (const reason of ['CreatedALB', 'Available']) {
      await objects.event('myapp', reason);
    }
    const described = await place.kubectl(['describe', 'myingress', 'myapp', '-n', namespace]);
    const [, events = ''] = described.split('\nEvents:\n');
    const dns = object.status.alb?.dns as string;
    const told = events.trim().split('\n').slice(2);
    expect(told.map((line) => line.trim().split(/ {2,}/))).toEqual([
      ['Normal', 'CreatedALB', expect.any(String), 'albridge.io/operator', `Created ALB: ${dns}`],
      ['Normal', 'Available', expect.any(String), 'albridge.io/operator', expect.any(String)],
    ]);
  });
});

describe('an object that was created', { concurrent: true }, () => {
  it('has one balancer with the name, tags and settings of the spec', async () => {
    const objects = await place.createNamespace('one');
    const [first, second] = place.network.subnets as [string, string];
    await objects.create('web', {
      subnets: [first, second],
      scheme: 'internal',
      securityGroups: [place.network.exampleSecurityGroup],
      ipAddressType: 'dualstack',
      attributes: { 'idle_timeout.timeout_seconds': '120' },
      tags: { team: 'web' },
    });
    const object = await objects.whenReady('web');
    const balancers = await place.standIn.balancersOf(objects.namespace);
    expect(balancers).toHaveLength(1);
    expect(balancers[0]).toMatchObject({
      arn: arnOf(object),
      scheme: 'internal',
      ipAddressType: 'dualstack',
      securityGroups: [place.network.exampleSecurityGroup],
      tags: {
        team: 'web',
        'albridge.io/managed-by': 'albridge',
        'albridge.io/cluster': await place.clusterId(),
        'albridge.io/namespace': objects.namespace,
        'albridge.io/name': 'web',
        'albridge.io/uid': object.metadata.uid,
      },
      attributes: { 'idle_timeout.timeout_seconds': '120' },
    });
    expect([...(balancers[0]?.subnets ?? [])].sort()).toEqual([first, second].sort());
    expect(object.metadata.finalizers).toEqual(['albridge.io/load-balancer']);
    expect(object.status).toMatchObject({
      observedGeneration: object.metadata.generation,
      alb: { state: 'active', hostedZoneId: expect.any(String), vpcId: place.network.vpcId },
    });
  });

  it('is logged in the words of the article, with controller, key and pass', async () => {
    const objects = await place.createNamespace('log');
    await objects.create('web', { subnets: place.network.articleSubnets });
    const object = await objects.whenReady('web');
    const lines = await linesOnce(objects, 'web', isAvailable);
    const created = `Created ALB: ${object.status.alb?.dns}`;
    expect(lines.map((line) => line.msg).slice(0, 2)).toEqual(['write to AWS', created]);
    for (const line of lines) {
      expect(line).toMatchObject({
        level: 'info',
        controller: 'myingress',
        key: `${objects.namespace}/web`,
        namespace: objects.namespace,
        name: 'web',
        reconcileID: expect.stringMatching(/^[0-9a-f]{16}$/),
      });
    }
  });

  it('is not changed by later passes: no log line, no event, no write', async () => {
    const objects = await place.createNamespace('silent');
    await objects.create('web', { subnets: place.network.articleSubnets, tags: { team: 'web' } });
    const ready = await objects.whenReady('web');
    await objects.event('web', 'Available'); // the last one, and they are written in turn
    const before = {
      lines: await linesOnce(objects, 'web', isAvailable),
      writes: await place.standIn.writesOn(arnOf(ready)),
      told: await objects.events('web'),
    };
    await twoSweepsLater();
    expect(await objects.get('web')).toEqual(ready);
    expect({
      lines: await linesAbout(objects.namespace, 'web'),
      writes: await place.standIn.writesOn(arnOf(ready)),
      told: await objects.events('web'),
    }).toEqual(before);
  });
});

/** The sweep lists the account without naming a balancer. */
async function twoSweepsLater(): Promise<void> {
  const sweeps = async (): Promise<number> => {
    const reads = await place.standIn.operatorCalls('DescribeLoadBalancers');
    return reads.filter(({ input }) => 'PageSize' in input).length;
  };
  const before = await sweeps();
  await until('two sweeps', async () => (await sweeps()) >= before + 3);
}
