import { describe, expect, it } from 'vitest';
import { fieldsOf, labelsOf } from '../../simulation/api-model/selectors.ts';
import type { StoredObject } from '../../simulation/api-model/stored-object.ts';

function buildSecret(type: string, labels?: Readonly<Record<string, string>>): StoredObject {
  const metadata = { name: 'db', namespace: 'web', uid: 'u', ...(labels && { labels }) };
  return { apiVersion: 'v1', kind: 'Secret', metadata, type } as unknown as StoredObject;
}

describe('the label selectors of the model', () => {
  it.each([
    ['app=web', { app: 'web' }, { app: 'api' }],
    ['app==web,tier=1', { app: 'web', tier: '1' }, { app: 'web' }],
    ['app!=web', {}, { app: 'web' }],
    ['app in (web, api)', { app: 'api' }, {}],
    ['app notin (web,api),tier=1', { tier: '1' }, { app: 'api', tier: '1' }],
    ['app', { app: '' }, {}],
    ['!app', {}, { app: 'web' }],
  ])('%s', (selector, matching, other) => {
    const test = labelsOf(selector);
    expect([test(buildSecret('Opaque', matching)), test(buildSecret('Opaque', other))]).toEqual([
      true,
      false,
    ]);
  });

  it('throws for what it does not know', () => {
    expect(() => labelsOf('app>1')).toThrow('app>1');
  });
});

describe('the field selectors of the model', () => {
  it('leaves out types', () => {
    const test = fieldsOf('type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token');
    const types = ['Opaque', 'helm.sh/release.v1', 'kubernetes.io/service-account-token'];
    expect(types.map((type) => test(buildSecret(type)))).toEqual([true, false, false]);
  });

  it('throws for what it does not know', () => {
    expect(() => fieldsOf('status.phase=Running')).toThrow('status.phase');
  });
});
