import type { MyIngress } from '../../src/apis/my-ingress.ts';
import { isReady, readyOf } from '../surroundings/my-ingresses.ts';
import { type Life, unlessOver } from './life.ts';

/** A balancer comes, is paused now and then, and goes. */
export async function liveInAws(life: Life): Promise<void> {
  const { place, namespace, over } = life;
  const objects = place.myIngresses(namespace);
  await objects.create('web', { subnets: place.aws.network.articleSubnets });
  // The same event twice is one event with a count, which takes a patch.
  for (const paused of ['false', 'true', 'false', 'true', 'false']) {
    await objects.annotate('web', { 'albridge.io/paused': paused });
    const isAsWanted = (object: MyIngress): boolean =>
      paused === 'false' ? isReady(object) : readyOf(object)?.reason === 'Paused';
    await objects.when('web', (object) => over.aborted || isAsWanted(object), 60_000);
    over.throwIfAborted();
  }
  // Nodes are read for it alone, and none has to be there.
  const nodes = {
    name: 'web',
    service: { name: 'web', port: 80 },
    targetType: 'instance',
  } as const;
  await objects.edit('web', { backends: [nodes] });
  const hasGroup = ({ status }: MyIngress): boolean => {
    return status.backends?.[0]?.targetGroupARN !== undefined;
  };
  await objects.when('web', (object) => over.aborted || hasGroup(object), 60_000);
  over.throwIfAborted();
  if (life.isAlone !== true) await attachFromElsewhere(life);
  // The place of our finalizer moves under the pass that takes it off, so it reads the object anew.
  const ours = 'albridge.io/load-balancer';
  await objects.patch('web', { metadata: { finalizers: ['example.com/other', ours] } });
  await place.standIn.addFault({ operation: 'DeleteLoadBalancer', effect: { kind: 'hold' } });
  await objects.startDeleting('web');
  await unlessOver(life, 'the delete is held', async () =>
    (await place.standIn.state()).held.includes('DeleteLoadBalancer'),
  );
  await objects.patch('web', { metadata: { finalizers: [ours] } });
  await place.standIn.release();
  await unlessOver(life, 'web is gone', async () => !(await objects.exists('web')));
}

/** Labels of namespaces are read for an object of another namespace alone. */
async function attachFromElsewhere({ place, namespace, over }: Life): Promise<void> {
  const objects = place.myIngresses(namespace);
  const selector = { matchLabels: { 'kubernetes.io/metadata.name': 'default' } };
  await objects.edit('web', { allowedNamespaces: { from: 'Selector', selector } });
  const path = '/apis/apps.example.com/v1/namespaces/default/webapps';
  const ingress = { name: 'web', namespace };
  const body = {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp', metadata: { name: namespace } },
    spec: { image: 'nginx:1', expose: { ingress, hosts: ['elsewhere.example.com'] } },
  };
  await place.api.ask({ method: 'POST', path, body });
  const isAttached = ({ status }: MyIngress): boolean => status.attached?.length === 1;
  await objects.when('web', (object) => over.aborted || isAttached(object), 60_000);
  await place.api.ask({ method: 'DELETE', path: `${path}/${namespace}` });
  over.throwIfAborted();
}
