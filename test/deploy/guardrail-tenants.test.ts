import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CommandResult } from '../control-plane/run-command.ts';
import { until } from '../surroundings/until.ts';
import { DeployPlace } from './place.ts';
import { createTenant, DRY_RUN, installGuardrails, patch } from './tenants.ts';

/** deploy/components/guardrails: what tenants attach to a balancer, and what they make of their Namespaces. */

let place: DeployPlace;

beforeAll(async () => {
  place = await DeployPlace.start();
  await installGuardrails(place);
  for (const namespace of ['team-a', 'team-b']) await createTenant(place, namespace);
  const write = ['-n', 'team-a', 'create', '-f', '-', DRY_RUN];
  const allowed = exposing({ hosts: ['www.team-a.example.com'] });
  await until('the rights', async () => (await asTenant(write, allowed)).code === 0);
  const refused = exposing({ hosts: ['evil.com'] });
  await until('the guardrails', async () => (await asTenant(write, refused)).code !== 0);
  const label = patch('namespace team-a', { metadata: { labels: { 'albridge.io/a': 'b' } } });
  await until('the other', async () => (await asTenant([...label, DRY_RUN])).code !== 0);
});
afterAll(() => place?.stop());

function asTenant(args: readonly string[], input?: string): Promise<CommandResult> {
  return place.cluster.kubectl(['--as=tenant', ...args], { ...(input !== undefined && { input }) });
}

/** A WebApp that attaches to the MyIngress of the platform. */
function exposing(hosts: object, name = 'shop'): string {
  const spec = {
    image: 'shop:1',
    expose: { ingress: { name: 'shared', namespace: 'team-a' }, ...hosts },
  };
  return JSON.stringify({
    apiVersion: 'apps.example.com/v1',
    kind: 'WebApp',
    metadata: { name },
    spec,
  });
}

describe('a WebApp that a tenant exposes', () => {
  function expose(hosts: object): Promise<CommandResult> {
    return asTenant(['-n', 'team-a', 'create', '-f', '-', DRY_RUN], exposing(hosts));
  }

  it.each(['evil.com', '*.example.com', 'www.team-b.example.com'])(
    'never has the host %s',
    async (host) => {
      const { stderr } = await expose({ hosts: ['www.team-a.example.com', host] });
      expect(stderr).toContain(`spec.expose.hosts ${host} is not allowed in namespace team-a`);
    },
  );

  it.each([{}, { hosts: [] }])('never has no host, which is every host: %j', async (hosts) => {
    const { code, stderr } = await expose(hosts);
    expect(code).not.toBe(0);
    expect(stderr).toContain('expose.hosts');
  });

  it('has a host of its own', async () => {
    const own = { hosts: ['www.team-a.example.com'] };
    expect(await expose(own)).toMatchObject({ code: 0, stderr: '' });
  });

  it('never takes a host of another tenant by attaching, before that one, after it or by an edit', async () => {
    const theirs = { hosts: ['taken.team-a.example.com'] };
    const take = async (): Promise<void> => {
      const create = ['-n', 'team-b', 'create', '-f', '-'];
      const { code, stderr } = await asTenant(create, exposing(theirs, 'thief'));
      expect(stderr).toContain('taken.team-a.example.com is not allowed in namespace team-b');
      expect(code).not.toBe(0);
    };
    const create = (namespace: string): readonly string[] => ['-n', namespace, 'create', '-f', '-'];
    await take();
    expect(await asTenant(create('team-a'), exposing(theirs))).toMatchObject({ code: 0 });
    await take();
    const own = exposing({ hosts: ['team-b.internal.example.com'] }, 'own');
    expect(await asTenant(create('team-b'), own)).toMatchObject({ code: 0 });
    const edit = ['-n', 'team-b', ...patch('webapp own', { spec: { expose: theirs } })];
    expect((await asTenant(edit)).stderr).toContain('is not allowed in namespace team-b');
    await place.kubectl(['-n', 'team-b', 'delete', 'webapp', 'own']);
    await place.kubectl(['-n', 'team-a', 'delete', 'webapp', 'shop']);
  });
});

describe('the Namespace of a tenant who may edit it', () => {
  const LABEL = 'albridge.io/pod-template';
  const ACCOUNTS = 'albridge.io/service-accounts';
  const marks = { labels: { [LABEL]: 'full' }, annotations: { [ACCOUNTS]: 'rich' } };
  const edit = (user: string, metadata: object, more: readonly string[] = []) =>
    place.cluster.kubectl([
      `--as=${user}`,
      ...patch('namespace team-a', { metadata }, [DRY_RUN, ...more]),
    ]);

  it('can get labels of others', async () => {
    expect(await edit('tenant', { labels: { team: 'a' } })).toMatchObject({ code: 0 });
  });

  it.each([
    ['the label that opens pod templates', { labels: marks.labels }, LABEL],
    ['the list of ServiceAccounts', { annotations: marks.annotations }, ACCOUNTS],
    ['any label of albridge', { labels: { 'albridge.io/shared': 'true' } }, 'albridge.io/shared'],
  ])('cannot get %s', async (_what, metadata, key) => {
    const says = `${key} on a Namespace is not allowed to you: it needs the right to use namespaces.guardrails.albridge.io in the whole cluster`;
    expect((await edit('tenant', metadata)).stderr).toContain(says);
    expect((await edit('trusted', metadata)).stderr, 'a right in one namespace').toContain(says);
    const status = ['--subresource=status'];
    expect((await edit('tenant', metadata, status)).stderr, 'by its status').toContain(says);
  });

  it('can get them from the platform team, keep them at other edits, and lose them', async () => {
    const write = (metadata: object): readonly string[] => patch('namespace team-a', { metadata });
    await place.kubectl(write(marks));
    expect(await edit('tenant', { labels: { team: 'a' } })).toMatchObject({ code: 0 });
    expect((await edit('tenant', { annotations: { [ACCOUNTS]: 'rich, more' } })).stderr).toContain(
      ACCOUNTS,
    );
    expect(
      await asTenant(write({ labels: { [LABEL]: null }, annotations: { [ACCOUNTS]: null } })),
    ).toMatchObject({ code: 0 });
  });

  it('cannot be made with them by who may make namespaces', async () => {
    const grant = ['create', 'clusterrole', 'maker', '--verb=create', '--resource=namespaces'];
    await place.kubectl(grant);
    await place.kubectl([
      'create',
      'clusterrolebinding',
      'maker',
      '--clusterrole=maker',
      '--user=tenant',
    ]);
    const create = (metadata: object): Promise<CommandResult> => {
      const object = {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'new', ...metadata },
      };
      return asTenant(['create', '-f', '-', DRY_RUN], JSON.stringify(object));
    };
    await until('the right', async () => (await create({})).code === 0);
    expect((await create(marks)).stderr).toContain(`${LABEL} on a Namespace is not allowed to you`);
  });
});
