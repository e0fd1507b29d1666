import { describe, expect, it } from 'vitest';
import { type ManifestPlace, readManifests } from '../../../../src/cli/plan/manifests.ts';

const PLACE: ManifestPlace = { source: 'shop.yaml', namespace: 'default' };
const SHOP = 'apiVersion: demo.rtfm.co.ua/v1\nkind: MyIngress\nmetadata: { name: shop }\n';
const SERVICE = 'apiVersion: v1\nkind: Service\nmetadata: { name: web }\n';

function listNames(text: string, place = PLACE): readonly string[] {
  return readManifests(text, place).myIngresses.map(
    ({ metadata }) => `${metadata.namespace}/${metadata.name}`,
  );
}

describe('a file of manifests', () => {
  it('may have several documents, lists, other kinds and empty documents', () => {
    const list = JSON.stringify({
      kind: 'List',
      items: [
        {
          apiVersion: 'demo.rtfm.co.ua/v1',
          kind: 'MyIngress',
          metadata: { name: 'api', namespace: 'web' },
        },
      ],
    });
    const text = `---\n${SHOP}---\n${SERVICE}---\n---\n${list}\n`;
    expect(listNames(text)).toEqual(['default/shop', 'web/api']);
    expect(readManifests(text, PLACE).otherKinds).toEqual(['Service']);
  });

  it('takes the namespace of the option', () => {
    expect(listNames(SHOP, { ...PLACE, only: 'web' })).toEqual(['web/shop']);
  });

  const wrong: Readonly<Record<string, { text: string; says: RegExp; only?: string }>> = {
    'that is not YAML': { text: '{', says: /^shop.yaml is not valid YAML: [^\n]*; correct it$/ },
    'that is empty': { text: '', says: /^shop.yaml has no manifest: give a file with a MyIngress/ },
    'of other kinds': { text: SERVICE, says: /^shop.yaml has only Service: give a file/ },
    'of another version': {
      text: SHOP.replace('/v1', '/v2'),
      says: /has only MyIngress: .* of demo.rtfm.co.ua\/v1$/,
    },
    'without a name': {
      text: SHOP.replace('name: shop', 'generateName: shop-'),
      says: /has a MyIngress without metadata.name: give it/,
    },
    'of another namespace': {
      text: SHOP.replace('name: shop', 'name: shop, namespace: api'),
      only: 'web',
      says: /has MyIngress shop in namespace api, not web: leave --namespace out, or correct it$/,
    },
  };
  it.each(Object.entries(wrong))('%s is refused in one sentence', (_, { text, says, only }) => {
    expect(() => readManifests(text, { ...PLACE, only })).toThrow(says);
  });
});
