import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LuaEngine, LuaFactory } from 'wasmoon';
import { parse } from 'yaml';
import { readDefinitions } from '../../../docs/fields/definitions.ts';

const FILE = resolve(import.meta.dirname, '../../../deploy/argocd/argocd-cm.yaml');
const settings = parse(readFileSync(FILE, 'utf8')) as {
  readonly data: Readonly<Record<string, string>>;
};

interface Health {
  readonly status: string;
  readonly message: string;
}

let lua: LuaEngine;

beforeAll(async () => {
  lua = await new LuaFactory().createEngine();
});
afterAll(() => lua.global.close());

/** As Argo CD asks a script: the object is the global `obj`, a list begins at 1. */
async function askHealth(script: string, object: object): Promise<Health> {
  await lua.doString(`obj = ${toLua(object)}`);
  return (await lua.doString(script)) as Health;
}

function toLua(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(toLua).join(',')}}`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, field]) => `[${JSON.stringify(name)}]=${toLua(field)}`)
    .join(',')}}`;
}

function objectWith(conditions: readonly string[], more: object = {}): object {
  return {
    metadata: { name: 'a', generation: 2, ...more },
    status: {
      observedGeneration: 2,
      conditions: conditions.map((text) => {
        const [type, status, reason] = text.split(' ');
        return { type, status, reason, message: 'what to do' };
      }),
    },
  };
}

const script = settings.data['resource.customizations.health.demo.rtfm.co.ua_MyIngress'] ?? '';

const cases: Readonly<Record<string, readonly [object, Health]>> = {
  'an object that is new': [
    { metadata: { generation: 1 }, status: { observedGeneration: -1 } },
    { status: 'Progressing', message: 'albridge has not reconciled this generation yet' },
  ],
  'an object without a status': [
    { metadata: { generation: 1 } },
    { status: 'Progressing', message: 'albridge has not reconciled this generation yet' },
  ],
  'a Ready object': [
    objectWith(['Ready True Available']),
    { status: 'Healthy', message: 'Available: what to do' },
  ],
  'a Ready object after an edit': [
    { ...objectWith(['Ready True Available']), metadata: { generation: 3 } },
    { status: 'Progressing', message: 'albridge has not reconciled this generation yet' },
  ],
  'work in progress': [
    objectWith(['Ready False Provisioning', 'Reconciling True Provisioning']),
    { status: 'Progressing', message: 'Provisioning: what to do' },
  ],
  'work in progress while it is still Ready': [
    objectWith(['Ready True Available', 'Reconciling True Throttled']),
    { status: 'Progressing', message: 'Throttled: what to do' },
  ],
  'a failure that needs a person': [
    objectWith(['Ready False NameConflict', 'Stalled True NameConflict']),
    { status: 'Degraded', message: 'NameConflict: what to do' },
  ],
  'a paused object': [
    objectWith(['Ready Unknown Paused']),
    { status: 'Suspended', message: 'Paused: what to do' },
  ],
  'a plan': [
    objectWith(['Ready Unknown Planned']),
    { status: 'Suspended', message: 'Planned: what to do' },
  ],
  'a deletion': [
    objectWith(['Ready True Available'], { deletionTimestamp: '2026-01-01T00:00:00Z' }),
    { status: 'Progressing', message: 'Available: what to do' },
  ],
};

describe('the health of our objects in Argo CD', () => {
  it('is the same script for every kind', () => {
    const lua = readFileSync(resolve(FILE, '../health.lua'), 'utf8');
    const keys = readDefinitions().map(
      ({ group, kind }) => `resource.customizations.health.${group}_${kind}`,
    );
    expect(settings.data).toEqual(Object.fromEntries(keys.map((key) => [key, lua])));
  });

  it.each(Object.entries(cases))('is right for %s', async (_, [object, health]) => {
    expect(await askHealth(script, object)).toEqual(health);
  });
});
