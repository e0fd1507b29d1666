import { describe, expect, it } from 'vitest';
import { buildResourcePath } from '../../../src/kube/client/resource-path.ts';
import { WIDGET } from '../../contract/object-writer.ts';
import type { ModelRequest } from '../../simulation/api-model/api-server-model.ts';
import { NotModelled } from '../../simulation/api-model/refusal.ts';
import { customKind, startModel } from './model-bench.ts';

const NAMESPACE = 'edge';
const collection = buildResourcePath(WIDGET, { namespace: NAMESPACE });
const widget = { apiVersion: 'writer.albridge.test/v1', kind: 'Widget', metadata: { name: 'one' } };
const json = (value: unknown): string => JSON.stringify(value);

const requests: Readonly<Record<string, { readonly why: string; readonly request: ModelRequest }>> =
  {
    'a path of no API': {
      why: 'discovery and health',
      request: { method: 'GET', path: '/version' },
    },
    'a subresource but status, and eviction of a pod': {
      why: 'scale, logs, what only pods have',
      request: { method: 'POST', path: `${collection}/one/eviction`, body: '{}' },
    },
    'a delete of a collection': {
      why: 'nobody of us sends it',
      request: { method: 'DELETE', path: collection },
    },
    'a name to be generated': {
      why: 'every name of ours is chosen',
      request: {
        method: 'POST',
        path: collection,
        body: json({ metadata: { generateName: 'x-' } }),
      },
    },
    'a strategic merge patch': {
      why: 'custom resources do not have it',
      request: {
        method: 'PATCH',
        path: `${collection}/one`,
        headers: { 'content-type': 'application/strategic-merge-patch+json' },
        body: '{}',
      },
    },
    'a JSON patch that adds': {
      why: 'only test and remove are sent',
      request: {
        method: 'PATCH',
        path: `${collection}/one`,
        headers: { 'content-type': 'application/json-patch+json' },
        body: json([{ op: 'add', path: '/spec', value: {} }]),
      },
    },
    'an apply that would create': {
      why: 'children are made by a plain create',
      request: {
        method: 'PATCH',
        path: `${collection}/two`,
        query: { fieldManager: 'us', force: 'true' },
        headers: { 'content-type': 'application/apply-patch+yaml' },
        body: json({ metadata: { name: 'two' } }),
      },
    },
    'a second page': {
      why: 'worlds are small',
      request: { method: 'GET', path: collection, query: { continue: 'token' } },
    },
    'a watch from the cache': {
      why: 'a watch goes on, or begins with the state',
      request: { method: 'GET', path: collection, query: { watch: 'true' } },
    },
  };

describe('the API server model', () => {
  it.each(Object.entries(requests))('refuses to guess: %s', (_name, { request }) => {
    const { model } = startModel([customKind(WIDGET)], NAMESPACE);
    model.answer({ method: 'POST', path: collection, body: json(widget) }, 'setup');
    expect(() => model.answer(request, 'test')).toThrow(NotModelled);
  });

  it('answers 410 to a watch from before a compaction', () => {
    const { model } = startModel([customKind(WIDGET)], NAMESPACE);
    model.answer({ method: 'POST', path: collection, body: json(widget) }, 'setup');
    const query = { watch: 'true', resourceVersion: '91', timeoutSeconds: '10' };
    expect(model.answer({ method: 'GET', path: collection, query }, 'test')).toMatchObject({
      kind: 'watch',
    });
    model.table.compact();
    expect(model.answer({ method: 'GET', path: collection, query }, 'test')).toMatchObject({
      kind: 'answer',
      status: 410,
    });
  });
});
