import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebApp } from '../../src/apis/web-app.ts';
import { runAlbridge } from '../surroundings/command-line.ts';
import { limitOperator } from '../surroundings/limited-operator.ts';
import { conditionOf, type MyIngresses } from '../surroundings/my-ingresses.ts';
import type { OperatorProcess } from '../surroundings/operator-process.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { quietFor, until } from '../surroundings/until.ts';
import { type Place, placeOf } from './setup-place.ts';

/** Attached routes through the ends of operators, and in installations that see less than the cluster. */

let surroundings: Surroundings;
let place: Place;
let operator: OperatorProcess;

beforeAll(async () => {
  surroundings = await startSurroundings({ provisioningMs: 0 });
  place = placeOf(surroundings);
});

afterAll(async () => {
  place?.close();
  await surroundings?.stop();
});

afterEach(async () => {
  await place.standIn.clearFaults();
  await place.standIn.release();
  await operator.stop();
});

const CLUSTER = 'attaching';

async function start(environment: Readonly<Record<string, string>> = {}): Promise<void> {
  await limitOperator(surroundings.aws.environment, CLUSTER);
  operator = await surroundings.startOperator({ ALBRIDGE_CLUSTER_ID: CLUSTER, ...environment });
}

async function kill(): Promise<void> {
  operator.signal('SIGKILL');
  await operator.exited;
}

type Spec = Parameters<MyIngresses['create']>[1];

function shared(given: Spec = {}): Spec {
  const listeners = [{ port: 80, protocol: 'HTTP' as const }];
  return { subnets: place.network.articleSubnets, listeners, ...given };
}

/** The WebApps of one namespace, each exposed on its own name. */
class Apps {
  readonly namespace: string;

  constructor({ namespace }: Pick<MyIngresses, 'namespace'>) {
    this.namespace = namespace;
  }

  async create(name: string, namespace = this.namespace): Promise<void> {
    const expose = { ingress: { name: 'shared', namespace }, hosts: [hostOf(name)] };
    await place.api.ask({
      ...{ method: 'POST', path: this.#path() },
      body: {
        ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name } },
        spec: { image: 'nginx:1.25', expose },
      },
    });
  }

  async setHosts(name: string, hosts: readonly string[]): Promise<void> {
    const body = { spec: { expose: { hosts } } };
    await place.api.ask({ method: 'PATCH', path: this.#path(name), body });
  }

  async delete(name: string): Promise<void> {
    await place.api.ask({ method: 'DELETE', path: this.#path(name) });
  }

  get(name: string): Promise<WebApp> {
    return place.api.ask<WebApp>({ method: 'GET', path: this.#path(name) });
  }

  async whenExposed(name: string, reason: string): Promise<string> {
    let seen: WebApp | undefined;
    const look = async (): Promise<string | undefined> => {
      seen = await this.get(name);
      const { conditions = [] } = seen.status ?? {};
      return conditions.find((one) => one.type === 'Exposed' && one.reason === reason)?.message;
    };
    return until(`${name} is ${reason}`, look).catch((error: Error) => {
      throw new Error(`${error.message}; it is ${JSON.stringify(seen?.status)}`, { cause: error });
    });
  }

  #path(name?: string): string {
    const all = `/apis/apps.example.com/v1/namespaces/${this.namespace}/webapps`;
    return name === undefined ? all : `${all}/${name}`;
  }
}

function hostOf(name: string): string {
  return `${name}.example.com`;
}

interface Attached {
  readonly arn: string;
  /** As `rule/80/WebApp/<namespace>/<name>/expose/0`, without the namespace. */
  readonly id: string;
  readonly values: string;
}

/** Rules and target groups of attached objects in AWS. */
async function listAttached({ namespace }: MyIngresses): Promise<readonly Attached[]> {
  const { listeners, targetGroups } = await place.standIn.state();
  const rules = listeners.flatMap((listener) => listener.rules);
  return [...rules, ...targetGroups]
    .filter(({ tags }) => tags['albridge.io/namespace'] === namespace)
    .map((one) => ({
      arn: one.arn,
      id: (one.tags['albridge.io/resource'] ?? '').replace(/WebApp\/[^/]+\//, ''),
      values: 'conditions' in one ? JSON.stringify(one.conditions) : '',
    }))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

function idsOf(names: readonly string[]): readonly string[] {
  return [
    ...names.map((name) => `rule/80/${name}/expose/0`),
    ...names.map((name) => `target-group/${name}/${name}`),
  ].toSorted();
}

async function whenAttachedTo(objects: MyIngresses, names: readonly string[]): Promise<void> {
  const apps = new Apps(objects);
  for (const name of names) await apps.whenExposed(name, 'Attached');
  expect((await listAttached(objects)).map(({ id }) => id)).toEqual(idsOf(names));
}

describe('an operator that is killed while WebApps are attached', () => {
  it('leaves them served, and its successor writes nothing to them', async () => {
    await start();
    const objects = await place.createNamespace('killed');
    const apps = new Apps(objects);
    await objects.create('shared', shared());
    const names = ['a', 'b', 'c'];
    for (const name of names) await apps.create(name);
    await whenAttachedTo(objects, names);
    const before = await listAttached(objects);
    await kill();
    await place.standIn.clearCalls();
    await start();
    // The first pass that has read all of it.
    await objects.annotate('shared', { 'albridge.io/reconcile-requested-at': 'now' });
    await until('it was reconciled', async () => {
      return (await objects.get('shared')).status.lastHandledReconcileAt === 'now';
    });
    await whenAttachedTo(objects, names);
    expect(await listAttached(objects)).toEqual(before);
    const calls = await place.standIn.operatorCalls();
    const writes = calls.filter(({ operation }) => !operation.startsWith('Describe'));
    expect(writes.map(({ operation }) => operation)).toEqual([]);
  });

  it('is followed by one that leaves a host and path with its holder, and removes what is gone', async () => {
    await start();
    const objects = await place.createNamespace('holder');
    const apps = new Apps(objects);
    await objects.create('shared', shared());
    // The older one, and by name the first: age alone would give it what it asks for later.
    for (const name of ['a-older', 'holder', 'leaves']) {
      await apps.create(name);
      await apps.whenExposed(name, 'Attached');
    }
    const findRule = async (): Promise<Attached | undefined> =>
      (await listAttached(objects)).find(({ id }) => id === 'rule/80/holder/expose/0');
    const rule = await findRule();
    await kill();
    await apps.setHosts('a-older', [hostOf('holder')]);
    await apps.delete('leaves');
    await start();
    const message = await apps.whenExposed('a-older', 'HostAndPathTaken');
    expect(message).toBe('holder.example.com/* on port 80 is taken; choose another host or path');
    await apps.whenExposed('holder', 'Attached');
    await until('the rules of the others are gone', async () => {
      const ids = (await listAttached(objects)).map(({ id }) => id);
      return ids.filter((id) => id.startsWith('rule/')).length === 1;
    });
    expect(await findRule()).toEqual(rule);
    const accepted = conditionOf(await objects.get('shared'), 'AttachmentsAccepted');
    expect(accepted).toMatchObject({ status: 'False', reason: 'HostAndPathTaken' });
    expect(accepted?.message).toContain(`is taken by WebApp ${objects.namespace}/holder`);
  });

  it.each(['CreateTargetGroup', 'CreateRule'])(
    'in the middle of %s makes nothing twice, and the rest is attached',
    async (operation) => {
      await start();
      const objects = await place.createNamespace('midway');
      const apps = new Apps(objects);
      await objects.create('shared', shared());
      await apps.create('first');
      await apps.whenExposed('first', 'Attached');
      await place.standIn.addFault({ operation, effect: { kind: 'hold' } });
      await apps.create('second');
      await place.standIn.whenHeld(operation);
      await kill();
      await place.standIn.release();
      await start();
      await apps.create('third');
      await whenAttachedTo(objects, ['first', 'second', 'third']);
    },
  );
});

describe('an operator for single namespaces', () => {
  it('attaches by labels nothing that was not attached, and keeps what was', async () => {
    const objects = await place.createNamespace('platform');
    const tenant = await place.createNamespace('tenant');
    await start();
    await place.kubectl(['label', 'namespace', tenant.namespace, 'public=true']);
    const selector = { matchLabels: { public: 'true' } };
    await objects.create('shared', shared({ allowedNamespaces: { from: 'Selector', selector } }));
    const [own, guests] = [new Apps(objects), new Apps(tenant)];
    await own.create('own');
    await guests.create('guest', objects.namespace);
    await guests.whenExposed('guest', 'Attached');
    await own.whenExposed('own', 'Attached');
    await operator.stop();

    const both = `${objects.namespace},${tenant.namespace}`;
    await start({ ALBRIDGE_NAMESPACES: both });
    await guests.create('late', objects.namespace);
    await own.create('own-late');
    expect(await guests.whenExposed('late', 'NamespacesUnknown')).not.toContain(objects.namespace);
    await own.whenExposed('own-late', 'Attached');
    const ids = (await listAttached(objects)).map(({ id }) => id);
    expect(ids).toEqual(idsOf(['guest', 'own', 'own-late']));
    await guests.whenExposed('guest', 'Attached');
    const object = await objects.get('shared');
    expect(conditionOf(object, 'AttachmentsAccepted')?.message).toContain(
      `WebApp ${tenant.namespace}/late: NamespacesUnknown`,
    );
  });

  it('attaches nothing from or to a namespace that it does not watch', async () => {
    const served = await place.createNamespace('served');
    const other = await place.createNamespace('other');
    await start({ ALBRIDGE_NAMESPACES: served.namespace });
    const all = { from: 'All' } as const;
    await served.create('shared', shared({ allowedNamespaces: all }));
    await other.create('shared', shared({ allowedNamespaces: all }));
    const [own, others] = [new Apps(served), new Apps(other)];
    await others.create('from-outside', served.namespace);
    await own.create('to-outside', other.namespace);
    await own.create('own');
    await own.whenExposed('to-outside', 'NamespaceNotWatched');
    await own.whenExposed('own', 'Attached');
    await quietFor(1000);
    expect((await listAttached(served)).map(({ id }) => id)).toEqual(idsOf(['own']));
    expect(await listAttached(other)).toEqual([]);
    expect((await others.get('from-outside')).status?.conditions).toBeUndefined();
  });
});

describe('a MyIngress in plan mode', () => {
  it('shows the rules that would be attached, and attaches none', async () => {
    await start();
    const objects = await place.createNamespace('plan');
    const apps = new Apps(objects);
    await objects.create('shared', shared());
    await objects.whenReady('shared');
    await objects.annotate('shared', { 'albridge.io/mode': 'plan' });
    // WebApps come by another watch, which may be faster than the one with the annotation.
    await objects.whenReason('shared', 'Planned');
    await place.standIn.clearCalls();
    await apps.create('new');
    const source = `WebApp/${objects.namespace}/new`;
    const planned = await objects.when('shared', ({ status }) => {
      return status.plan?.steps.some((step) => step.includes('WebApp/')) === true;
    });
    const steps = planned.status.plan?.steps ?? [];
    expect(steps.map((step) => step.replace(/ {2}.*/, ''))).toEqual([
      `create target-group/${source}/new`,
      `create rule/80/${source}/expose/0`,
    ]);
    await apps.whenExposed('new', 'Attaching');
    expect(await listAttached(objects)).toEqual([]);
    const calls = await place.standIn.operatorCalls();
    // The objects of other tests go on.
    const own = calls.filter(({ input }) => JSON.stringify(input).includes(objects.namespace));
    expect(own.filter(({ operation }) => !operation.startsWith('Describe'))).toEqual([]);

    await objects.annotate('shared', { 'albridge.io/mode': null });
    await whenAttachedTo(objects, ['new']);
  });
});

describe('albridge status -o svg', () => {
  it('draws the rules that WebApps attach', async () => {
    await start();
    const objects = await place.createNamespace('drawn');
    await objects.create('shared', shared());
    await new Apps(objects).create('cart');
    await whenAttachedTo(objects, ['cart']);
    const { kubeconfigPath } = surroundings.controlPlane;
    const args = ['status', 'myingress/shared', '-n', objects.namespace, '-o', 'svg'];
    const { stdout } = await runAlbridge(args, { kubeconfigPath, awsEnvironment: {} });
    const owner = `of WebApp/${objects.namespace}/cart, `;
    expect(stdout).toMatch(new RegExp(`<title>rule 1\\. expose[^<]*: ${owner}`));
    expect(stdout).toContain('hosts cart.example.com');
  });
});
