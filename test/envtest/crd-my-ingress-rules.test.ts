import { beforeAll, describe, expect, inject, it } from 'vitest';
import { stringify } from 'yaml';
import { accessCluster } from '../control-plane/cluster-access.ts';
import { rulesOf } from '../unit/crds/cel-rules.ts';
import { readMyIngressDefinition } from '../unit/crds/custom-resource-definition.ts';
import { changeCases, ruleSequences } from '../unit/crds/my-ingress-change-cases.ts';
import { fieldCases } from '../unit/crds/my-ingress-field-cases.ts';
import type { Draft } from '../unit/crds/rule-case.ts';
import {
  type ApiAnswer,
  callApi,
  createNamespace,
  installDefinition,
  pathOf,
  succeeded,
} from './crd-api.ts';

const cluster = accessCluster(inject('controlPlane'));
const definition = readMyIngressDefinition();
const rules = rulesOf(definition.spec.versions[0].schema.openAPIV3Schema);
const ruleCases = { ...changeCases, ...fieldCases };
const subnets = ['subnet-abc', 'subnet-def'];
let namespace = '';
let count = 0;

beforeAll(async () => {
  await installDefinition(cluster, definition);
  namespace = await createNamespace(cluster, 'crd-rules');
});

function manifest(name: string, draft: Draft): object {
  const { spec } = draft;
  return {
    apiVersion: 'demo.rtfm.co.ua/v1',
    kind: 'MyIngress',
    metadata: { name },
    ...(spec === undefined ? {} : { spec }),
  };
}

function create(name: string, draft: Draft): Promise<ApiAnswer> {
  const path = pathOf(definition, namespace);
  return callApi(cluster, { method: 'POST', path, body: manifest(name, draft) });
}

/** Stores an object with the status that albridge would have written. */
async function store(name: string, draft: Draft): Promise<void> {
  succeeded(await create(name, draft));
  if (draft.status === undefined) return;
  const path = `${pathOf(definition, namespace, name)}/status`;
  const body = { status: draft.status };
  succeeded(await callApi(cluster, { method: 'PATCH', path, patch: 'merge', body }));
}

/** Replaces the stored object: what is left out is removed, unlike in a merge. */
async function replace(name: string, draft: Draft): Promise<ApiAnswer> {
  const path = pathOf(definition, namespace, name);
  const { body } = await callApi(cluster, { method: 'GET', path });
  const next = { ...manifest(name, draft), metadata: body.metadata };
  return callApi(cluster, { method: 'PUT', path, body: next });
}

async function submit(object: Draft, old: Draft | undefined): Promise<ApiAnswer> {
  count += 1;
  const name = `case-${count}`;
  if (old === undefined) return create(name, object);
  await store(name, old);
  return replace(name, object);
}

/** Two fields may have the same rule. */
function sentencesIn(message: string): ReadonlySet<string> {
  return new Set(rules.map((rule) => rule.message).filter((text) => message.includes(text)));
}

describe('the rules of MyIngress in a real API server', () => {
  describe.each(Object.entries(ruleCases))('%s', (beginning, { accepts, rejects }) => {
    // An object without a spec cannot be stored here: crd-stored-objects.test.ts does it.
    const storable = Object.entries(accepts).filter(
      ([, { old }]) => old === undefined || old.spec !== undefined,
    );

    it.each(storable)('accept %s', async (_name, { object, old }) => {
      const { code, message } = await submit(object, old);
      expect({ message, code }).toEqual({ message: '', code: old === undefined ? 201 : 200 });
    });

    it.each(Object.entries(rejects))('reject %s', async (_name, { object, old }) => {
      const { code, message } = await submit(object, old);
      const rule = rules.find(({ id }) => id.startsWith(beginning));
      expect({ code, sentences: sentencesIn(message) }).toEqual({
        code: 422,
        sentences: new Set([rule?.message]),
      });
    });
  });

  it.each(Object.entries(ruleSequences))('are not bypassed: %s', async (_name, { steps, last }) => {
    const [first, ...next] = steps;
    count += 1;
    const object = `sequence-${count}`;
    await store(object, first);
    for (const step of [...next, last]) {
      expect((await replace(object, step)).code).toBe(422);
    }
  });
});

describe('bad manifests that need no rule', () => {
  const cases: Readonly<Record<string, { why: string; spec: object; says: string }>> = {
    'a scheme that AWS does not know': {
      why: 'the API server names the right ones',
      spec: { subnets, scheme: 'public' },
      says: 'supported values: "internet-facing", "internal"',
    },
    'an address type that AWS does not know': {
      why: 'the API server names the right ones',
      spec: { subnets, ipAddressType: 'ipv6' },
      says: 'supported values: "ipv4", "dualstack", "dualstack-without-public-ipv4"',
    },
    'a spec with an empty list of subnets': {
      why: 'left out it would be found by tags; empty it may be a template that went wrong',
      spec: { subnets: [] },
      says: 'an Application Load Balancer needs subnets in at least two Availability Zones',
    },
    'an unknown field': {
      why: 'a typing error must not be dropped silently',
      spec: { subnets, subnet: 'subnet-ghi' },
      says: 'unknown field "spec.subnet"',
    },
    'a number as an attribute': {
      why: 'AWS takes text',
      spec: { subnets, attributes: { 'idle_timeout.timeout_seconds': 120 } },
      says: 'must be of type string',
    },
    '21 subnets': {
      why: 'no region has as many zones',
      spec: { subnets: Array.from({ length: 21 }, (_, index) => `subnet-${index}`) },
      says: 'spec.subnets: Too many: 21: must have at most 20 items',
    },
    '17 security groups': {
      why: 'AWS allows 16 at most',
      spec: { subnets, securityGroups: Array.from({ length: 17 }, (_, index) => `sg-${index}`) },
      says: 'spec.securityGroups: Too many: 17: must have at most 16 items',
    },
    'no security group': {
      why: 'an empty list says nothing; leave the field out',
      spec: { subnets, securityGroups: [] },
      says: 'spec.securityGroups in body should have at least 1 items',
    },
    'a long tag value': {
      why: 'AWS allows 256 characters',
      spec: { subnets, tags: { team: 'x'.repeat(257) } },
      says: 'spec.tags.team: Too long: may not be more than 256 bytes',
    },
    'adopt without an ARN': {
      why: 'nothing to adopt',
      spec: { subnets, adopt: {} },
      says: 'spec.adopt.arn: Required value',
    },
  };

  it.each(Object.entries(cases))('refuse %s by kubectl apply', async (_name, { spec, says }) => {
    const input = stringify(manifest('bad', { spec: { ...spec } }));
    const answer = await cluster.kubectl(['apply', '-n', namespace, '-f', '-'], { input });
    expect(answer.code).toBe(1);
    expect(answer.stderr).toContain(says);
  });
});
