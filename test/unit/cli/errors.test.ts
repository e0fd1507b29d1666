import { describe, expect, it } from 'vitest';
import { describeError } from '../../../src/cli/errors.ts';
import { parseKubeError } from '../../../src/kube/client/kube-error.ts';

describe('an answer that is no Status', () => {
  it.each([400, 302])('with %i sends its reader to the address, and names no field', (status) => {
    const said = describeError(parseKubeError(status, {}, '<html>log in</html>'));
    expect(said).toBe(
      `the API server answered ${status}: check that the address in the kubeconfig is that of an API server`,
    );
  });

  it('is told from a refusal by the API server', () => {
    const refusal = { kind: 'Status', reason: 'BadRequest', message: 'spec.a: wrong' };
    const said = describeError(parseKubeError(400, {}, JSON.stringify(refusal)));
    expect(said).toBe('spec.a: wrong: correct what is named');
  });
});
