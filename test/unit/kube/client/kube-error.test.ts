import { describe, expect, it } from 'vitest';
import { DeadlineExceeded } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import {
  isNotFound,
  NoAnswerError,
  parseErrorEvent,
  parseKubeError,
  toOperatorError,
} from '../../../../src/kube/client/kube-error.ts';
import { kubeReasons } from '../../../../src/kube/client/kube-reasons.ts';

interface Case {
  readonly why: string;
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly reason: string;
  readonly healedBy: 'person' | 'time';
  readonly says: string;
  readonly notBeforeMs?: number;
}

const cases: Readonly<Record<string, Case>> = {
  'a lost race': {
    why: 'the next read sees the newer object',
    status: 409,
    body: status({ reason: 'Conflict', message: 'the object has been modified' }),
    reason: 'Conflict',
    healedBy: 'time',
    says: 'add finalizer to web/shop: the object has been modified',
  },
  'a missing right': {
    why: 'the message of the API server names verb and resource, ours adds what to do',
    status: 403,
    body: status({ reason: 'Forbidden', message: 'User "x" cannot patch resource "myingresses"' }),
    reason: 'Forbidden',
    healedBy: 'person',
    says: 'cannot patch resource "myingresses"; grant the named verb',
  },
  'a pod that Pod Security refuses': {
    why: 'no role of the operator would help',
    status: 403,
    body: status({
      reason: 'Forbidden',
      message:
        'pods "shop-pod" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true',
    }),
    reason: 'Forbidden',
    healedBy: 'person',
    says: 'runAsNonRoot != true; relax the quota, policy or Pod Security level that refuses it',
  },
  'refused credentials': {
    why: 'trying the same token again does not help',
    status: 401,
    body: status({ reason: 'Unauthorized', message: 'Unauthorized' }),
    reason: 'Unauthorized',
    healedBy: 'person',
    says: 'check the ServiceAccount token',
  },
  'an unknown group': {
    why: 'the API server answers a kind without definition in plain text',
    status: 404,
    body: '404 page not found\n',
    reason: 'KindNotInstalled',
    healedBy: 'person',
    says: 'does not serve this kind; install the definitions: kubectl apply --server-side -k crds, or leave this kind out of ALBRIDGE_KINDS',
  },
  'an unknown resource of a known group': {
    why: 'its Status names no object',
    status: 404,
    body: status({
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
      details: {},
    }),
    reason: 'KindNotInstalled',
    healedBy: 'person',
    says: 'does not serve this kind',
  },
  'a missing object': {
    why: 'it was deleted meanwhile: a lost race too, and the cache will say so',
    status: 404,
    body: status({
      reason: 'NotFound',
      message: 'myingresses "shop" not found',
      details: { kind: 'myingresses', name: 'shop' },
    }),
    reason: 'Conflict',
    healedBy: 'time',
    says: 'myingresses "shop" not found',
  },
  'a broken rule': {
    why: 'only an edit changes the answer',
    status: 422,
    body: status({ reason: 'Invalid', message: 'spec.scheme: Invalid value' }),
    reason: 'Invalid',
    healedBy: 'person',
    says: 'spec.scheme: Invalid value; correct the named field',
  },
  'another object of the same name': {
    why: 'the API server reports a UID that does not fit as an immutable field',
    status: 422,
    body: status({
      reason: 'Invalid',
      message: 'metadata.uid: Invalid value',
      details: { name: 'shop', causes: [{ reason: 'FieldValueInvalid', field: 'metadata.uid' }] },
    }),
    reason: 'Conflict',
    healedBy: 'time',
    says: 'metadata.uid',
  },
  'a namespace that is being deleted': {
    why: 'it looks like a missing right and is none',
    status: 403,
    body: status({
      reason: 'Forbidden',
      message: 'unable to create new content in namespace web because it is being terminated',
      details: { name: 'x', causes: [{ reason: 'NamespaceTerminating' }] },
    }),
    reason: 'NamespaceTerminating',
    healedBy: 'time',
    says: 'being terminated',
  },
  'too many requests': {
    why: 'the server says when to come back',
    status: 429,
    body: status({ reason: 'TooManyRequests', message: 'too many requests' }),
    headers: { 'retry-after': '7' },
    reason: 'ApiServerUnavailable',
    healedBy: 'time',
    says: 'too many requests',
    notBeforeMs: 7000,
  },
  'a server that times out': {
    why: 'it says in the body when to come back',
    status: 504,
    body: status({ reason: 'Timeout', message: 'timed out', details: { retryAfterSeconds: 2 } }),
    reason: 'ApiServerUnavailable',
    healedBy: 'time',
    says: 'timed out',
    notBeforeMs: 2000,
  },
  'a proxy that knows no server for an hour': {
    why: 'the API server may be back in a minute',
    status: 503,
    body: 'no healthy upstream',
    headers: { 'retry-after': '3600' },
    reason: 'ApiServerUnavailable',
    healedBy: 'time',
    says: 'the API server answered 503',
    notBeforeMs: 60_000,
  },
  'a status with so long a wait': {
    why: 'the same, said in the body',
    status: 503,
    body: status({ reason: 'ServiceUnavailable', details: { retryAfterSeconds: 3600 } }),
    reason: 'ApiServerUnavailable',
    healedBy: 'time',
    says: 'the API server answered 503',
    notBeforeMs: 60_000,
  },
  'a page of a proxy on the way': {
    why: 'what a stranger sent belongs into no condition',
    status: 502,
    body: '<html>token=secret</html>',
    reason: 'ApiServerUnavailable',
    healedBy: 'time',
    says: 'add finalizer to web/shop: the API server answered 502',
  },
  'an apply with a field that the API server does not know': {
    why: 'it answers 500 without a reason, and no wait heals that',
    status: 500,
    body: status({
      message:
        'failed to create typed patch object (web/shop; apps/v1, Kind=Deployment): .spec.foo: field not declared in schema',
    }),
    reason: 'Invalid',
    healedBy: 'person',
    says: '.spec.foo: field not declared in schema; correct the named field',
  },
  'another failure without a reason': {
    why: 'only of an apply it is known',
    status: 500,
    body: status({ message: 'etcdserver: no leader' }),
    reason: 'ApiServerUnavailable',
    healedBy: 'time',
    says: 'etcdserver: no leader',
  },
  'an object that is no Status': {
    why: 'its message could be anything',
    status: 500,
    body: JSON.stringify({ message: 'secret' }),
    reason: 'ApiServerUnavailable',
    healedBy: 'time',
    says: 'add finalizer to web/shop: the API server answered 500',
  },
};

describe('an answer of the API server', () => {
  it.each(Object.entries(cases))('translates %s', (_, c) => {
    const kubeError = parseKubeError(c.status, c.headers ?? {}, c.body);
    const error = toOperatorError('add finalizer to web/shop', kubeError) as OperatorError;

    expect(error).toBeInstanceOf(OperatorError);
    expect(error, c.why).toMatchObject({ reason: c.reason, healedBy: c.healedBy });
    expect(error.message).toContain(c.says);
    expect(error.message).not.toMatch(/secret|\n/);
    expect(error.notBeforeMs).toBe(c.notBeforeMs);
    expect(error.cause).toBe(kubeError);
  });

  it('cuts a long message to one line of 1000 characters', () => {
    const error = parseKubeError(500, {}, status({ message: `a\n  b ${'x'.repeat(5000)}` }));

    expect(error.message).toHaveLength(1000);
    expect(error.message).toMatch(/^a b x+…$/);
  });

  it('reads the Status of an ERROR event', () => {
    const error = parseErrorEvent({
      kind: 'Status',
      code: 410,
      reason: 'Expired',
      message: 'old',
    });

    expect(error).toMatchObject({ status: 410, reason: 'Expired', message: 'old' });
  });

  it('distinguishes a missing object from a missing kind', () => {
    const named = status({ details: { kind: 'pods', name: 'a' } });

    expect(isNotFound(parseKubeError(404, {}, named))).toBe(true);
    expect(isNotFound(parseKubeError(404, {}, '404 page not found'))).toBe(false);
  });
});

describe('a call without an answer', () => {
  it.each([new NoAnswerError(new Error('connect ECONNREFUSED')), new DeadlineExceeded(30_000)])(
    'is healed by time: %s',
    (cause) => {
      const error = toOperatorError('read web/shop', cause);

      expect(error).toMatchObject({ reason: 'ApiServerUnavailable', healedBy: 'time', cause });
      expect(error).toHaveProperty('isUnanswered', true);
    },
  );

  it('lets errors of others travel unchanged', () => {
    const bug = new TypeError('undefined is not a function');

    expect(toOperatorError('read web/shop', bug)).toBe(bug);
  });
});

describe('the table of reasons', () => {
  it.each(Object.entries(kubeReasons))('says cause and next action of %s', (_, doc) => {
    expect(doc.cause).toMatch(/^[A-Z].*\.$/);
    expect(doc.next).toMatch(/^[a-z].*[^.]$/);
  });
});

function status(fields: object): string {
  return JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', ...fields });
}
