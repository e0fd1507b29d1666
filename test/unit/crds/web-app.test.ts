import { describe, expect, it } from 'vitest';
import { webAppKind } from '../../../src/apis/web-app.ts';
import { readDefinition } from './custom-resource-definition.ts';
import { describeDefinition } from './describe-definition.ts';
import { describeRules } from './describe-rules.ts';
import { nodesOf } from './schema-walk.ts';
import { webAppCases } from './web-app-cases.ts';

const definition = readDefinition('webapps.apps.example.com');

describeDefinition(definition, {
  kind: webAppKind,
  shortName: 'wa',
  columns: [
    'Image',
    'Replicas',
    'Available',
    'Ready',
    'URL',
    'Age',
    'Port (wide)',
    'Updated (wide)',
    'Reason (wide)',
    'Message (wide)',
  ],
});

describeRules(definition, webAppCases);

describe('the scale subresource of WebApp', () => {
  it('reads and writes fields that exist, its selector being text', () => {
    const version = definition.spec.versions[0];
    const { scale } = version.subresources;
    const nodes = new Map(
      nodesOf(version.schema.openAPIV3Schema).map(({ path, node }) => [`.${path}`, node.type]),
    );
    expect(nodes.get(scale?.specReplicasPath ?? '')).toBe('integer');
    expect(nodes.get(scale?.statusReplicasPath ?? '')).toBe('integer');
    expect(nodes.get(scale?.labelSelectorPath ?? '')).toBe('string');
  });
});
