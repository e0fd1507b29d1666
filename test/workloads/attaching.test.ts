import { describe, expect, it } from 'vitest';
import { askListener, RequestStream } from '../surroundings/listener-client.ts';
import { until } from '../surroundings/until.ts';
import { conditionOf, type Namespace, SharedPlace, type Stored } from './place.ts';
import { Shop } from './shop.ts';

const place = new SharedPlace();

const LISTENERS = [{ port: 80, protocol: 'HTTP' as const }];

interface Expose {
  readonly namespace?: string;
  readonly hosts?: readonly string[];
}

function draftApp(
  name: string,
  { namespace, hosts = [`${name}.example.com`] }: Expose = {},
): object {
  const ingress = { name: 'shop', ...(namespace !== undefined && { namespace }) };
  return {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name } },
    spec: { image: 'traefik/whoami:v1.10.1', expose: { ingress, hosts } },
  };
}

function applyAll(namespace: Namespace, items: readonly object[]): Promise<string> {
  return namespace.apply({ apiVersion: 'v1', kind: 'List', items });
}

function whenExposed(namespace: Namespace, name: string, reason: string): Promise<Stored> {
  return namespace.when('webapp', name, (object) => {
    return conditionOf(object, 'Exposed')?.reason === reason;
  });
}

/** Which application answers for a host; undefined: none. */
async function whoAnswers(shop: Shop, host: string): Promise<string | undefined> {
  const { body, status } = await askListener(await shop.listener(), { host });
  return status === 200 ? /^pod=(\S+)-[a-z0-9]+-[a-z0-9]+ /.exec(body)?.[1] : undefined;
}

describe('WebApps that share a load balancer', { concurrent: true }, () => {
  it('are twenty, and a broken one disturbs no other', async () => {
    const shop = await Shop.open(place, 'attach-many');
    const { namespace } = shop;
    await shop.create({ listeners: LISTENERS });
    const names = Array.from({ length: 18 }, (_, index) => `app-${index}`);
    await applyAll(
      namespace,
      names.map((name) => draftApp(name)),
    );
    const first = await whenExposed(namespace, 'app-0', 'Attached');
    expect(first.status).toMatchObject({ url: 'http://app-0.example.com/' });
    // One asks for the host of another; of one the Service is not its own.
    await namespace.kubectl(['create', 'service', 'externalname', 'broken', '--external-name=a.b']);
    await applyAll(namespace, [
      draftApp('late', { hosts: ['app-0.example.com'] }),
      draftApp('broken'),
    ]);
    const late = await whenExposed(namespace, 'late', 'HostAndPathTaken');
    expect(conditionOf(late, 'Exposed')?.message).toBe(
      'app-0.example.com/* on port 80 is taken; choose another host or path',
    );
    for (const name of names) {
      await whenExposed(namespace, name, 'Attached');
      await until(`${name} answers`, async () => {
        return (await whoAnswers(shop, `${name}.example.com`)) === name;
      });
    }
    const ingress = await shop.whenReady();
    const accepted = ingress.status.conditions?.find(({ type }) => type === 'AttachmentsAccepted');
    expect(accepted).toMatchObject({ status: 'False', reason: 'HostAndPathTaken' });
    expect(accepted?.message).toContain(`WebApp ${namespace.name}/late`);
    expect(accepted?.message).toContain(`is taken by WebApp ${namespace.name}/app-0`);
    expect(ingress.status.attached).toHaveLength(20);
  });

  it('detach by being deleted, which ends no other requests', async () => {
    const shop = await Shop.open(place, 'attach-leave');
    const { namespace } = shop;
    await shop.create({ listeners: LISTENERS });
    await applyAll(namespace, [draftApp('stays'), draftApp('leaves')]);
    for (const name of ['stays', 'leaves']) {
      await until(`${name} answers`, async () => {
        return (await whoAnswers(shop, `${name}.example.com`)) === name;
      });
    }
    const stream = new RequestStream(await shop.listener(), { host: 'stays.example.com' });
    await namespace.kubectl(['delete', 'webapp', 'leaves']);
    // Its target group goes once the deregistration delay is over, 5 minutes by default.
    await until('its rule is gone', async () => {
      return (await shop.left()).every(({ tags }) => {
        const id = tags['albridge.io/resource'] ?? '';
        return !id.startsWith('rule/') || !id.includes('/leaves/');
      });
    });
    expect(await whoAnswers(shop, 'leaves.example.com')).toBeUndefined();
    const answers = await stream.stop();
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200]);

    await namespace.kubectl(['delete', 'myingress', 'shop']);
    await whenExposed(namespace, 'stays', 'IngressNotFound');
    expect(await shop.left()).toEqual([]);
  });

  it('are of other namespaces where the MyIngress selects them by label', async () => {
    const shop = await Shop.open(place, 'attach-across');
    const tenant = await place.createNamespace('attach-tenant');
    await shop.create({
      listeners: LISTENERS,
      allowedNamespaces: { from: 'Selector', selector: { matchLabels: { team: tenant.name } } },
    });
    await tenant.apply(draftApp('guest', { namespace: shop.namespace.name }));
    const refused = await whenExposed(tenant, 'guest', 'NotAllowed');
    expect(conditionOf(refused, 'Exposed')?.message).not.toContain(shop.namespace.name);
    await place.api.ask({
      ...{ method: 'PATCH', path: `/api/v1/namespaces/${tenant.name}` },
      body: { metadata: { labels: { team: tenant.name } } },
    });
    await whenExposed(tenant, 'guest', 'Attached');
    await until('the guest answers', async () => {
      return (await whoAnswers(shop, 'guest.example.com')) === 'guest';
    });
    await shop.edit({ allowedNamespaces: null });
    await whenExposed(tenant, 'guest', 'NotAllowed');
    await until('its routes are gone', async () => {
      return (await whoAnswers(shop, 'guest.example.com')) === undefined;
    });
  });
});
