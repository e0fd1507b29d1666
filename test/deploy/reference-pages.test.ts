import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { locateBinaries } from '../control-plane/locate.ts';
import { ADMINISTRATOR } from '../surroundings/aws-stand-in.ts';
import { arnOf } from '../surroundings/my-ingresses.ts';
import { blocksOf, exampleBlocks } from './commands.ts';
import { DeployPlace, ROOT } from './place.ts';
import type { PlayedPod } from './played-pod.ts';
import { Reader } from './reader.ts';

/** The pages that somebody opens for one question, command by command, where albridge is installed. */

/** As the mark above each block has it. */
const MARK = 'test/deploy/reference-pages.test.ts runs it';
/** A search that finds nothing ends with 1, and so does a difference. */
const MAY_FIND_NOTHING = /\| grep |^kubectl diff /;

let place: DeployPlace;
let pod: PlayedPod;
let reader: Reader;
let log: string;
/** What a reader puts in, by the word that stands for it. */
let words: Readonly<Record<string, string>>;

beforeAll(async () => {
  place = await DeployPlace.start();
  pod = await place.install();
  const directory = await place.openDirectory();
  log = join(directory, 'operator.log');
  const { kubeconform } = await locateBinaries(['kubeconform']);
  const node = (entry: string): string => `exec '${process.execPath}' '${join(ROOT, entry)}' "$@"`;
  reader = await Reader.in(place, ROOT, {
    scripts: {
      albridge: node('src/cli/main.ts'),
      aws: node('test/sandbox/aws.ts'),
      kubeconform: `exec '${kubeconform.path}' "$@"`,
      kubectl: playKubelet(place.cluster.kubectlPath),
    },
    environment: { ...place.aws.environment, ...toVariables(ADMINISTRATOR) },
  });
  await reader.paste('kubectl apply -f examples/06-one-backend.yaml');
  await reader.paste('kubectl wait --for=condition=Ready myingress/hello --timeout=2m');
  await reader.paste(`kubectl apply -f - <<'END'\n${MONITOR}END`);
  const hello = await place.myIngresses('default').get('hello');
  const names = { NAMESPACE: 'default', NAME: 'hello', SERVICE: 'hello', KIND: 'myingress' };
  const installed = { 'my-cluster': 'deploy', 'localhost:8081': pod.health };
  words = { ...names, ...installed, ARN: arnOf(hello) };
  // The first run builds kubeconform.
}, 600_000);

afterAll(() => place?.stop());

const MONITOR = `apiVersion: magalix.com/v1
kind: ConfigMonitor
metadata: { name: hello }
spec: { configmap: none, podSelector: { app: hello } }
`;

/** The nodes here run no containers: the log and the port of the one operator are at hand. Options are kubectl's. */
function playKubelet(kubectl: string): string {
  return `for word in "$@"; do case "$word" in logs|port-forward)
  '${kubectl}' "$@" --help >'${log}.help' || exit 64
  if [ "$word" = logs ]; then exec cat '${log}'; else exec sleep 60; fi;;
esac; done
exec '${kubectl}' "$@"`;
}

function toVariables(keys: typeof ADMINISTRATOR): Readonly<Record<string, string>> {
  return { AWS_ACCESS_KEY_ID: keys.accessKeyId, AWS_SECRET_ACCESS_KEY: keys.secretAccessKey };
}

function putIn(text: string, more: Readonly<Record<string, string>> = {}): string {
  return Object.entries({ ...words, ...more }).reduce(
    (all, [word, value]) => all.replaceAll(new RegExp(`(?<![\\w.])${word}(?!\\w)`, 'g'), value),
    text,
  );
}

async function readBlocks(page: string): Promise<readonly string[]> {
  const blocks = (await blocksOf(page)).filter(({ mark }) => {
    return typeof mark === 'object' && mark.notRun.startsWith(MARK);
  });
  expect(blocks.length).toBeGreaterThan(0);
  return blocks.map(({ text }) => text);
}

/** What a block prints. */
async function paste(text: string): Promise<string> {
  await writeFile(log, pod.operator.log.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return reader.paste(putIn(text));
}

/** Each line by itself, since one that finds nothing ends no runbook; what they print. */
async function pasteLines(text: string): Promise<readonly string[]> {
  const printed: string[] = [];
  for (const line of text.trimEnd().split('\n')) {
    printed.push(await paste(MAY_FIND_NOTHING.test(line) ? `${line} || [ $? = 1 ]` : line));
  }
  return printed;
}

/** A page starts a dozen programs, one after the other. */
const PATIENT = { timeout: 300_000 } as const;

describe('a user with albridge in a cluster', PATIENT, () => {
  it('types every command of docs/alerts.md', async () => {
    const blocks = await readBlocks('docs/alerts.md');
    const rules = await reader.paste("grep -c '^ *- alert:' deploy/alerts/rules.yaml");
    expect(blocks).toHaveLength(Number(rules));
    const printed: string[] = [];
    for (const block of blocks) printed.push(...(await pasteLines(block)));
    expect(printed).toHaveLength(3 * blocks.length);
    const all = printed.join('');
    expect(all).toMatch(/^yes$/m);
    expect(all).toMatch(/^\[\+\]|^ok/m);
    expect(all).toMatch(/^ +holderIdentity: \S+$/m);
    expect(all).toMatch(/"Key": "albridge.io\/name"/);
  });

  it('is refused an option that kubectl logs does not have', async () => {
    const wrong = 'kubectl -n albridge-system logs deploy/albridge --all-podz';
    await expect(paste(wrong)).rejects.toThrow('unknown flag: --all-podz');
  });

  it('labels a namespace by docs/monitoring.md', async () => {
    await paste('kubectl create namespace monitoring');
    for (const block of await readBlocks('docs/monitoring.md')) await paste(block);
    expect(await paste('kubectl get namespaces -l metrics=enabled')).toMatch(/^monitoring /m);
  });

  it('gives Argo CD its health check by docs/gitops.md', async () => {
    await paste('kubectl create namespace argocd');
    await paste('kubectl -n argocd create configmap argocd-cm --from-literal=url=https://cd.test');
    for (const block of await readBlocks('docs/gitops.md')) await paste(block);
    const data = await paste('kubectl -n argocd get configmap argocd-cm -o jsonpath={.data}');
    expect(data).toContain('"url":"https://cd.test"');
    expect(data).toContain('resource.customizations.health.demo.rtfm.co.ua_MyIngress');
  });

  it('checks the examples by docs/editors.md, and a wrong one is refused', async () => {
    const [block = ''] = await readBlocks('docs/editors.md');
    await paste(block);
    const wrong = await place.openFile(
      'wrong.yaml',
      'apiVersion: demo.rtfm.co.ua/v1\nkind: MyIngress\nmetadata: { name: a }\nspec: { subnet: [] }\n',
    );
    await expect(paste(block.replace('examples/*.yaml', wrong))).rejects.toThrow(/subnet/);
  });

  it('has an edit planned by docs/myingress.md', async () => {
    await paste("kubectl apply -f - <<'END'\n" + SHOP + 'END');
    const printed: string[] = [];
    for (const block of await readBlocks('docs/myingress.md')) printed.push(await paste(block));
    expect(printed.join('')).toMatch(/^myingress.*\/shop annotated$/m);
    await paste('kubectl delete myingress shop');
  });

  it('changes a probe by docs/webapp.md', async () => {
    await paste('kubectl apply -f examples/webapp-01-article.yaml');
    await paste('kubectl wait --for=create deployment/demo-app --timeout=1m');
    for (const block of await readBlocks('docs/webapp.md')) await paste(block);
    const get = 'kubectl get deployment demo-app -o jsonpath={..readinessProbe.httpGet.path}';
    expect(await paste(get)).toBe('/healthz');
    await paste('kubectl delete -f examples/webapp-01-article.yaml');
  });

  it('finds the owner of a name by docs/troubleshooting.md', async () => {
    for (const block of await readBlocks('docs/troubleshooting.md')) {
      for (const printed of await pasteLines(block))
        expect(printed).not.toContain('"level":"debug"');
    }
  });

  it('types what stands in the examples', async () => {
    const cluster = 'kubectl get namespace kube-system -o jsonpath={.metadata.uid}';
    const more = { CLUSTER_ID: await paste(cluster), 'get myingress --watch': 'get myingress' };
    await paste(
      'kubectl get namespace albridge-guardrails || kubectl create namespace albridge-guardrails',
    );
    const blocks = await exampleBlocks();
    expect(blocks.length).toBeGreaterThan(4);
    for (const { text } of blocks) await paste(putIn(text, more));
  });

  it('removes the CRDs last by docs/uninstall.md', async () => {
    await paste('kubectl delete albridge --all --all-namespaces --timeout=2m');
    await place.stopPods();
    for (const block of await readBlocks('docs/uninstall.md')) await paste(block);
    const left = await paste('kubectl get crds,namespaces -o name');
    expect(left).not.toMatch(/albridge|rtfm|magalix/);
  });
});

const SHOP = `apiVersion: demo.rtfm.co.ua/v1
kind: MyIngress
metadata: { name: shop }
spec: { subnets: [subnet-abc, subnet-def] }
`;
