import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join, resolve } from 'node:path';
import { isCalledPlainly } from '../../deploy/no-arguments.ts';
import { callApi, succeeded } from '../envtest/crd-api.ts';
import { removeCallersSettings } from '../gates/clean-environment.ts';
import { kubectlOrThrow } from '../surroundings/deploy-base.ts';
import { startInstances } from '../surroundings/instances.ts';
import { startPodRunner } from '../surroundings/pod-runner.ts';
import { type Surroundings, startSurroundings } from '../surroundings/surroundings.ts';
import { startUi } from '../surroundings/ui-process.ts';
import { Browser, type BrowserPage } from './browser.ts';

/** Takes the pictures of docs/ui.md and README.md from a real operator: list and object, light and dark. */

const ROOT = resolve(import.meta.dirname, '../..');
const PICTURES = join(ROOT, 'docs/screenshots');
const MANIFESTS = [
  join(import.meta.dirname, 'screenshots.yaml'),
  ...[
    '06-one-backend',
    'webapp-01-article',
    'immortalcontainer-01-article',
    'configmonitor-01-article',
  ].map((name) => join(ROOT, `examples/${name}.yaml`)),
];
const NAMESPACE = 'shop';
const SYSTEM = 'albridge-system';
const POD = 'albridge-7d4b9c6f5-q2xkp';
const NODES = 2;
const WIDTH = 1240;
/** Room at the end of a picture. */
const BELOW = 16;

const WHAT = 'takes the pictures of docs/ui.md and README.md';
const cleanUps: (() => Promise<unknown>)[] = [];
if (isCalledPlainly('screenshots', WHAT, 'node test/browser/screenshots.ts')) {
  removeCallersSettings(process.env);
  try {
    await takePictures(await startCluster());
  } finally {
    for (const cleanUp of cleanUps.reverse()) await cleanUp();
  }
  process.exit();
}

/** A control plane with simulated nodes, an operator that is read through a pod, and all objects. */
async function startCluster(): Promise<Surroundings> {
  const workers = { controllerManager: true, scheduler: true, nodes: NODES };
  const surroundings = await startSurroundings({ ...workers, budget: 'aws', provisioningMs: 500 });
  cleanUps.push(() => surroundings.stop());
  const { controlPlane, aws } = surroundings;
  const endpoint = aws.environment['AWS_ENDPOINT_URL'] ?? '';
  const pods = startPodRunner(controlPlane, endpoint, await startInstances(surroundings, NODES));
  cleanUps.push(() => pods.stop());
  const address = findAddress();
  const port = await findFreePort(address);
  const environment = {
    ...{ ALBRIDGE_LEADER_ELECTION: 'on', POD_NAME: POD, POD_NAMESPACE: SYSTEM },
    ALBRIDGE_METRICS_ADDRESS: `${address}:${port}`,
  };
  await surroundings.startOperator(environment);
  await createOperatorPod(surroundings, address, port);
  await kubectlOrThrow(controlPlane, ['create', 'namespace', NAMESPACE]);
  const files = MANIFESTS.flatMap((file) => ['-f', file]);
  await kubectlOrThrow(controlPlane, ['apply', '-n', NAMESPACE, ...files]);
  return surroundings;
}

/** The API server's proxy refuses loopback addresses. */
function findAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  const found = addresses.find(({ internal, family }) => !internal && family === 'IPv4');
  if (found === undefined) throw new Error('this machine has no IPv4 address but loopback');
  return found.address;
}

async function findFreePort(address: string): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, address, done));
  const port = (server.address() as { readonly port: number }).port;
  await new Promise((done) => server.close(done));
  return port;
}

/** The pod that the Lease names. No scheduler takes it: it stands for the process that listens there. */
async function createOperatorPod(
  { controlPlane }: Surroundings,
  podIP: string,
  containerPort: number,
): Promise<void> {
  const securityContext = {
    ...{ allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, runAsNonRoot: true },
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const ports = [{ name: 'metrics', containerPort }];
  const containers = [{ name: 'operator', image: 'albridge', ports, securityContext }];
  const spec = { containers, schedulerName: 'none', serviceAccountName: 'albridge' };
  const path = `/api/v1/namespaces/${SYSTEM}/pods`;
  const created = { metadata: { name: POD }, spec };
  succeeded(await callApi(controlPlane, { method: 'POST', path, body: created }));
  const body = { status: { podIP, podIPs: [{ ip: podIP }] } };
  const write = { method: 'PATCH', path: `${path}/${POD}/status`, patch: 'merge' } as const;
  succeeded(await callApi(controlPlane, { ...write, body }));
}

async function takePictures({ controlPlane }: Surroundings): Promise<void> {
  const served = await startUi(controlPlane.kubeconfigPath);
  cleanUps.push(() => served.stop());
  const browser = await Browser.start();
  cleanUps.push(() => browser.close());
  const page = await browser.openPage({ width: WIDTH, height: 900 });
  await page.prefer('light');
  await mkdir(PICTURES, { recursive: true });
  await page.visit(served.url);
  await page.until(contains('7 objects, 4 not ready'), 120_000);
  for (const words of ['nothing waits for the AWS budget', 'NoReadyEndpoints', 'SubnetNotFound'])
    await page.until(contains(words), 120_000);
  await save(page, 'ui-list', '#part-rows');
  // It falls past the rules to the default.
  const request = new URLSearchParams({ host: 'store.example.com', path: '/cart' });
  await page.visit(`${served.url}myingresses/${NAMESPACE}/store?${request.toString()}`);
  for (const words of ['passed over', '1/1 targets registered, 1 healthy', 'is active at'])
    await page.until(contains(words), 120_000);
  await save(page, 'ui-object', '#part-conditions');
  await page.prefer('dark');
  await save(page, 'ui-object-dark', '#part-conditions');
}

function contains(words: string): string {
  return `document.body.textContent.includes(${JSON.stringify(words)})`;
}

/** From the top of the page to the end of `last`, so that nothing is cut. */
async function save(page: BrowserPage, name: string, last: string): Promise<void> {
  const end = `document.querySelector('${last}').getBoundingClientRect().bottom`;
  const height = Math.ceil(await page.evaluate<number>(`${end} + scrollY`)) + BELOW;
  const metrics = { width: WIDTH, height, deviceScaleFactor: 1, mobile: false };
  await page.send('Emulation.setScrollbarsHidden', { hidden: true });
  await page.send('Emulation.setDeviceMetricsOverride', metrics);
  await writeFile(join(PICTURES, `${name}.png`), await page.takeScreenshot());
}
