import { describe, expect, it } from 'vitest';
import { pythonRecipes } from '../../../localstack/backends/python-recipe.ts';
import { ensureVirtualEnvironment } from '../../../localstack/backends/virtual-environment.ts';
import { isolatedEnvironment } from '../../control-plane/environment.ts';
import { runCommand } from '../../control-plane/run-command.ts';
import { backendUnderTest, isMissing } from '../under-test.ts';

const recipe = pythonRecipes.localstack;

describe.skipIf(isMissing)("our plugin in LocalStack's open runtime", () => {
  it('passes its own tests', async () => {
    const options = { env: process.env, say: () => undefined };
    const { python, directory } = await ensureVirtualEnvironment(recipe, options);
    const result = await runCommand(python, ['-B', '-m', 'unittest', 'discover', '-s', 'tests'], {
      env: { ...isolatedEnvironment(process.env, directory), PYTHONDONTWRITEBYTECODE: '1' },
      cwd: recipe.packages[0] as string,
    });
    expect(result.stderr).toMatch(/Ran 3 tests[^]*OK/);
    expect(result.code).toBe(0);
  });

  it('is listed by the health of the runtime', async () => {
    const { url } = backendUnderTest();
    const health = await fetch(`${url}${recipe.healthPath}`);
    expect(await health.json()).toMatchObject({
      version: '4.14.0',
      services: { elbv2: expect.stringMatching(/^(available|running)$/), ec2: expect.anything() },
    });
  });

  it('answers what moto lacks with 501, in words of AWS and no page of HTML', async () => {
    const { url } = backendUnderTest();
    const scope = '000000000000/20260101/us-east-1/elasticloadbalancing/aws4_request';
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'Action=DescribeTrustStores&Version=2015-12-01',
    });
    expect(answer.status).toBe(501);
    expect(await answer.text()).toContain('<Code>');
  });
});
