import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MyApp } from '../../../../src/apis/my-app.ts';
import { desirePods } from '../../../../src/controllers/my-app/desired-pods.ts';
import { type Container, type Printed, runContainer } from '../../../surroundings/container.ts';

function containerOf(spec: Partial<MyApp['spec']>): Container {
  const metadata = { name: 'shop', namespace: 'web' };
  const object = { metadata, spec: { image: 'nginx', replicas: 1, ...spec } } as MyApp;
  const [pod] = desirePods(object);
  const { containers } = (pod as unknown as { spec: { containers: readonly Container[] } }).spec;
  return containers[0] ?? {};
}

let directory = '';

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'banner-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function logOf(spec: Partial<MyApp['spec']>): Promise<Printed> {
  return runContainer(containerOf(spec), directory);
}

const banners: Readonly<Record<string, { why: string; banner: string }>> = {
  "the article's": { why: 'its outcome', banner: 'This pod was created by MyApp operator 🚀' },
  'with quotes': { why: 'they would end a string', banner: `it's "quoted" \`twice\`` },
  'with a command in it': { why: 'it must not run', banner: '$(touch ran) `touch ran`; touch ran' },
  'with a second command behind a quote': { why: 'the classic', banner: '"; touch ran; echo "' },
  'with the name of a variable': {
    why: 'a kubelet would put the value in its place',
    banner: '$(KUBERNETES_SERVICE_HOST) $KUBERNETES_SERVICE_HOST ${PATH} $(BANNER)',
  },
  'with doubled dollars': { why: 'a kubelet takes them for one', banner: '$$ $$$ $$(HOME) $' },
  'that looks like a flag': { why: 'echo would take it for one', banner: '-n' },
  'with backslashes': { why: 'some echo read them', banner: String.raw`a\nb\tc\\d\c %s %d` },
  'of several lines': { why: 'a banner often is', banner: 'one\n  two\n\nthree' },
  'with patterns': { why: 'a shell would look for files', banner: '* ? [a-z] ~ {a,b}' },
};

describe('the banner', () => {
  it.each(Object.entries(banners))('%s is printed as it is', async (_name, { banner, why }) => {
    const { out, err } = await logOf({ banner });
    expect(out, why).toBe(`${banner}\n`);
    expect(err, 'then it sleeps, and nothing else was run or complained').toBe('sleeps infinity\n');
    const ran = await rm(join(directory, 'ran')).then(
      () => true,
      () => false,
    );
    expect(ran).toBe(false);
  });

  it.each([{}, { banner: '' }])('is left out where there is none: %j', async (spec) => {
    expect(await logOf(spec)).toEqual({ out: '', err: 'sleeps infinity\n' });
    expect(containerOf(spec)).not.toHaveProperty('env');
  });

  it('is nowhere but in the environment', () => {
    const { env, ...rest } = containerOf({ banner: 'needle' });
    expect(env).toEqual([{ name: 'BANNER', value: 'needle' }]);
    expect(JSON.stringify(rest)).not.toContain('needle');
  });

  it('reaches a command of the user, too', async () => {
    const spec = { banner: '$$ 🚀', command: ['/bin/sh', '-c'], args: ['echo "<$BANNER>"'] };
    expect(await logOf(spec)).toEqual({ out: '<$$ 🚀>\n', err: '' });
  });
});

describe('command and args', () => {
  const cases: Readonly<
    Record<string, { why: string; spec: Partial<MyApp['spec']>; is: Container }>
  > = {
    'an empty command': {
      why: "the image's own entrypoint; the API server stores no empty list",
      spec: { command: [] },
      is: {},
    },
    'arguments alone': {
      why: "for the image's own entrypoint",
      spec: { args: ['--debug'] },
      is: { args: ['--debug'] },
    },
    both: {
      why: 'as in every pod',
      spec: { command: ['a'], args: ['b', 'c'] },
      is: { command: ['a'], args: ['b', 'c'] },
    },
  };

  it.each(Object.entries(cases))('of the user: %s', (_name, { spec, is, why }) => {
    const { command, args } = containerOf(spec);
    const given = { ...(command && { command }), ...(args && { args }) };
    expect(given, why).toEqual(is);
  });
});
