import { describe, expect, it } from 'vitest';
import type { Action } from '../../../../../src/aws/elbv2/traffic.ts';
import {
  desireAction,
  diffAction,
  normaliseActions,
} from '../../../../../src/controllers/my-ingress/graph/actions.ts';
import type { RouteAction } from '../../../../../src/controllers/my-ingress/routes/routes.ts';

const namesByBackend = new Map([
  ['spec/web', 'shop-web-1'],
  ['spec/api', 'shop-api-1'],
]);
const namesByArn = new Map([
  ['arn:web', 'shop-web-1'],
  ['arn:api', 'shop-api-1'],
]);
const unchanged = { protocol: '#{protocol}', host: '#{host}', port: '#{port}', query: '#{query}' };
const both = [
  { backend: 'spec/web', weight: 9 },
  { backend: 'spec/api', weight: 0 },
];

interface Case {
  readonly asked: RouteAction;
  readonly echo: readonly Action[];
  readonly differs?: string;
}

const cases: Readonly<Record<string, Case>> = {
  'a single group with a weight that means nothing': {
    asked: { kind: 'forward', to: [{ backend: 'spec/web', weight: 50 }] },
    echo: [{ kind: 'forward', targetGroups: [{ arn: 'arn:web', weight: 1 }] }],
  },
  'several groups in another order': {
    asked: { kind: 'forward', to: both },
    echo: [
      {
        kind: 'forward',
        targetGroups: [
          { arn: 'arn:api', weight: 0 },
          { arn: 'arn:web', weight: 9 },
        ],
      },
    ],
  },
  'parts of a redirect as placeholders': {
    asked: { kind: 'redirect', statusCode: 301, path: '/new' },
    echo: [{ kind: 'redirect', statusCode: 301, path: '/new', ...unchanged }],
  },
  'an answer without a body': {
    asked: { kind: 'fixed-response', statusCode: 404 },
    echo: [{ kind: 'fixed-response', statusCode: 404, contentType: 'text/plain' }],
  },
  'a single group without weight': {
    asked: { kind: 'forward', to: [{ backend: 'spec/web', weight: 0 }] },
    echo: [{ kind: 'forward', targetGroups: [{ arn: 'arn:web', weight: 1 }] }],
    differs: 'action: observed forward shop-web-1:1, desired forward shop-web-1:0',
  },
  stickiness: {
    asked: { kind: 'forward', to: both, stickinessSeconds: 60 },
    echo: [{ kind: 'forward', targetGroups: [{ arn: 'arn:gone', weight: 1 }] }],
    differs:
      'action: observed forward arn:gone:1, desired forward shop-api-1:0, shop-web-1:9 sticky for 60 s',
  },
  'another kind': {
    asked: { kind: 'fixed-response', statusCode: 404 },
    echo: [{ kind: 'redirect', statusCode: 302, host: 'x.example.com' }],
    differs:
      'action: observed redirect 302 to #{protocol}://x.example.com:#{port}/#{path}?#{query}, desired fixed-response 404 text/plain',
  },
};

describe("AWS's echo of an action", () => {
  it.each(Object.entries(cases))('%s', (_, { asked, echo, differs }) => {
    const observed = normaliseActions(echo, namesByArn);
    expect(observed).toBeDefined();
    if (observed === undefined) return;
    expect(diffAction(desireAction(asked, namesByBackend), observed)).toBe(differs);
  });

  it('has no normal form where it is of an unknown type, or several', () => {
    const answer: Action = { kind: 'fixed-response', statusCode: 200 };
    expect(normaliseActions([{ kind: 'unknown', type: 'jwt-validation' }], namesByArn)).toBe(
      undefined,
    );
    expect(normaliseActions([answer, answer], namesByArn)).toBe(undefined);
    expect(normaliseActions([], namesByArn)).toBe(undefined);
  });

  it('names a backend that is missing by its id', () => {
    const asked: RouteAction = { kind: 'forward', to: [{ backend: 'a/b/c', weight: 1 }] };
    expect(desireAction(asked, namesByBackend)).toEqual({
      ...{ kind: 'forward', targetGroups: [{ name: 'target-group/a/b/c', weight: 1 }] },
    });
  });
});
