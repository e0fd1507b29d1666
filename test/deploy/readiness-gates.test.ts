import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { READINESS_GATE } from '../../src/pods/pod.ts';
import { Program } from '../surroundings/program.ts';
import { until } from '../surroundings/until.ts';
import { blocksOf } from './commands.ts';
import { DeployPlace, ROOT } from './place.ts';
import type { Pod } from './pod-environment.ts';
import { Reader } from './reader.ts';

const SHOP = 'gated-shop';

let place: DeployPlace;

beforeAll(async () => {
  place = await DeployPlace.start();
});

afterAll(() => place?.stop());

/** As docs/zero-downtime.md shows it. */
function addComponent(): Promise<string> {
  const component = join(
    relative(join(tmpdir(), 'any'), ROOT),
    'deploy/components/readiness-gates',
  );
  return place.kustomize('deploy', `components: ["${component}"]`);
}

async function hasGate(): Promise<boolean> {
  const dryRun = ['run', 'probe', '--image=shop', '--dry-run=server', '-o', 'json'];
  return (await place.kubectl(['-n', SHOP, ...dryRun])).includes(READINESS_GATE);
}

/** What docs/zero-downtime.md has for a namespace. */
async function pasteSteps(): Promise<void> {
  const blocks = await blocksOf('docs/zero-downtime.md');
  const steps = blocks.filter(({ text }) => text.startsWith('kubectl label namespace web '));
  expect(steps).toHaveLength(1);
  const reader = await Reader.in(place, ROOT);
  for (const { text } of steps) await reader.paste(text.replaceAll(/\bweb\b/g, SHOP));
}

async function undeploy(kustomization: string): Promise<string> {
  const program = await Program.start('deploy/undeploy.ts', ['--kustomization', kustomization], {
    KUBECONFIG: place.cluster.kubeconfigPath,
    KUBECTL: place.cluster.kubectlPath,
  });
  expect(await program.exited, program.output).toBe(0);
  await program.discard();
  return program.output;
}

it('the component turns gates on, and undeploy removes their policy before the operator', async () => {
  const kustomization = await addComponent();
  await place.kubectl(['apply', '--server-side', '-k', kustomization]);
  await place.established();
  const [pod] = await place.pods();
  await place.work(pod as Pod);

  await place.createNamespace(SHOP);
  await place.kubectl(['-n', SHOP, 'create', 'deployment', 'old', '--image=shop']);
  await pasteSteps();
  await until('new pods get the gate', hasGate);
  const template = 'jsonpath={.spec.template.metadata.annotations}';
  expect(await place.kubectl(['-n', SHOP, 'get', 'deployment', 'old', '-o', template])).toContain(
    'restartedAt',
  );
  await place.kubectl(['-n', SHOP, 'delete', 'deployment', 'old']);
  await place.kubectl(['-n', SHOP, 'run', 'shop', '--image=shop']);
  const ready = ['wait', '--for=condition=Ready', '--timeout=60s', 'pod/shop'];
  await place.kubectl(['-n', SHOP, ...ready]);
  const conditions =
    'jsonpath={.status.conditions[?(@.type=="albridge.io/targets-healthy")].reason}';
  expect(await place.kubectl(['-n', SHOP, 'get', 'pod', 'shop', '-o', conditions])).toBe(
    'NoBackend',
  );

  const said = await undeploy(kustomization);
  const steps = ['gives pods a readiness gate: 2', 'no custom resource is left', 'the operator'];
  const places = steps.map((step) => said.indexOf(step));
  expect(places, said).toEqual(places.toSorted((one, other) => one - other));
  expect(places).not.toContain(-1);
  await until('new pods get no gate', async () => !(await hasGate()));
});
