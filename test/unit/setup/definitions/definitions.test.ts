import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KIND_FIELDS_PATH, renderKindFields } from '../../../../crds/kind-fields.ts';
import { KubeClient } from '../../../../src/kube/client/kube-client.ts';
import { type FieldSchema, listFields } from '../../../../src/kube/client/served-fields.ts';
import { reportDefinitions } from '../../../../src/setup/definitions/definitions.ts';
import { KIND_FIELDS } from '../../../../src/setup/definitions/kind-fields.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { RecordingMetrics } from '../../../fakes/recording-metrics.ts';
import { ScriptedTransport } from '../../../fakes/scripted-transport.ts';
import { type LogLine, SilentLogger } from '../../../fakes/silent-logger.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** A schema with these fields, none of which has fields of its own but by its path. */
function schemaOf(fields: readonly string[]): FieldSchema {
  type Open = { properties?: Record<string, Open>; items?: Open; additionalProperties?: Open };
  const root: Open = {};
  for (const field of fields) {
    let at = root;
    for (const part of field.replaceAll('[]', '.[]').split('.')) {
      if (part === '[]') at = at.items ??= {};
      else if (part === '*') at = at.additionalProperties ??= {};
      else at = (at.properties ??= {})[part] ??= {};
    }
  }
  return root;
}

interface Served {
  /** The fields of MyApp as the API server has them; undefined: it does not serve the kind. */
  readonly fields?: readonly string[];
  readonly status?: number;
}

const MY_APP = KIND_FIELDS.find(({ kind }) => kind === 'MyApp')?.fields.split(' ') ?? [];

async function report({ fields, status = 200 }: Served): Promise<readonly LogLine[]> {
  const clock = new ManualClock();
  const log = new SilentLogger();
  const schemas = fields && {
    'one.of.another.kind': { 'x-kubernetes-group-version-kind': [{ kind: 'MyIngress' }] },
    'the.one': { ...schemaOf(fields), 'x-kubernetes-group-version-kind': [{ kind: 'MyApp' }] },
  };
  const transport = new ScriptedTransport(({ path }) => {
    expect(path).toBe('/openapi/v3/apis/demo.rtfm.co.ua/v1');
    return { status, json: { components: { schemas } } };
  });
  const client = new KubeClient({ transport, clock, metrics: new RecordingMetrics() });
  await reportDefinitions(client, { kinds: ['myapp', 'configmap-annotation'], log });
  return log.shown;
}

describe('the fields of a schema', () => {
  it('are those in lists and maps too', () => {
    const fields = ['spec', 'spec.a', 'spec.a[].b', 'spec.m', 'spec.m.*.c', 'status.d'];
    expect(listFields(schemaOf(fields))).toEqual(fields.filter((one) => one !== 'spec'));
  });

  it('of each kind are what npm run gen writes', () => {
    expect(readFileSync(resolve(ROOT, KIND_FIELDS_PATH), 'utf8')).toBe(renderKindFields());
    for (const { fields } of KIND_FIELDS) expect(fields).toContain(' status.conditions[].reason ');
  });
});

describe('at the start', () => {
  it('says nothing of a CRD of its own version', async () => {
    expect(await report({ fields: MY_APP })).toEqual([]);
  });

  it('names what an older CRD lacks', async () => {
    const lacking = MY_APP.filter((field) => field !== 'spec.replicas');
    expect(await report({ fields: lacking })).toEqual([
      {
        level: 'error',
        message: 'the CRD is older than the operator: apply the CRDs of this version',
        fields: { kind: 'MyApp', missing: 'spec.replicas' },
      },
    ]);
  });

  it('names what a newer CRD has', async () => {
    expect(await report({ fields: [...MY_APP, 'spec.teapot'] })).toEqual([
      {
        level: 'info',
        message: 'the CRD is newer than the operator, which ignores these fields',
        fields: { kind: 'MyApp', unknown: 'spec.teapot' },
      },
    ]);
  });

  it('names ten fields of a long list', async () => {
    const [line] = await report({ fields: ['spec.replicas'] });
    const missing = String(line?.fields['missing']);
    expect(missing.split(', ')).toHaveLength(11);
    expect(missing).toMatch(/, and \d+ more$/);
  });

  it('leaves a kind that is not installed, or cannot be read, to its watch', async () => {
    expect(await report({})).toEqual([]);
    expect(await report({ status: 403 })).toEqual([]);
  });
});
