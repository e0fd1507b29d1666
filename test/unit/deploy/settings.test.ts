import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Setting, settings } from '../../../src/config/settings.ts';

interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly configMapKeyRef?: {
      readonly name: string;
      readonly key: string;
      readonly optional: boolean;
    };
  };
}

interface Deployment {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly [{ readonly env: readonly Variable[]; envFrom?: unknown }];
      };
    };
  };
}

/** Settings that the ConfigMap does not set, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  KUBECONFIG: 'the pod has a ServiceAccount; the overlay kubectl-proxy sets it',
  KUBERNETES_SERVICE_HOST: 'set by Kubernetes',
  KUBERNETES_SERVICE_PORT: 'set by Kubernetes',
  ALBRIDGE_SERVICE_ACCOUNT_DIR: 'the kubelet mounts it at its default',
  AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: 'redirects signed requests',
  AWS_ENDPOINT_URL_EC2: 'redirects signed requests',
  AWS_ENDPOINT_URL_ACM: 'redirects signed requests',
  AWS_ENDPOINT_URL: 'redirects the token of IRSA to another STS',
  HTTPS_PROXY: 'redirects every call to AWS',
  NO_PROXY: 'redirects every call to AWS',
  ALBRIDGE_READINESS_GATES: 'deploy/components/readiness-gates sets it with its rights',
  ALBRIDGE_SECRETS: 'deploy/components/secrets sets it with its rights',
  POD_NAME: 'the Downward API',
  POD_NAMESPACE: 'the Downward API',
};
/** Read by the AWS SDK, not by albridge. */
const OF_THE_SDK = ['AWS_EC2_METADATA_DISABLED'];

async function readContainer(): Promise<{ env: readonly Variable[]; envFrom?: unknown }> {
  const text = await readFile(resolve(import.meta.dirname, '../../../deploy/install.yaml'), 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS() as Deployment);
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as Deployment;
  return deployment.spec.template.spec.containers[0];
}

describe('a user who may write the ConfigMap albridge-settings, but no Deployment', () => {
  it('sets each setting of the operator that cannot redirect its credentials', async () => {
    const { env } = await readContainer();
    const listed = env.filter(({ valueFrom }) => valueFrom?.configMapKeyRef !== undefined);
    for (const { name, valueFrom } of listed) {
      const ref = { name: 'albridge-settings', key: name, optional: true };
      expect(valueFrom?.configMapKeyRef).toEqual(ref);
    }
    const names = Object.values<Setting>(settings).map(({ name }) => name);
    const settable = [...names.filter((name) => !(name in ELSEWHERE)), ...OF_THE_SDK];
    expect(listed.map(({ name }) => name).sort()).toEqual(settable.sort());
  });

  it('finds each of them in docs/configuration.md', async () => {
    const page = await readFile(
      resolve(import.meta.dirname, '../../../docs/configuration.md'),
      'utf8',
    );
    const { env } = await readContainer();
    const names = env.flatMap(({ name, valueFrom }) => (valueFrom === undefined ? [] : [name]));
    expect(names.length).toBeGreaterThan(15);
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('runs no code in the operator, and turns off no check of certificates', async () => {
    const { env, envFrom } = await readContainer();
    expect(envFrom).toBeUndefined();
    expect(env).toContainEqual({ name: 'NODE_OPTIONS', value: '' });
    expect(env).toContainEqual({ name: 'NODE_TLS_REJECT_UNAUTHORIZED', value: '1' });
  });
});
