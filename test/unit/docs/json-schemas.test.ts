import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { readDefinitions } from '../../../docs/fields/definitions.ts';
import { configMonitorCases } from '../crds/config-monitor-cases.ts';
import { immortalContainerCases } from '../crds/immortal-container-cases.ts';
import { myAppCases } from '../crds/my-app-cases.ts';
import { backendCases } from '../crds/my-ingress-backend-cases.ts';
import { fieldCases } from '../crds/my-ingress-field-cases.ts';
import { listenerCases } from '../crds/my-ingress-listener-cases.ts';
import { ruleCases } from '../crds/my-ingress-rule-cases.ts';
import type { RuleTable } from '../crds/rule-case.ts';
import { webAppCases } from '../crds/web-app-cases.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
const definitions = readDefinitions();
const kinds = definitions.map(({ kind }) => kind);
const validators = new Map(kinds.map((kind) => [kind, compile(kind)]));

/** The schema as it is shipped; strict: a keyword that an editor would not know is an error. */
function compile(kind: string): ValidateFunction {
  const text = readFileSync(join(ROOT, 'docs/schemas', `${kind.toLowerCase()}.json`), 'utf8');
  return ajv.compile(JSON.parse(text));
}

/** What is wrong with an object, each as `path message`. */
function findErrors(kind: string, object: object): readonly string[] {
  const validate = validators.get(kind);
  if (validate?.(object) === true) return [];
  return (validate?.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

function dress(kind: string, fields: object): object {
  const { group, version } = definitions.find((one) => one.kind === kind) ?? {};
  return { apiVersion: `${group}/${version}`, kind, metadata: { name: 'a' }, ...fields };
}

const examples = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .flatMap((name) =>
    parseAllDocuments(readFileSync(join(ROOT, 'examples', name), 'utf8')).map(
      (document) => [name, document.toJS() as { readonly kind: string } | null] as const,
    ),
  )
  .flatMap(([name, object]) =>
    object !== null && kinds.includes(object.kind) ? [{ name, object }] : [],
  );

describe('the JSON schemas for editors', () => {
  it('have an example of each kind', () => {
    expect(new Set(examples.map(({ object }) => object.kind))).toEqual(new Set(kinds));
  });

  it.each(examples)('accept $object.kind of examples/$name', ({ object }) => {
    expect(findErrors(object.kind, object)).toEqual([]);
  });

  const tables: readonly (readonly [string, RuleTable])[] = [
    ['ConfigMonitor', configMonitorCases],
    ['ImmortalContainer', immortalContainerCases],
    ['MyApp', myAppCases],
    ['MyIngress', backendCases],
    ['MyIngress', fieldCases],
    ['MyIngress', listenerCases],
    ['MyIngress', ruleCases],
    ['WebApp', webAppCases],
  ];

  it.each(tables)('accept every object that the rules of %s accept', (kind, table) => {
    const accepted = Object.values(table)
      .flatMap(({ accepts }) => Object.entries(accepts))
      .filter(([, { old }]) => old === undefined);
    expect(accepted.length).toBeGreaterThan(1);
    for (const [name, { object }] of accepted) {
      expect(findErrors(kind, dress(kind, { spec: object.spec })), name).toEqual([]);
    }
  });

  const spec = { subnets: ['subnet-abc', 'subnet-def'] };
  const refused: Readonly<Record<string, readonly [string, object, string]>> = {
    'an unknown field': [
      'MyIngress',
      { spec: { ...spec, subnet: 'x' } },
      '/spec must NOT have additional properties',
    ],
    'a list of one subnet': [
      'MyIngress',
      { spec: { subnets: ['subnet-abc'] } },
      '/spec/subnets must NOT have fewer than 2 items',
    ],
    'the name of a subnet': [
      'MyIngress',
      { spec: { subnets: ['a', 'subnet-b'] } },
      '/spec/subnets/0 must match pattern',
    ],
    'a name that AWS finds too long': [
      'MyIngress',
      { spec: { ...spec, name: 'x'.repeat(33) } },
      '/spec/name must NOT have more than 32 characters',
    ],
    'a number as an attribute': [
      'MyIngress',
      { spec: { attributes: { a: 1 } } },
      '/spec/attributes/a must be string',
    ],
    'a field of a later release': [
      'MyIngress',
      { spec: { webACLARN: 'x' } },
      '/spec/webACLARN must NOT be valid',
    ],
    'a WebApp without an image': [
      'WebApp',
      { spec: { replicas: 1 } },
      "/spec must have required property 'image'",
    ],
    'too many replicas': [
      'MyApp',
      { spec: { image: 'a', replicas: 1001 } },
      '/spec/replicas must be <= 1000',
    ],
    'an unknown strategy': [
      'ConfigMonitor',
      { spec: { strategy: 'Never' } },
      '/spec/strategy must be equal to one of the allowed values',
    ],
    'a text as a container': [
      'ImmortalContainer',
      { spec: { image: 7 } },
      '/spec/image must be string',
    ],
    'another kind': ['MyApp', { kind: 'MyIngress', spec: {} }, '/kind must be equal to constant'],
  };

  it.each(Object.entries(refused))('refuse %s', (_, [kind, fields, error]) => {
    expect(findErrors(kind, dress(kind, fields)).join('\n')).toContain(error);
  });
});

describe('docs/editors.md', () => {
  it('names a schema of each kind, from its example', () => {
    const page = readFileSync(join(ROOT, 'docs/editors.md'), 'utf8');
    for (const kind of kinds) expect(page).toContain(`(schemas/${kind.toLowerCase()}.json)`);
    const [, path = '', manifest = ''] =
      /```yaml\n# yaml-language-server: \$schema=(\S+)\n([^]*?)```/.exec(page) ?? [];
    const object = parse(manifest) as { readonly kind: string };
    expect(path).toBe(`../docs/schemas/${object.kind.toLowerCase()}.json`);
    expect(findErrors(object.kind, object)).toEqual([]);
  });
});
