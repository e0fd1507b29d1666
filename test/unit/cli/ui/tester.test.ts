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
