import { describe, expect, it } from 'vitest';
import { cleanEnvironment, removeCallersSettings } from '../../gates/clean-environment.ts';

const poison: Readonly<Record<string, string>> = {
  KUBECONFIG: '/home/somebody/production',
  KUBERNETES_SERVICE_HOST: '10.0.0.1',
  KUBERNETES_SERVICE_PORT: '443',
  AWS_ACCESS_KEY_ID: 'somebody',
  AWS_SECRET_ACCESS_KEY: 'somebody',
  AWS_SESSION_TOKEN: 'somebody',
  AWS_PROFILE: 'production',
  AWS_REGION: 'eu-central-1',
  AWS_ENDPOINT_URL: 'https://production',
  AWS_CONFIG_FILE: '/home/somebody/.aws/config',
  ALBRIDGE_CLUSTER_ID: 'production',
  POD_NAMESPACE: 'production',
};

describe('the environment of tests, demo and sandbox', () => {
  it('has nothing of the caller that leads to a cluster or an account', () => {
    const values = Object.values(cleanEnvironment({ PATH: '/bin', ...poison }));
    for (const value of Object.values(poison)) expect(values).not.toContain(value);
  });

  it('keeps the rest', () => {
    expect(cleanEnvironment({ PATH: '/bin', HOME: '/root', ALBRIDGE_DOWNLOAD_BASE: 'x' })).toEqual({
      PATH: '/bin',
      HOME: '/root',
      ALBRIDGE_DOWNLOAD_BASE: 'x',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      AWS_EC2_METADATA_DISABLED: 'true',
    });
  });

  it('can be made in place', () => {
    const env: Record<string, string | undefined> = { PATH: '/bin', ...poison };
    removeCallersSettings(env);
    expect(env).toEqual(cleanEnvironment({ PATH: '/bin', ...poison }));
  });

  it('is what this very test runs in', () => {
    expect(process.env).toMatchObject({ AWS_CONFIG_FILE: '/dev/null' });
    expect(process.env).not.toHaveProperty('KUBECONFIG');
    expect(process.env).not.toHaveProperty('AWS_PROFILE');
  });
});
