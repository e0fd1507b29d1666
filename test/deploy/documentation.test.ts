import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { cloneFresh, removeClone } from './clone.ts';
import { blocksOf, type CommandBlock, commandBlocks } from './commands.ts';
import { npmCommands } from './npm-commands.ts';
import { DeployPlace } from './place.ts';
import type { PlayedPod } from './played-pod.ts';
import { Reader } from './reader.ts';

/** What the pages tell a new user to type, typed, in a fresh clone, on a real control plane. */

/** Lines that need a container, which the nodes here only pretend to run; test/localstack checks their form. */
const NEEDS_A_CONTAINER = /^kubectl logs /;

let clone: string;
let place: DeployPlace;
let reader: Reader;
const played = new Map<string, PlayedPod>();

beforeAll(async () => {
  clone = await cloneFresh();
  place = await DeployPlace.start();
  reader = await Reader.in(place, clone);
});

afterAll(async () => {
  await place?.stop();
  await removeClone(clone);
});

function isRun({ mark }: CommandBlock): boolean {
  return mark === 'run';
}

/** What a kubelet would do meanwhile: in each namespace the newest of the Deployment's pods runs. */
async function runPods(): Promise<void> {
  const get = ['get', 'deployments', '-A', '-l', 'app.kubernetes.io/name=albridge', '-o', 'json'];
  type List = { readonly items: readonly { readonly metadata: { readonly namespace: string } }[] };
  const { items } = JSON.parse(await place.kubectl(get)) as List;
  for (const { metadata } of items) {
    const pods = await place.pods(metadata.namespace);
    const running = played.get(metadata.namespace);
    if (pods.some((pod) => pod.metadata.name === running?.pod.metadata.name)) continue;
    await running?.stop();
    const [pod] = pods;
    if (pod !== undefined) played.set(metadata.namespace, await place.work(pod));
  }
}

async function pasteAll(blocks: readonly CommandBlock[]): Promise<readonly string[]> {
  const printed: string[] = [];
  for (const { text } of blocks.filter(isRun)) {
    const lines = text.split('\n').filter((line) => !NEEDS_A_CONTAINER.test(line));
    printed.push(await reader.paste(lines.join('\n')));
    await runPods();
  }
  return printed;
}

describe('every npm command that a page names', () => {
  const pasted = Object.entries(npmCommands).flatMap(([name, fate]) =>
    'paste' in fate ? [[name, fate.paste] as const] : [],
  );

  it.each(pasted)('runs in a fresh clone: %s', async (_, text) => {
    await reader.paste(text);
  });

  it('leaves what the image holds, where it is the build', async () => {
    const built = (await readdir(join(clone, 'dist'))).filter((name) => name !== 'compile-cache');
    expect(built.sort()).toEqual((await readdir(inject('image'))).sort());
    expect(await reader.paste('node dist/main.mjs --version')).toBe(`${manifest.version}\n`);
  });
});

describe('a new user', () => {
  it('installs, gets a DNS name, and upgrades by docs/install.md', async () => {
    const printed = await pasteAll(await blocksOf('docs/install.md'));
    const all = printed.join('\n');
    expect(all).toMatch(
      /^myapp +internet-facing +active +\S+\.elb\.amazonaws\.com +True +Available/m,
    );
    expect(all).toMatch(/\.elb\.amazonaws\.com$/m);
    const policy = await readFile(join(clone, 'albridge-policy.json'), 'utf8');
    expect(policy).not.toMatch(/CLUSTER_ID|ACCOUNT_ID|REGION/);
    expect(await place.standIn.balancers()).toEqual([]);
    await place.kubectl(['delete', '-k', 'deploy/overlays/namespaced']);
    await played.get('web')?.stop();
    played.delete('web');
  });

  it('follows README.md and the pages of the kinds', async () => {
    const blocks = await commandBlocks();
    const others = blocks.filter(
      ({ page }) => !['docs/install.md', 'docs/uninstall.md'].includes(page),
    );
    expect(others.filter(isRun).length).toBeGreaterThan(2);
    await pasteAll(others);
    expect(await place.standIn.balancers()).toEqual([]);
  });

  it('leaves nothing by docs/uninstall.md, but what is to stay', async () => {
    await reader.paste('kubectl apply -f examples/01-article.yaml');
    await reader.paste('kubectl wait --for=condition=Ready myingress/myapp --timeout=1m');
    await reader.paste('kubectl apply -f examples/configmonitor-03-annotation.yaml');
    await reader.paste('kubectl wait --for=create configmonitor/frontend-config-annotated');
    const blocks = (await blocksOf('docs/uninstall.md')).filter(isRun);
    for (const { text } of blocks) {
      const printed = await reader.paste(text);
      if (text.startsWith('kubectl get albridge')) expect(printed).toBe('');
    }
    const [retained, ...more] = await place.standIn.balancers();
    expect(more).toEqual([]);
    expect(Object.keys(retained?.tags ?? {})).not.toContain('albridge.io/cluster');
    const left = await place.kubectl(['get', 'crds,clusterroles,namespaces', '-o', 'name']);
    expect(left).not.toMatch(/albridge|rtfm/);
  });
});
