import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateBinaries } from '../control-plane/locate.ts';
import { runCommand } from '../control-plane/run-command.ts';
import { versions } from '../control-plane/versions.ts';
import { CHART, Helm, ROOT } from './helm.ts';

/** What kube-score calls critical in the rendered manifests: https://github.com/zegl/kube-score/blob/master/README_CHECKS.md */

type Reasons = Readonly<Record<string, string>>;

/** Accepted, by the id of the check; what is not found any more is taken out. */
const ACCEPTED: Reasons = {
  'container-resources': 'a limit on CPU throttles the leader, which then loses its Lease',
  'container-image-pull-policy':
    'the tag is a version and is never moved; what `kind load` brought cannot be pulled',
  'container-ephemeral-storage-request-and-limit':
    'the root is read-only, there is no emptyDir, and the kubelet rotates the logs',
};

const OF_EXTERNAL_DNS: Reasons = {
  ...ACCEPTED,
  'pod-networkpolicy': 'its one port has metrics, and who scrapes them is not known here',
  'deployment-has-poddisruptionbudget': 'it is one replica, and a budget would block every drain',
};

const overlays = await readdir(resolve(ROOT, 'deploy/overlays'));
const values = await readdir(resolve(CHART, 'values'));
const EACH_COMPONENT = [
  ...['readinessGates', 'guardrails', 'userRoles', 'secrets'],
  ...['metricsService', 'podMonitor', 'alerts'],
];

/** The component that the chart refuses with these values. */
const REFUSED: Readonly<Record<string, string>> = {
  'myingress-only.yaml': 'secrets',
  'one-namespace.yaml': 'userRoles',
};

let helm: Helm;
let tools: Readonly<Record<'kubectl' | 'kube-score', { readonly path: string }>>;

beforeAll(async () => {
  helm = await Helm.open();
  tools = await locateBinaries(['kubectl', 'kube-score']);
});

afterAll(() => helm?.close());

interface Scored {
  readonly object_name: string;
  readonly checks: readonly {
    readonly check: { readonly id: string };
    readonly grade: number;
    readonly skipped: boolean;
  }[];
}

/** https://github.com/zegl/kube-score/blob/master/scorecard/scorecard.go */
const CRITICAL = 1;

/** The ids of the checks that find something critical, once each. */
async function findCritical(manifests: string): Promise<readonly string[]> {
  const kubernetes = versions.kubernetes.replace(/\.\d+$/, '');
  const args = ['score', '--kubernetes-version', `v${kubernetes}`, '--output-format=json', '-'];
  const { stdout, stderr } = await runCommand(tools['kube-score'].path, args, {
    env: {},
    input: manifests,
  });
  const scored = parseScores(stdout, stderr);
  expect(scored).not.toEqual([]);
  const found = scored.flatMap(({ checks }) =>
    checks
      .filter(({ grade, skipped }) => grade <= CRITICAL && !skipped)
      .map(({ check }) => check.id),
  );
  return [...new Set(found)].toSorted();
}

function parseScores(stdout: string, stderr: string): readonly Scored[] {
  try {
    return JSON.parse(stdout) as readonly Scored[];
  } catch (cause) {
    throw new Error(`kube-score did not answer with JSON: ${stderr}`, { cause });
  }
}

async function kustomize(directory: string): Promise<string> {
  const path = resolve(ROOT, 'deploy', directory);
  const result = await runCommand(tools.kubectl.path, ['kustomize', path], { env: {} });
  expect(result.stderr).toBe('');
  return result.stdout;
}

describe('kube-score finds nothing critical that is not accepted', () => {
  it.each(['.', ...overlays.map((name) => `overlays/${name}`)])(
    'in what kustomize renders of deploy/%s',
    async (directory) => {
      expect(await findCritical(await kustomize(directory))).toEqual(
        Object.keys(ACCEPTED).toSorted(),
      );
    },
  );

  it.each(values.filter((name) => name !== 'cluster.yaml'))(
    'in what helm renders of values/%s with every component',
    async (name) => {
      const components = EACH_COMPONENT.filter((one) => one !== REFUSED[name]);
      const sets = components.flatMap((one) => ['--set', `${one}.enabled=true`]);
      const file = ['--values', resolve(CHART, 'values', name)];
      const rendered = await helm.run(['template', 'albridge', CHART, ...file, ...sets]);
      expect(await findCritical(rendered)).toEqual(Object.keys(ACCEPTED).toSorted());
    },
  );

  it('in the component external-dns', async () => {
    expect(await findCritical(await kustomize('components/external-dns'))).toEqual(
      Object.keys(OF_EXTERNAL_DNS).toSorted(),
    );
  });
});
