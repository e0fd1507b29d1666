import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { accessCluster } from '../control-plane/cluster-access.ts';
import {
  readDefinition,
  readMyIngressDefinition,
} from '../unit/crds/custom-resource-definition.ts';
import { createNamespace, installDefinition } from './crd-api.ts';

const cluster = accessCluster(inject('controlPlane'));
const directory = fileURLToPath(new URL('../../examples/', import.meta.url));
const manifests = readdirSync(directory).filter((file) => file.endsWith('.yaml'));
const examples = manifests.filter((file) => kindsIn(file)[0] === 'MyIngress');
let namespace = '';

beforeAll(async () => {
  await installDefinition(cluster, readMyIngressDefinition());
  // Some have objects that attach to theirs.
  await installDefinition(cluster, readDefinition('webapps.apps.example.com'));
  namespace = await createNamespace(cluster, 'crd-examples');
});

function kindsIn(file: string): readonly string[] {
  const text = readFileSync(`${directory}${file}`, 'utf8');
  return parseAllDocuments(text).map((document) => (document.toJS() as { kind: string }).kind);
}

describe('the examples', () => {
  it('begin with the article', () => {
    expect(examples[0]).toBe('01-article.yaml');
    const text = readFileSync(`${directory}01-article.yaml`, 'utf8');
    expect(parse(text)).toEqual({
      apiVersion: 'demo.rtfm.co.ua/v1',
      kind: 'MyIngress',
      metadata: { name: 'myapp' },
      spec: { subnets: ['subnet-abc', 'subnet-def'], scheme: 'internet-facing' },
    });
  });

  it.each(examples)('%s says what it is for and applies as written, twice', async (file) => {
    expect(readFileSync(`${directory}${file}`, 'utf8')).toMatch(/^# [A-Z]/);
    const apply = ['apply', '-n', namespace, '-f', `${directory}${file}`];
    const first = await cluster.kubectl(apply);
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^myingress\.demo\.rtfm\.co\.ua\/[a-z]+ created\n/);
    expect(first.stdout.match(/ created\n/g)).toHaveLength(kindsIn(file).length);
    const second = await cluster.kubectl(apply);
    expect(second.stdout.match(/ unchanged\n/g)).toHaveLength(kindsIn(file).length);
  });
});
