import { describe, expect, it } from 'vitest';
import { markup, NO_MARKUP } from '../../../../src/cli/markup/markup.ts';

describe('markup', () => {
  it('escapes every value, whatever it would end or begin', () => {
    const text = `<b> "quoted" 'single' & &amp; `;
    expect(markup`<p title="${text}">${text}</p>`.toString()).toBe(
      '<p title="&lt;b&gt; &quot;quoted&quot; &#39;single&#39; &amp; &amp;amp; ">&lt;b&gt; &quot;quoted&quot; &#39;single&#39; &amp; &amp;amp; </p>',
    );
  });

  it('shows characters that direct text, and has none that XML does not allow', () => {
    const text = markup`${'a\u202eb\u0000c\ud800d\uffffe'}`.toString();
    expect(text).toBe('a\\u202eb\\u0000c\ufffdd\ufffde');
  });

  it('takes markup as it is, alone and in lists; undefined is empty', () => {
    const item = markup`<i>${'<'}</i>`;
    expect(markup`${item}${[item, NO_MARKUP]}${undefined}${7}`.toString()).toBe(
      '<i>&lt;</i><i>&lt;</i>7',
    );
  });
});
