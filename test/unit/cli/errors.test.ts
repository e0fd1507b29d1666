import { describe, expect, it } from 'vitest';
import { describeError } from '../../../src/cli/errors.ts';
import { DeadlineExceeded } from '../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../src/core/reconcile/operator-error.ts';
import { BodyTooLarge } from '../../../src/http/exchange.ts';
import { NoAnswerError, parseKubeError } from '../../../src/kube/client/kube-error.ts';

describe('a connection that fails for TLS', () => {
  it.each([
    [
      'SELF_SIGNED_CERT_IN_CHAIN',
      /is not signed by the certificate-authority of the kubeconfig, or there is none in it: /,
    ],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /is not signed by the certificate-authority/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /is for other names: correct server or tls-server-name/],
    [
      'CERT_HAS_EXPIRED',
      /^the certificate of the API server has expired: renew it, or correct the clock of this machine$/,
    ],
    ['CERT_NOT_YET_VALID', /^the certificate of the API server is not valid yet: renew it, or/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS there: correct its port/],
  ])('names what of the kubeconfig is wrong: %s', (code, says) => {
    const failed = new TypeError('fetch failed', {
      cause: Object.assign(new Error('x'), { code }),
    });
    expect(describeError(new NoAnswerError(failed))).toMatch(says);
  });

  it('is distinguished from one that is not answered', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    expect(describeError(new NoAnswerError(refused))).toMatch(/ECONNREFUSED: check the context/);
  });
});

it('credentials for the cluster that do not come are not taken for those for AWS', () => {
  const message = 'read the credentials of the kubeconfig a: the credential plugin "sleep" hangs';
  const error = new OperatorError({
    ...{ reason: 'CredentialsUnavailable', message, healedBy: 'time', isUnanswered: true },
    cause: new DeadlineExceeded(10_000),
  });
  expect(describeError(error)).toBe(message);
});

it('an answer that is too large leads to the address', () => {
  expect(describeError(new BodyTooLarge(5))).toBe(
    'the answer is longer than 5 bytes: check that the address in the kubeconfig is that of an API server, or look at one namespace (-n)',
  );
});

describe('an answer that is no Status', () => {
  it.each([400, 302])('with %i sends its reader to the address, and names no field', (status) => {
    const said = describeError(parseKubeError(status, {}, '<html>log in</html>'));
    expect(said).toBe(
      `the API server answered ${status}: check that the address in the kubeconfig is that of an API server`,
    );
  });

  it('with 404 asks for no CRD', () => {
    const [page, refusal] = [404, 403].map((status) =>
      describeError(parseKubeError(status, {}, '<html>no such page</html>')),
    );
    expect(refusal).toContain('check that the address in the kubeconfig is that of an API server');
    expect(page).toBe(
      'the API server answered 404: check that the address in the kubeconfig is that of an API server',
    );
    for (const text of ['404 page not found\n', '{"kind":"Status","code":404}'])
      expect(describeError(parseKubeError(404, {}, text))).toContain(
        'install the CRDs of albridge',
      );
  });

  it('is distinguished from a refusal by the API server', () => {
    const refusal = { kind: 'Status', reason: 'BadRequest', message: 'spec.a: wrong' };
    const said = describeError(parseKubeError(400, {}, JSON.stringify(refusal)));
    expect(said).toBe('spec.a: wrong: correct what is named');
  });
});
