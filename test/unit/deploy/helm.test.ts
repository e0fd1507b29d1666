import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { CHART, listStale, renderChart } from '../../../deploy/helm/main.ts';
import { renderSchema } from '../../../deploy/helm/values.ts';
import { renderUserRoles, USER_ROLES } from '../../../deploy/user-roles.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const rendered = await renderChart();

/** What the chart leaves out, and why. */
const NOT_IN_THE_CHART: Readonly<Record<string, string>> = {
  'deploy/base/namespace.yaml': 'Helm creates the namespace of a release',
  'deploy/components/external-dns': 'it has a chart of its own',
  'deploy/components/external-dns-webapps': 'it has a chart of its own',
};

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
}

function read(path: string): string {
  return readFileSync(resolve(ROOT, path), 'utf8');
}

function schema(): Schema {
  return JSON.parse(rendered.get('values.schema.json') as string) as Schema;
}

/** `image.tag: ...` for each property of the schema. */
function properties(of: Schema, path = ''): readonly (readonly [string, Schema])[] {
  return Object.entries(of.properties ?? {}).flatMap(([name, property]) => [
    [path + name, property] as const,
    ...properties(property, `${path}${name}.`),
  ]);
}

/** Paths of values that the schema does not have. */
function unknownIn(values: unknown, of: Schema, path = ''): readonly string[] {
  if (of.properties === undefined || typeof values !== 'object' || values === null) return [];
  return Object.entries(values).flatMap(([name, value]) => {
    const property = of.properties?.[name];
    return property === undefined ? [path + name] : unknownIn(value, property, `${path}${name}.`);
  });
}

describe('deploy/chart', () => {
  it.each([...rendered])('%s is what npm run gen writes', (name, text) => {
    expect(read(join('deploy/chart', name))).toBe(text);
  });

  it('has no generated template whose source has left', async () => {
    expect(await listStale()).toEqual([]);
  });

  it('has a template for each file that kustomize renders', () => {
    const heads = [...rendered.values()].map((text) => text.split('\n')[0]).join('\n');
    const files = ['deploy/base', 'deploy/components'].flatMap((directory) =>
      readdirSync(resolve(ROOT, directory), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.yaml') && !name.endsWith('kustomization.yaml'))
        .map((name) => join(directory, name)),
    );
    const left = files.filter((file) => !heads.includes(` ${file} `));
    expect(
      left.filter((file) => !Object.keys(NOT_IN_THE_CHART).some((one) => file.startsWith(one))),
    ).toEqual([]);
    expect(files.length - left.length).toBeGreaterThan(25);
  });

  it('has each template under one condition', () => {
    for (const [name, text] of rendered) {
      if (!name.startsWith('templates/')) continue;
      expect(text, name).toMatch(
        /^\{\{- \/\* .* \*\/\}\}\n\{\{- if .*\}\}\n[\s\S]*\n\{\{- end \}\}\n$/,
      );
    }
  });
});

describe('values.schema.json', () => {
  it('describes every value and refuses every other', () => {
    for (const [path, property] of properties(schema())) {
      expect(property.description, path).toMatch(/^\S.*\.$/);
      if (property.properties) expect(property.additionalProperties, path).toBe(false);
    }
    expect(properties(schema()).length).toBeGreaterThan(40);
  });

  it.each(['metrics', 'health'])('takes the container port of %s and no other', (name) => {
    const deployment = read('deploy/base/deployment.yaml');
    const [, port = ''] =
      new RegExp(`name: ${name}\\n +containerPort: (\\d+)`).exec(deployment) ?? [];
    const key = `settings.ALBRIDGE_${name.toUpperCase()}_ADDRESS`;
    const [, setting] = properties(schema()).find(([path]) => path === key) ?? [];
    expect(setting?.description).toContain(`Not set: :${port}.`);
    const addresses = ['', '0.0.0.0', '[::]'].map((host) => `${host}:${port}`);
    const isTaken = new RegExp(setting?.pattern ?? '-');
    expect(addresses.filter((address) => !isTaken.test(address))).toEqual([]);
    expect(`:${port}0`).not.toMatch(isTaken);
  });

  it('is not written for a variable that nothing describes', () => {
    expect(() => renderSchema(['AWS_EC2_METADATA_DISABLED', 'LOG_LEVELS'])).toThrow(
      'LOG_LEVELS is not a setting: add it to src/config/settings.ts',
    );
  });

  it('has the defaults of values.yaml', () => {
    const values = parse(read('deploy/chart/values.yaml')) as Readonly<Record<string, unknown>>;
    const leaves = properties(schema()).filter(([, one]) => one.default !== undefined);
    for (const [path, one] of leaves) {
      const found = path
        .split(/\.(?!schemes)/)
        .reduce<unknown>((at, key) => (at as never)?.[key], values);
      if (path !== 'global') expect(found, path).toEqual(one.default);
    }
    expect(unknownIn(values, schema())).toEqual([]);
  });

  it('has every key of values/*.yaml', () => {
    for (const name of readdirSync(join(CHART, 'values'))) {
      const values = parse(readFileSync(join(CHART, 'values', name), 'utf8'));
      expect(unknownIn(values, schema()), name).toEqual([]);
      expect(Object.keys(values).length, name).toBeGreaterThan(0);
    }
  });
});

describe(USER_ROLES, () => {
  it('is what npm run gen writes', () => {
    expect(read(USER_ROLES)).toBe(renderUserRoles());
  });
});
