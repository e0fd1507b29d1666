import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHART, COMPLETE, Helm, setAll } from './helm.ts';

/** The notes that helm prints after an installation, without a cluster. */

let helm: Helm;

beforeAll(async () => {
  helm = await Helm.open();
}, 600_000);

afterAll(() => helm?.close());

async function notesOf(...sets: readonly string[]): Promise<string> {
  const where = ['albridge', CHART, '--namespace', 'lb', '--dry-run=client'];
  const printed = await helm.run(['install', ...where, ...setAll([...COMPLETE, ...sets])]);
  return printed.slice(printed.indexOf('\nNOTES:'));
}

describe('the notes of the chart', () => {
  it('name what to type next, and the labels that a namespace lacks', async () => {
    const notes = await notesOf();
    expect(notes).toContain('is installed as release albridge in namespace lb.');
    expect(notes).toContain('kubectl label namespace lb app.kubernetes.io/name=albridge ');
    expect(notes).toContain('kubectl -n lb rollout status deployment/albridge\n');
    expect(notes).toContain('kubectl delete albridge --all --all-namespaces --timeout=10m\n');
    expect(notes).toContain('`helm uninstall` leaves the CRDs.');
  });

  it('ask for an operator where the release has none', async () => {
    const notes = await notesOf('operator.enabled=false');
    expect(notes).toContain('It has CRDs and policies, and no operator: install one with values/');
    expect(notes).not.toContain('rollout status');
    expect(notes).not.toContain('kubectl label');
  });

  it('stay in the namespace of an operator that has one', async () => {
    const notes = await notesOf('singleNamespace=true', 'settings.ALBRIDGE_CLUSTER_ID=shop');
    expect(notes).toContain('kubectl delete albridge --all -n lb --timeout=10m\n');
    expect(notes).toContain('kubectl get albridge -n lb\n');
    expect(notes).not.toContain('kubectl label');
  });

  it.each([
    ['settings.ALBRIDGE_NAMESPACES= web\\,shop\\, '],
    ['env.ALBRIDGE_NAMESPACES=web\\,shop'],
    ['env.ALBRIDGE_NAMESPACES.value=web\\,shop'],
  ])(
    'have the objects deleted of the namespaces alone that the operator serves by %s',
    async (set) => {
      const notes = await notesOf(set, 'settings.ALBRIDGE_CLUSTER_ID=shop');
      expect(notes).not.toContain('--all-namespaces');
      for (const name of ['web', 'shop']) {
        expect(notes).toContain(`kubectl get albridge -n ${name}\n`);
        expect(notes).toContain(`kubectl delete albridge --all -n ${name} --timeout=10m\n`);
      }
    },
  );

  it('have the objects of all namespaces deleted where the variable is empty', async () => {
    const notes = await notesOf('env.ALBRIDGE_NAMESPACES.value=', 'settings.ALBRIDGE_CLUSTER_ID=a');
    expect(notes).toContain('kubectl delete albridge --all --all-namespaces --timeout=10m\n');
  });

  it('have no objects deleted where a release without an operator leaves the CRDs', async () => {
    expect(await notesOf('operator.enabled=false')).not.toContain('kubectl delete');
    const policies = ['operator.enabled=false', 'crds.enabled=false', 'crds.keep=false'];
    expect(await notesOf(...policies)).not.toContain('kubectl delete');
    const notes = await notesOf('operator.enabled=false', 'crds.keep=false');
    expect(notes).toContain('kubectl delete albridge --all --all-namespaces --timeout=10m\n');
  });

  it('promise no CRDs that helm takes along', async () => {
    expect(await notesOf('crds.keep=false')).not.toContain('leaves the CRDs');
  });
});
