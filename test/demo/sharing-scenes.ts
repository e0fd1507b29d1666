import { resolve } from 'node:path';
import { makeCertificate } from '../fakes/certificate.ts';
import { importCertificate } from '../surroundings/certificates.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { askListener } from '../surroundings/listener-client.ts';
import { until } from '../surroundings/until.ts';
import { curl } from './curl.ts';
import {
  applyExamples,
  findListener,
  kubectl,
  ROOT,
  read,
  type Stored,
  show,
  type TrafficScene,
} from './scene.ts';

/** The names of examples/webapp-06-https.yaml and guardrails-01-two-tenants.yaml. */
const BALANCER = 'myingress/public';
const SHOP_HOST = 'shop.team-a.example.com';
const OTHER_HOST = 'team-b.internal.example.com';
const PARAMETERS = resolve(ROOT, 'deploy/components/guardrails/parameters.yaml');
const POLICIES = resolve(ROOT, 'deploy/components/guardrails/policy.yaml');

/** From an image to a public name, and two teams on one load balancer. */
export async function playSharing(scene: TrafficScene): Promise<void> {
  const { stage, surroundings } = scene;
  const { environment } = surroundings.aws;
  // A team has its certificate in ACM before it has anything here.
  await importCertificate(environment, await makeCertificate([SHOP_HOST, OTHER_HOST]));
  await stage.step('one YAML from an image to a shared load balancer with HTTPS', async () => {
    await applyExamples(scene, ['webapp-06-https.yaml']);
    await whenServed(scene, SHOP_HOST, 'shop');
  });
  await showAnswer(scene, SHOP_HOST);
  await stage.step('another team attaches to the same load balancer', async () => {
    await installGuardrails(scene);
    await apply(scene, [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-b', labels: LABELS } },
      draftApp(OTHER_HOST),
    ]);
    await whenServed(scene, OTHER_HOST, 'reports');
    await whenServed(scene, SHOP_HOST, 'shop');
  });
  await showAnswer(scene, OTHER_HOST);
  await playRefusal(scene);
  await show(scene, ['get', 'webapp', '-A', ...EXPOSED]);
  await playEnd(scene);
}

const LABELS = { 'albridge.io/public': 'true' };

/** Which host each application has, and whether it is served. */
const EXPOSED = [
  '-o',
  'custom-columns=NAMESPACE:.metadata.namespace,NAME:.metadata.name,HOST:.spec.expose.hosts[0],EXPOSED:.status.conditions[?(@.type=="Exposed")].reason',
] as const;

function draftApp(host: string): object {
  const ingress = { name: 'public', namespace: 'platform' };
  return {
    ...{ apiVersion: 'apps.example.com/v1', kind: 'WebApp' },
    metadata: { name: 'reports', namespace: 'team-b' },
    spec: { image: 'traefik/whoami:v1.10.1', expose: { ingress, hosts: [host] } },
  };
}

function apply(
  scene: TrafficScene,
  items: readonly object[],
  ...options: string[]
): Promise<string> {
  const list = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
  return kubectlOrThrow(scene.surroundings.controlPlane, ['apply', '-f', '-', ...options], list);
}

/** The component, with the lists of two tenants. */
async function installGuardrails(scene: TrafficScene): Promise<void> {
  await kubectl(scene, ['apply', '--server-side', '-f', PARAMETERS, '-f', POLICIES]);
  const lists = resolve(ROOT, 'examples/guardrails-01-two-tenants.yaml');
  await kubectl(scene, ['apply', '--server-side', '--force-conflicts', '-f', lists]);
}

async function playRefusal(scene: TrafficScene): Promise<void> {
  const { stage } = scene;
  const wrong = draftApp(SHOP_HOST);
  const step = 'a guardrail refuses it the host of the other team';
  const refusal = await stage.step(step, async () => {
    // The API server enforces a policy a moment after it is stored. A dry run leaves the object
    // as it is: kubectl does not send again what is stored already.
    await until('the policy', () => refusedApply(scene, wrong, '--dry-run=server'));
    const message = await refusedApply(scene, wrong);
    if (!message) throw new Error(`${SHOP_HOST} was not refused to team-b`);
    return message;
  });
  stage.say(`  ${refusal.replace(/^.*? denied request: /s, '')}`);
  await whenServed(scene, SHOP_HOST, 'shop');
  await whenServed(scene, OTHER_HOST, 'reports');
}

/** The refusal by the guardrails, or nothing where the object is taken. */
async function refusedApply(
  scene: TrafficScene,
  item: object,
  ...options: string[]
): Promise<string | undefined> {
  const message = await apply(scene, [item], ...options).then(
    () => undefined,
    (error: Error) => error.message,
  );
  return message?.includes('albridge-guardrails-webapp') ? message : undefined;
}

async function whenServed(scene: TrafficScene, host: string, application: string): Promise<void> {
  await until(`${application} answers for ${host}`, async () => {
    const listener = await findListener(scene, await readStatus(scene), 443);
    const { body, status } = await askListener(listener, { host });
    return status === 200 && body.startsWith(`pod=${application}-`);
  });
}

async function readStatus(scene: TrafficScene): Promise<Stored['status']> {
  return (await read(scene, BALANCER, 'platform')).status;
}

async function showAnswer(scene: TrafficScene, host: string): Promise<void> {
  const listener = await findListener(scene, await readStatus(scene), 443);
  await curl(scene, listener, { host });
}

/** Without the guardrails, which are the matter of this scene alone. */
async function playEnd(scene: TrafficScene): Promise<void> {
  // While there are policies, their parameters cannot be deleted.
  await kubectl(scene, ['delete', '-f', POLICIES]);
  await kubectl(scene, ['delete', 'namespace', 'albridge-guardrails', '--wait=false']);
  await kubectl(scene, ['delete', BALANCER, '-n', 'platform', '--timeout=60s']);
  const namespaces = ['platform', 'team-a', 'team-b'].map((name) => `namespace/${name}`);
  await kubectl(scene, ['delete', ...namespaces, '--wait=false']);
}
