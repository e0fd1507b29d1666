import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { WebAppBench } from './bench.ts';

let bench: WebAppBench;

beforeEach(() => {
  bench = new WebAppBench();
});
afterEach(() => bench.stop());

const forbidden = new OperatorError({
  reason: 'Forbidden',
  message: 'may not',
  healedBy: 'person',
});

describe('a refused write', () => {
  const refusals: Readonly<Record<string, () => void>> = {
    Service: () => {
      bench.kube.refuse('create', 'web/shop', forbidden);
      bench.kube.delete(bench.service);
    },
    Deployment: () => {
      bench.kube.refuse('apply', 'web/shop', forbidden);
      bench.kube.edit(bench.object, (live) => ({
        ...live,
        spec: { ...live.spec, image: 'nginx:1.27' },
      }));
    },
    'Deployment, as podTemplate is too long,': () => {
      bench.kube.edit(bench.object, (live) => {
        const podTemplate = { tooLong: true } as object;
        return { ...live, spec: { ...live.spec, podTemplate } };
      });
    },
  };

  it.each(Object.entries(refusals))(
    'of the %s keeps no count from being reported',
    async (_kind, refuse) => {
      await bench.run();
      refuse();
      await bench.clock.settle();
      const conditions = [{ type: 'Available', status: 'False', reason: 'TooFew' }] as const;
      await bench.serve(1, { conditions });
      expect(bench.condition('Stalled')).toMatch(/^True (?:Forbidden|PodTemplateTooLong)$/);
      expect(bench.object.status).toMatchObject({ readyReplicas: 1 });
      expect(bench.condition('Available')).toBe('False TooFew');
    },
  );
});

it('a WebApp whose Deployment is gone, and may not be created, is not Available', async () => {
  const conditions = [{ type: 'Available', status: 'True' }] as const;
  await bench.run();
  await bench.serve(3, { conditions });
  expect(bench.condition('Available')).toMatch(/^True/);
  bench.kube.refuse('create', 'web/shop', forbidden);
  bench.kube.delete(bench.deployment);
  await bench.clock.settle();
  expect(bench.condition('Stalled')).toBe('True Forbidden');
  expect(bench.object.status).toMatchObject({ availableReplicas: 0 });
  expect(bench.condition('Available')).toBe('Unknown Unknown');
});

describe('a foreign Deployment of the same name', () => {
  it('has none of its counts and conditions reported', async () => {
    bench.kube.create({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: { name: 'shop', namespace: 'web' },
    });
    await bench.serve(2, { conditions: [{ type: 'Available', status: 'True' }] });
    bench.store();
    await bench.start();
    expect(bench.condition('Stalled')).toBe('True NameConflict');
    expect(bench.object.status).toMatchObject({ readyReplicas: 0 });
    expect(bench.condition('Available')).toBeUndefined();
  });
});
