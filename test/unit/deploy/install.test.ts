import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { renderInstall } from '../../../deploy/render.ts';
import { settings } from '../../../src/config/settings.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** A component that an overlay adds. */
const OFF_BY_DEFAULT =
  /^(?:alerts|external-dns|external-dns-webapps|guardrails|metrics-service|pod-monitor|readiness-gates|secrets|user-roles)\//;

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

function named({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata.name}`;
}

describe('deploy/install.yaml', () => {
  it('is what npm run gen writes', async () => {
    const file = await readFile(resolve(ROOT, 'deploy/install.yaml'), 'utf8');
    expect(file).toBe(await renderInstall());
  });

  it('holds every file of deploy/base, every kind and every CRD', async () => {
    const objects = parseAllDocuments(await renderInstall()).map((one) => one.toJS() as Manifest);
    const held = new Set(objects.map(named));
    expect(held.size).toBe(objects.length);
    for (const directory of ['deploy/base', 'deploy/components', 'crds']) {
      for (const name of await readdir(resolve(ROOT, directory), { recursive: true })) {
        if (!name.endsWith('.yaml') || name.endsWith('kustomization.yaml')) continue;
        if (OFF_BY_DEFAULT.test(name)) continue;
        const text = await readFile(resolve(ROOT, directory, name), 'utf8');
        for (const document of parseAllDocuments(text)) {
          expect(held, name).toContain(named(document.toJS() as Manifest));
        }
      }
    }
  });

  it('comes with the CRDs before anything that could need them', async () => {
    const kinds = parseAllDocuments(await renderInstall()).map(
      (one) => (one.toJS() as Manifest).kind,
    );
    expect(kinds.lastIndexOf('CustomResourceDefinition')).toBeLessThan(kinds.indexOf('Deployment'));
    expect(kinds.indexOf('Namespace')).toBeLessThan(kinds.indexOf('ServiceAccount'));
  });
});

async function read(name: string): Promise<ReturnType<typeof parse>> {
  return parse(await readFile(resolve(ROOT, 'deploy/base', name), 'utf8'));
}

describe('the Deployment', () => {
  it('is probed on a port of its own, and has longer than a second to answer', async () => {
    const [{ ports, livenessProbe, readinessProbe }] = (await read('deployment.yaml')).spec.template
      .spec.containers;
    expect(ports).toEqual([
      { name: 'metrics', containerPort: 8080 },
      { name: 'health', containerPort: 8081 },
    ]);
    expect(
      ports.map(({ containerPort }: { containerPort: number }) => `:${containerPort}`),
    ).toEqual([settings.metricsAddress.default, settings.healthAddress.default]);
    for (const probe of [livenessProbe, readinessProbe]) {
      expect(probe).toMatchObject({ httpGet: { port: 'health' }, timeoutSeconds: 5 });
    }
  });

  it('lets in nothing but scrapes, from the namespaces with the label', async () => {
    const { spec } = await read('deployment.yaml');
    const policy = await read('network-policy.yaml');
    expect(policy.spec).toEqual({
      podSelector: spec.selector,
      policyTypes: ['Ingress'],
      ingress: [
        {
          from: [{ namespaceSelector: { matchLabels: { metrics: 'enabled' } } }],
          ports: [{ protocol: 'TCP', port: 'metrics' }],
        },
      ],
    });
  });

  it('is found by the budget and by its own selector', async () => {
    const { spec } = await read('deployment.yaml');
    const budget = await read('pod-disruption-budget.yaml');
    expect(spec.selector.matchLabels).toEqual(spec.template.metadata.labels);
    expect(budget.spec.selector).toEqual(spec.selector);
    expect(budget.spec).toMatchObject({ maxUnavailable: 1 });
  });
});
