import { expect, it } from 'vitest';
import type { MyIngress } from '../../../src/apis/my-ingress.ts';
import { ObjectTable } from '../../simulation/api-model/object-table.ts';
import { EverAllowed } from '../../simulation/attaching/ever-allowed.ts';
import { definedKind } from '../../simulation/served-definition.ts';

it('what an older spec of a WebApp asked of a newer MyIngress was allowed: they are shown by two watches', () => {
  const table = new ObjectTable();
  const allowed = new EverAllowed(table);
  const ingress = { namespace: 'web', name: 'shared' };
  const edit = (generation: number, path: string, port: number): void => {
    const expose = { ingress, hosts: ['shop.example.org'], paths: [path] };
    const metadata = { namespace: 'api', name: 'alpha', uid: 'app', generation };
    table.put(definedKind('WebApp'), { metadata, spec: { expose } } as never, 'user');
    const spec = { listeners: [{ port }], allowedNamespaces: { from: 'All' } };
    const shared = { metadata: { ...ingress, uid: 'shared', generation }, spec };
    allowed.refresh([shared as unknown as MyIngress]);
  };
  edit(1, '/cart', 80);
  edit(2, '/shop', 8080);
  expect(allowed.listAsked('web/shared')).toContain('WebApp/api/alpha 8080 shop.example.org /cart');
});
