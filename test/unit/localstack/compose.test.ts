import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const HERE = resolve(import.meta.dirname, '../../../localstack');
const text = await readFile(resolve(HERE, 'docker-compose.yml'), 'utf8');
const compose = parse(text) as {
  readonly services: Readonly<Record<'localstack' | 'seed', Service>>;
};

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly command?: readonly string[];
}

/** What can be said of the file without Docker. */
describe('the compose file of the licensed LocalStack', () => {
  const { localstack, seed } = compose.services;

  it('pins its images', () => {
    for (const { image } of [localstack, seed]) expect(image).toMatch(/:\d+(\.\d+)+(-[\w-]+)?$/);
  });

  it('is reached from this machine only', () => {
    expect(localstack.ports).toHaveLength(1);
    for (const port of localstack.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  it('takes the token from the environment, with a sentence where there is none', () => {
    expect(localstack.environment['LOCALSTACK_AUTH_TOKEN']).toMatch(
      /^\$\{LOCALSTACK_AUTH_TOKEN:\?is not set - .*localstack\/\.env.*\}$/,
    );
  });

  it('seeds after the health check, by the script that every backend is seeded by', () => {
    expect(localstack.healthcheck?.test.join(' ')).toContain('/_localstack/health');
    expect(seed.depends_on).toEqual({ localstack: { condition: 'service_healthy' } });
    expect(seed.command).toEqual(['node', 'localstack/seed.ts']);
  });

  it('has every variable that it reads in .env.example, and no token there', async () => {
    const example = await readFile(resolve(HERE, '.env.example'), 'utf8');
    const named = [...example.matchAll(/^(\w+)=(.*)$/gm)].map(([, name]) => name);
    const read = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
    expect(new Set(read)).toEqual(new Set(named));
    expect(example).toMatch(/^LOCALSTACK_AUTH_TOKEN=$/m);
  });
});
