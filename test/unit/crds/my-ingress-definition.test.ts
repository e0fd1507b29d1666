import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { myIngressKind, ownershipTagKeys } from '../../../src/apis/my-ingress.ts';
import { LONGEST_STEP, MOST_STEPS } from '../../../src/controllers/my-ingress/preview.ts';
import { MOST_APPLIED } from '../../../src/controllers/my-ingress/status.ts';
import { MOST_OWNED } from '../../../src/controllers/my-ingress/traffic/owned.ts';
import { MOST_LISTENERS } from '../../../src/controllers/my-ingress/traffic/status.ts';
import {
  PAUSED_ANNOTATION,
  RECONCILE_REQUESTED_ANNOTATION,
} from '../../../src/core/objects/annotations.ts';
import { MOST_CONDITIONS } from '../../../src/core/objects/conditions.ts';
import { rulesOf } from './cel-rules.ts';
import {
  isRefusal,
  myIngressDefinitionFile,
  readMyIngressDefinition,
} from './custom-resource-definition.ts';
import { describeDefinition } from './describe-definition.ts';
import { schemaFaults } from './schema-faults.ts';
import { nodesOf, type SchemaNode } from './schema-walk.ts';

const definition = readMyIngressDefinition();
const version = definition.spec.versions[0];
const schema = version.schema.openAPIV3Schema;

describeDefinition(definition, {
  kind: myIngressKind,
  shortName: 'mying',
  columns: [
    'Scheme',
    'State',
    'Address',
    'Targets',
    'Ready',
    'Reason',
    'Age',
    'ARN (wide)',
    'Message (wide)',
  ],
});

describe('the definition of MyIngress', () => {
  it('is in the file that its name says', () => {
    expect(myIngressDefinitionFile.pathname).toMatch(`crds/${definition.metadata.name}/crd.yaml`);
  });

  it('selects by fields that are always there', () => {
    expect(version.selectableFields).toEqual([{ jsonPath: '.spec.scheme' }]);
    expect(schema.properties?.['spec']?.properties?.['scheme']?.default).toBe('internet-facing');
  });

  it('leaves ipAddressType without a default, so that an adopted balancer keeps its own', () => {
    const node = schema.properties?.['spec']?.properties?.['ipAddressType'];
    expect(node?.enum).toEqual(['ipv4', 'dualstack', 'dualstack-without-public-ipv4']);
    expect(node?.default).toBeUndefined();
  });

  it('leaves sslPolicy without a default, which would land on HTTP listeners too', () => {
    const placed = nodesOf(schema).find(({ path }) => path === 'spec.listeners[].sslPolicy');
    expect(placed?.node.type).toBe('string');
    expect(placed?.node.default).toBeUndefined();
  });

  it('has no default inside a list, which kubectl apply would take away each time', () => {
    const defaulted = nodesOf(schema).filter(({ node }) => node.default !== undefined);
    expect(defaulted.map(({ path }) => path)).toContain('spec.scheme');
    expect(defaulted.filter(({ path }) => path.includes('[]'))).toEqual([]);
  });

  it('says of each field that it refuses that it is not supported yet', () => {
    const nodes = nodesOf(schema);
    const messages = rulesOf(schema).filter(isRefusal);
    const refused = messages.flatMap(({ message }) => {
      const [field = ''] = /^[\w.[\]]+/.exec(message) ?? [];
      return nodes.filter(({ path }) => path.startsWith('spec.') && path.endsWith(`.${field}`));
    });
    expect(refused.length).toBeGreaterThan(messages.length);
    const silent = refused.filter(
      ({ node }) => !/not supported\s+yet/i.test(node.description ?? ''),
    );
    expect(silent.map(({ path }) => path)).toEqual([]);
    const others = nodes.filter((one) => !refused.includes(one));
    const shy = others.filter(({ node }) => /not supported/i.test(node.description ?? ''));
    expect(shy.map(({ path }) => path)).toEqual([]);
  });

  // A list that is longer would be refused by the API server, and the whole status with it.
  it('bounds the lists of status where the operator cuts them', () => {
    const bounds = nodesOf(schema)
      .filter(({ path }) =>
        /^status\.(?:(?:conditions|listeners)$|(?:owned|applied|plan)\.)/.test(path),
      )
      .map(({ path, node }) => [path, node.maxItems ?? node.maxProperties] as const)
      .filter(([, most]) => most !== undefined);
    expect(Object.fromEntries(bounds)).toEqual({
      'status.conditions': MOST_CONDITIONS,
      'status.listeners': MOST_LISTENERS,
      'status.owned.targetGroups': MOST_OWNED.targetGroups,
      'status.owned.services': MOST_OWNED.services,
      'status.owned.listenerSettings': MOST_OWNED.listenerSettings,
      'status.applied.tags': MOST_APPLIED,
      'status.applied.attributes': MOST_APPLIED,
      'status.plan.steps': MOST_STEPS,
    });
    const step = nodesOf(schema).find(({ path }) => path === 'status.plan.steps[]');
    expect(step?.node.maxLength).toBe(LONGEST_STEP);
  });

  it('names the annotations and tags that the code uses', () => {
    const text = readFileSync(myIngressDefinitionFile, 'utf8');
    const words = [
      PAUSED_ANNOTATION,
      RECONCILE_REQUESTED_ANNOTATION,
      ownershipTagKeys.cluster,
      ownershipTagKeys.adopt,
    ];
    expect(words.filter((word) => !text.includes(word))).toEqual([]);
  });
});

const string: SchemaNode = { type: 'string', description: 'A text of some sort.', maxLength: 9 };
const object: SchemaNode = { type: 'object', description: 'An object of some sort.' };

describe('the schema walker', () => {
  const planted: Readonly<Record<string, { why: string; node: SchemaNode; fault: string }>> = {
    'a field without description': {
      why: 'kubectl explain would show nothing',
      node: { type: 'string', maxLength: 1 },
      fault: 'a: description is not a sentence',
    },
    'a field without type': {
      why: 'not structural',
      node: { description: 'Something of a kind.' },
      fault: 'a: type is missing',
    },
    'an unbounded text': {
      why: 'costs of rules cannot be estimated',
      node: { type: 'string', description: 'A text of some sort.' },
      fault: 'a: string without maxLength',
    },
    'an unbounded list': {
      why: 'costs of rules cannot be estimated',
      node: {
        type: 'array',
        description: 'A list of texts.',
        items: string,
        'x-kubernetes-list-type': 'set',
      },
      fault: 'a: array without maxItems',
    },
    'an unbounded map': {
      why: 'costs of rules cannot be estimated',
      node: { ...object, additionalProperties: string },
      fault: 'a: map without maxProperties',
    },
    'a field that takes anything': {
      why: 'a typing error would be kept',
      node: { ...object, properties: {}, 'x-kubernetes-preserve-unknown-fields': true },
      fault: 'a: keyword x-kubernetes-preserve-unknown-fields is not allowed',
    },
    'a fieldPath to nowhere': {
      why: 'the API server refuses the CRD',
      node: {
        ...object,
        properties: { b: string },
        'x-kubernetes-validations': [
          { rule: 'true', message: 'm', reason: 'FieldValueInvalid', fieldPath: '.c' },
        ],
      },
      fault: 'a: fieldPath .c is not a field',
    },
  };

  it.each(Object.entries(planted))('finds %s', (_name, { node, fault }) => {
    expect(schemaFaults({ ...object, properties: { a: node } })).toEqual([fault]);
  });

  it('lets a field take anything only where a rule refuses it', () => {
    const b = { ...object, 'x-kubernetes-preserve-unknown-fields': true };
    const message = 'b is not supported yet; remove it';
    const refusal = { rule: '!has(self.b)', message, reason: 'FieldValueForbidden' };
    const parent = { ...object, properties: { b }, 'x-kubernetes-validations': [refusal] };
    expect(schemaFaults({ ...object, properties: { a: parent } })).toEqual([]);
    expect(
      schemaFaults({ ...object, properties: { a: { ...object, properties: { b } } } }),
    ).toEqual([
      'a.b: keyword x-kubernetes-preserve-unknown-fields is not allowed',
      'a.b: object without exactly one of properties and additionalProperties',
    ]);
  });

  it('finds a rule at the root that could lock stored objects', () => {
    const rule = {
      rule: 'self.metadata.name.size() < 9',
      message: 'm',
      reason: 'FieldValueInvalid',
    };
    const root = { ...object, properties: { a: string }, 'x-kubernetes-validations': [rule] };
    expect(schemaFaults(root)).toEqual([
      `: rule at the root could lock stored objects: ${rule.rule}`,
    ]);
  });
});
