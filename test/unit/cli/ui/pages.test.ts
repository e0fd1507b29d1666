import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { MyIngress } from '../../../../src/apis/my-ingress.ts';
import { OUR_KINDS } from '../../../../src/cli/objects/kinds.ts';
import type { FoundObject } from '../../../../src/cli/objects/read.ts';
import { framePage, PAGE_HEADERS, type Part } from '../../../../src/cli/ui/frame.ts';
import { composeList, MOST_ROWS, readFilter } from '../../../../src/cli/ui/list-page.ts';
import { composeObject } from '../../../../src/cli/ui/object-page.ts';
import type { ReadState } from '../../../../src/cli/ui/watched.ts';
import { asFound, createIngress, FORBIDDEN, HOSTILE } from './shop.ts';

const clock = { now: () => Date.parse('2026-01-01T02:00:00Z') };
const root = '/token/';

function frame(parts: readonly Part[]): string {
  return framePage({ title: 'T', state: { text: 'S', isBad: false }, parts }, root);
}

const READ: readonly ReadState[] = OUR_KINDS.map(({ kind }) => {
  return { name: kind, isKnown: true, isRead: true, fault: undefined };
});

function list(names: readonly string[], query = ''): string {
  const filter = readFilter(new URLSearchParams(query));
  const objects = names.map((name) => asFound(createIngress(name)));
  return frame(
    composeList(objects, { root, clock, filter, states: READ, known: { kind: 'unread' } }),
  );
}

function show(name: string, query = ''): string {
  const event = { time: '2026-01-01T01:00:00Z', type: name, reason: name, note: name, count: 2 };
  const context = { clock, query: new URLSearchParams(query), events: [event], targets: new Map() };
  return frame(composeObject(asFound(createIngress(name)), context));
}

const unread = (state: ReadState): ReadState => ({ ...state, isKnown: false, isRead: false });
const failed = (state: ReadState): ReadState => ({ ...state, isRead: false, fault: 'refused' });

const ROW = /<a href="\/token\/myingresses\/[^>]*>([^<]*)</g;

/** Each hostile place is text: outside our own script and style there is neither, and no handler. */
function expectHarmless(html: string): void {
  const own = /<style>[\s\S]*?<\/style>|<script>[\s\S]*?<\/script>/g;
  expect(html.match(own)).toHaveLength(2);
  const rest = html.replaceAll(own, '');
  expect(rest).not.toMatch(/<script|<img|<style|<iframe/i);
  const withoutValues = rest.replaceAll(/"[^"]*"/g, '""');
  expect(withoutValues).not.toMatch(/<[^>]*\s(on\w+|style)=/i);
  for (const character of FORBIDDEN) expect(rest).not.toContain(character);
}

describe('the list of objects', () => {
  it('links each object, with its age', () => {
    const html = list(['web']);
    expect(html).toContain('<a href="/token/myingresses/shop/web">web</a>');
    expect(html).toContain('<td data-label="age">2h</td>');
    expect(html).toContain('1 objects, 1 not ready');
  });

  it('sends no more rows than a person reads, and links the others', () => {
    const names = Array.from({ length: 450 }, (_, index) => `web-${index}`);
    const html = list(names, 'page=3');
    expect(html.match(/<tr>/g)).toHaveLength(1 + 50);
    expect(html).toContain('page 3 of 3');
    expect(html).toContain(`href="?q=&amp;kind=&amp;page=2"`);
    expect(list(names).match(/<tr>/g)).toHaveLength(1 + MOST_ROWS);
    expect(list(names, 'page=nonsense')).toContain('page 1 of 3');
    expect(list(names, 'page=99')).toContain('page 3 of 3');
  });

  it('filters by text without regard to case, and keeps the text', () => {
    const html = list(['web', 'other'], 'q=WEB');
    expect(html).toContain('1 fit the filter');
    expect(html).toContain('value="WEB"');
    expect(html).not.toContain('>other<');
    expect(list(['web'], 'kind=MyApp')).toContain('No object fits.');
  });

  it.each<readonly [what: string, states: readonly ReadState[], sentence: string]>([
    ['is nothing', READ, 'There are no objects of albridge.'],
    ['is being read', READ.map(unread), 'Nothing has been read yet.'],
    ['cannot be read', READ.map(failed), 'Nothing can be read, for the reason above.'],
    ['is partly read', [...READ.slice(1), ...READ.slice(0, 1).map(unread)], 'found so far'],
    ['can partly be read', [...READ.slice(1), ...READ.slice(0, 1).map(failed)], 'that can be read'],
  ])('claims no more than is known where there %s', (_, states, sentence) => {
    const filter = readFilter(new URLSearchParams('q=web'));
    const parts = composeList([], { root, clock, filter, states, known: { kind: 'unread' } });
    const html = frame(parts);
    expect(html).toContain(sentence);
    expect(html).not.toMatch(/No object fits|0 objects/);
  });

  it('has those that are not ready first, and alone where asked for, on each of its pages', () => {
    const filter = (query: string): ReturnType<typeof readFilter> =>
      readFilter(new URLSearchParams(query));
    const rate = (name: string, status: string): FoundObject => {
      const object = createIngress(name);
      const [ready] = object.status.conditions ?? [];
      const conditions = [{ ...ready, status }] as MyIngress['status']['conditions'];
      return asFound({ ...object, status: { ...object.status, conditions } } as MyIngress);
    };
    const known = { kind: 'unread' } as const;
    const objects = [rate('a', 'True'), rate('b', 'Unknown'), rate('c', 'False')];
    const names = (query: string): readonly (string | undefined)[] =>
      [
        ...frame(
          composeList(objects, { root, clock, known, states: READ, filter: filter(query) }),
        ).matchAll(ROW),
      ].map(([, name]) => name);
    expect(names('')).toEqual(['c', 'b', 'a']);
    expect(names('not-ready=1')).toEqual(['c', 'b']);
    const many = Array.from({ length: MOST_ROWS + 1 }, (_, index) => `web-${index}`);
    expect(list(many, 'not-ready=1')).toContain('page=2&amp;not-ready=1');
  });

  it('shows hostile names, reasons, messages and filters as text', () => {
    expectHarmless(list([HOSTILE]));
    expectHarmless(
      list(
        [HOSTILE],
        `q=${encodeURIComponent(HOSTILE.toWellFormed())}&kind=${encodeURIComponent(HOSTILE.toWellFormed())}`,
      ),
    );
  });
});

describe('the page of one object', () => {
  it('shows hostile text everywhere as text', () => {
    const typed = ['host', 'path', 'method', 'headers', 'from', 'port'].map(
      (name) =>
        `${name}=${encodeURIComponent((name === 'path' ? `/${HOSTILE}` : HOSTILE).toWellFormed())}`,
    );
    expectHarmless(show(HOSTILE));
    expectHarmless(show(HOSTILE, typed.join('&')));
    expectHarmless(
      show(HOSTILE, `host=shop.example.com&path=/old${encodeURIComponent(HOSTILE.toWellFormed())}`),
    );
  });

  it('has no more targets of a backend as text than a person reads, those not ready first', () => {
    const target = { kind: 'target', name: '10.0.0.1', state: 'ready', health: 'good' } as const;
    const bad = { ...target, state: 'not ready', health: 'warning' } as const;
    const targets = new Map([['web', [...Array.from({ length: 10_000 }, () => target), bad]]]);
    const names = Array.from({ length: 40 }, (_, index) => `b${index}`);
    const backends = names.map((name) => ({ name, service: { name: 'web', port: 80 } }));
    const rules = names.map((name) => ({
      ...{ name, paths: [`/${name}`], forward: [{ backend: name, weight: 1 }] },
    }));
    const object = createIngress('web', { backends, rules });
    const context = { clock, query: new URLSearchParams(), events: [], targets };
    const html = frame(composeObject(asFound(object), context));
    expect(html.length).toBeLessThan(1_000_000);
    expect(html.match(/<span class="warning">not ready<\/span>/g)?.length).toBe(40);
    expect(html).toContain('<li>and 9951 more</li>');
  });

  it('says why it is not ready, draws it, and has the drawing as text', () => {
    const html = show('web', 'host=shop.example.com&path=/');
    expect(html).toContain('Why it is not as desired');
    expect(html).toContain('<svg xmlns="http://www.w3.org/2000/svg" class="drawing" role="list"');
    expect(html).toContain('The same as text');
    expect(html).toContain('<b class="good">web</b> wins');
    expect(html).toContain('(2 times) web');
  });

  it('has one heading of the first level, landmarks, and a label for every field', () => {
    const html = show('web');
    expect(html.match(/<h1>/g)).toHaveLength(1);
    for (const mark of [
      '<header>',
      '<main ',
      '<nav aria-label',
      'role="status" aria-live="polite"',
      'lang="en"',
    ])
      expect(html).toContain(mark);
    const fields = html.match(/<(input|select|textarea) /g) ?? [];
    expect(fields).toHaveLength(6);
    expect(html.match(/<label[^>]*>[^<]+<(input|select|textarea) /g)).toHaveLength(fields.length);
    expect(html.match(/<th(?!ead| scope=)/g)).toBeNull();
  });

  it('keeps the plan, and why it is old', () => {
    const object = createIngress('web');
    const plan = { generation: 1, digest: '', steps: [`create ${HOSTILE}`], omitted: 2 };
    const status = { ...object.status, plan };
    const context = { clock, query: new URLSearchParams(), events: undefined, targets: new Map() };
    const html = frame(composeObject(asFound({ ...object, status }), context));
    expect(html).toContain('<li>create &quot;&gt;');
    expect(html).toContain('and 2 more');
    expect(html).toContain(
      '<p class="warning">the plan is older than the last attempt, which ended in web: about web</p>',
    );
    expect(html).toContain('They have not been read');
    expect(html).not.toContain('There are none: ');
    expectHarmless(html);
  });
});

describe('the policy of a page', () => {
  it('allows the own script and style by their hashes, and nothing else', () => {
    const html = list(['web']);
    const policy = PAGE_HEADERS['content-security-policy'] ?? '';
    for (const [tag, directive] of [
      ['script', 'script-src'],
      ['style', 'style-src'],
    ]) {
      const [, text = ''] = new RegExp(`<${tag}>([\\s\\S]*?)</${tag}>`).exec(html) ?? [];
      const digest = createHash('sha256').update(text).digest('base64');
      expect(policy).toContain(`${directive} 'sha256-${digest}';`);
    }
    expect(policy).toMatch(/^default-src 'none';/);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(html).not.toMatch(/\s(src|href)="(https?:)?\/\//);
  });
});
