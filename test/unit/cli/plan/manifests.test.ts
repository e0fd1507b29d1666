import { describe, expect, it } from 'vitest';
import {
  type ManifestPlace,
  readManifests,
  readManifestText,
} from '../../../../src/cli/plan/manifests.ts';

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

  it.each(['null', "''"])('takes the namespace %s for none', (namespace) => {
    const text = SHOP.replace('name: shop', `name: shop, namespace: ${namespace}`);
    expect(listNames(text)).toEqual(['default/shop']);
    expect(listNames(text, { ...PLACE, only: 'web' })).toEqual(['web/shop']);
  });

  it('may begin with a byte order mark', () => {
    expect(listNames(`\uFEFF${SHOP}`)).toEqual(['default/shop']);
  });

  it.each(['5', 'Bad NS', '../x', '[a]', 'true'])('refuses the namespace %s', (namespace) => {
    const text = SHOP.replace('name: shop', `name: shop, namespace: ${namespace}`);
    expect(() => readManifests(text, PLACE)).toThrow(
      /^shop.yaml has MyIngress shop with the namespace \S.*, which cannot be one: correct it$/,
    );
  });

  const wrong: Record<string, { text: string; says: RegExp; only?: string }> = {
    'that is not YAML': { text: '{', says: /^shop.yaml is not valid YAML: [^\n]*; correct it$/ },
    'that is empty': { text: '', says: /^shop.yaml has no manifest: give a file with a MyIngress/ },
    'of other kinds': { text: SERVICE, says: /^shop.yaml has only Service: give a file/ },
    'with a list whose items have no kind': {
      text: SHOP.replace('MyIngress', 'MyIngressList').replace(
        /metadata: .*/,
        'items: [{ metadata: { name: shop } }]',
      ),
      says: /^shop.yaml has only items of MyIngressList without a kind: give a file with a MyIngress of/,
    },
    'that is a template': {
      text: SHOP.replace('{ name: shop }', '\n  name: {{ .x }}'),
      says: /^shop.yaml is not valid YAML: [^\n]*; correct it, or render it first \(helm template\): line 4 has {{$/,
    },
    'of another version': {
      text: SHOP.replace('/v1', '/v2'),
      says: /has only MyIngress of demo.rtfm.co.ua\/v2: .* of demo.rtfm.co.ua\/v1$/,
    },
    'without a name': {
      text: SHOP.replace('name: shop', 'generateName: shop-'),
      says: /has a MyIngress whose metadata.name is missing or no text: give it/,
    },
    'that has an object twice': {
      text: `${SHOP}\n---\n${SHOP}`,
      says: /^shop.yaml has MyIngress default\/shop twice: leave one of them out$/,
    },
    'of another namespace': {
      text: SHOP.replace('name: shop', 'name: shop, namespace: api'),
      only: 'web',
      says: /has MyIngress shop in namespace api, not web: leave --namespace out, or correct it$/,
    },
  };
  const laughs = Array.from({ length: 30 }, (_, index) => {
    const aliases = Array<string>(10).fill(index === 0 ? 'lol' : `*a${index - 1}`);
    return `  a${index}: &a${index} [${aliases.join()}]\n`;
  });
  wrong['whose aliases multiply'] = {
    text: `${SHOP}spec:\n${laughs.join('')}`,
    says: /^shop.yaml has a MyIngress of more than 3 MiB with its aliases written out: .* write out/,
  };
  wrong['with an alias of itself'] = {
    text: `${SHOP}spec: &a { x: *a }\n`,
    says: /of more than 3 MiB/,
  };
  it.each(Object.entries(wrong))('%s is refused in one sentence', (_, { text, says, only }) => {
    expect(() => readManifests(text, { ...PLACE, only })).toThrow(says);
  });

  it('may use an alias as often as it likes', () => {
    const aliases = Array<string>(500).fill('*a').join();
    expect(listNames(`${SHOP}spec: { x: &a { y: "1" }, z: [${aliases}] }\n`)).toEqual([
      'default/shop',
    ]);
  });
});

describe('the size of a file', () => {
  it('is bounded while it is read: what never ends is refused', async () => {
    let pieces = 0;
    const endless = (async function* () {
      for (;;) {
        pieces += 1;
        yield Promise.resolve(Buffer.alloc(1024 * 1024));
      }
    })();
    await expect(readManifestText(endless, 'standard input')).rejects.toThrow(
      /^standard input has more than 16 MiB: .* smaller files$/,
    );
    expect(pieces).toBeLessThan(20);
  });

  it('may be of any pieces', async () => {
    const pieces = [...Buffer.from('größe')].map((byte) => Buffer.of(byte));
    expect(await readManifestText(pieces, 'x')).toBe('größe');
  });
});
