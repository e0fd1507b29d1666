import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { reasonsOfMyIngress } from '../../../src/cli/objects/kinds.ts';
import { settings } from '../../../src/config/settings.ts';
import { pages } from '../../deploy/commands.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

let page: string;
let reasons: string;

beforeAll(async () => {
  page = await readFile(resolve(ROOT, 'docs/troubleshooting.md'), 'utf8');
  reasons = await readFile(resolve(ROOT, 'docs/reasons.md'), 'utf8');
});

it('the log of the Deployment is that of all pods on every page: kubectl would choose one', async () => {
  const paths = [...(await pages()), 'deploy/chart/templates/NOTES.txt'];
  const texts = await Promise.all(paths.map((path) => readFile(resolve(ROOT, path), 'utf8')));
  const logs = texts.join('\n').match(/\blogs deploy(?:ment)?\/albridge\b.*/g) ?? [];
  expect(logs.length).toBeGreaterThan(5);
  expect(logs.filter((line) => !line.includes(' --all-pods'))).toEqual([]);
});

describe('docs/troubleshooting.md', () => {
  it('has every reason of a MyIngress that a person must heal', () => {
    const healedByPerson = Object.entries(reasonsOfMyIngress)
      .filter(([, { healedBy }]) => healedBy === 'person')
      .map(([reason]) => reason);
    expect(healedByPerson.length).toBeGreaterThan(20);
    expect(healedByPerson.filter((reason) => !page.includes(`\`${reason}\``))).toEqual([]);
  });

  it('names no reason that there is not', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const cells = rows.map((row) => row.split('|')[1] ?? '');
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Za-z]+)`/g)]);
    const kubelets = ['CrashLoopBackOff', 'ErrImagePull', 'ImagePullBackOff'];
    const unknown = named
      .map(([, reason = '']) => reason)
      .filter((reason) => !reasons.includes(`| \`${reason}\` |`) && !kubelets.includes(reason));
    expect(named.length).toBeGreaterThan(20);
    expect(unknown).toEqual([]);
  });
});

const CERTIFICATES = 'ALBRIDGE_CERTIFICATES';

describe('the pages about installing', () => {
  it('name no setting that there is not', async () => {
    // The second is what the sandbox writes for examples.
    const names = [...Object.values(settings).map(({ name }) => name as string), CERTIFICATES];
    for (const file of (await readdir(resolve(ROOT, 'docs'))).filter((name) =>
      name.endsWith('.md'),
    )) {
      const text = await readFile(resolve(ROOT, 'docs', file), 'utf8');
      const used = [...text.matchAll(/\bALBRIDGE_[A-Z_]+\b/g)].map(([name]) => name);
      expect(
        used.filter((name) => !names.includes(name)),
        file,
      ).toEqual([]);
    }
  });

  it('link only to what is there', async () => {
    for (const file of ['install', 'uninstall', 'iam', 'troubleshooting']) {
      const text = await readFile(resolve(ROOT, `docs/${file}.md`), 'utf8');
      for (const [, target = ''] of text.matchAll(/\]\(([^)]+)\)/g)) {
        const [path = '', anchor] = target.split('#');
        if (path.startsWith('../') || path.startsWith('https://')) continue;
        const linked = path === '' ? text : await readFile(resolve(ROOT, 'docs', path), 'utf8');
        if (anchor === undefined) continue;
        const anchors = [...linked.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => slug(title));
        expect(anchors, `${file}: ${target}`).toContain(anchor);
      }
    }
  });
});

/** As GitHub makes anchors of headings. */
function slug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');
}
