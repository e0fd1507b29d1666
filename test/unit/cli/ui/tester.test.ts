import { describe, expect, it } from 'vitest';
import { composeTester } from '../../../../src/cli/ui/tester.ts';
import { createIngress } from './shop.ts';

function composeForm(query: string): string {
  const [form] = composeTester(createIngress(), new URLSearchParams(query));
  return form?.content.toString() ?? '';
}

describe('the form of the request tester', () => {
  it('keeps the lines of headers apart, however the browser sent them', () => {
    for (const lineBreak of ['%0A', '%0D%0A']) {
      expect(composeForm(`headers=A:1${lineBreak}B:%3C2`)).toContain('>A:1\nB:&lt;2</textarea>');
    }
  });

  it('keeps a chosen port that nothing listens on any more', () => {
    expect(composeForm('port=4443')).toContain(
      '<option value="4443" selected>4443, no listener</option></select>',
    );
    expect(composeForm('')).not.toContain('no listener');
  });
});

describe('the verdict of the request tester', () => {
  const rule = { name: 'expose', hosts: ['a.example'], fixedResponse: { statusCode: 200 } };
  const attached = { backends: [], rules: [{ source: 'WebApp/shop/refused', rule }] };
  const say = (name: string): string => {
    const entry = { kind: 'WebApp', namespace: 'shop', name, digest: '', reason: 'Attached' };
    const object = createIngress('web', { attached } as object);
    const status = { ...object.status, attached: [entry] };
    const query = new URLSearchParams('host=a.example&path=/');
    const parts = composeTester({ ...object, status }, query);
    return parts.find(({ id }) => id === 'verdict')?.content.toString() ?? '';
  };

  it('is certain where the page knows the rules of the objects that status has', () => {
    expect(say('refused')).toContain('(of WebApp/shop/refused)</b> wins');
    expect(say('refused')).not.toContain('By status');
  });

  it('may be another one where the page knows as many, and status has others', () => {
    expect(say('hidden')).toContain(
      'By status 1 other objects have rules here, and this page knows 1, not all of them the same: the answer may be another one.',
    );
  });
});
