import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Program } from '../../surroundings/program.ts';

/** `npm run undeploy` with a kubectl that notes what it was to delete; test/deploy has the real one. */

const CRDS = resolve(import.meta.dirname, '../../../crds');

const KUBECTL = `#!/bin/sh
case "$1" in
  kustomize)
    test "$2" != ${CRDS} && exec cat "$2/manifests.json"
    for file in ${CRDS}/*/crd.yaml; do echo ---; cat "$file"; done ;;
  api-resources) printf 'myingresses.demo.rtfm.co.ua\\nwebapps.apps.example.com\\n' ;;
  get)
    case "$2" in
      deployment) cat "$FAKE/deployment" 2> /dev/null || echo deployment.apps/albridge ;;
      webapps.*) echo '{"items":[]}' ;;
      *) cat "$FAKE/objects.json" ;;
    esac ;;
  delete) cat >> "$FAKE/deleted"; echo '{"items":[]}' > "$FAKE/objects.json" ;;
esac
`;

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'albridge',
    namespace: 'albridge-system',
    labels: { 'app.kubernetes.io/name': 'albridge' },
  },
};

const ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'albridge-myingress' },
  rules: [{ apiGroups: ['demo.rtfm.co.ua'], resources: ['myingresses'] }],
};

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } };

const OTHER_DEPLOYMENT = {
  ...DEPLOYMENT,
  metadata: { name: 'shop', namespace: 'web' },
};

const OTHER_ROLE = {
  ...ROLE,
  metadata: { name: 'albridge-webapp' },
  rules: [{ apiGroups: ['apps.example.com'], resources: ['webapps'] }],
};

const WEB = {
  apiVersion: 'demo.rtfm.co.ua/v1alpha1',
  kind: 'MyIngress',
  metadata: { name: 'shop', namespace: 'web', finalizers: ['albridge.io/load-balancer'] },
};

let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'albridge-undeploy-'));
  await mkdir(join(directory, 'applied'));
  await writeFile(join(directory, 'kubectl'), KUBECTL);
  await chmod(join(directory, 'kubectl'), 0o755);
});

afterEach(() => rm(directory, { recursive: true, force: true }));

async function undeploy(
  args: readonly string[],
  kubectl = join(directory, 'kubectl'),
): Promise<{ readonly code: number | string; readonly output: string; readonly deleted: string }> {
  const environment = { KUBECTL: kubectl, FAKE: directory };
  const program = await Program.start('deploy/undeploy.ts', args, environment);
  const code = await program.exited;
  await program.discard();
  const deleted = await readFile(join(directory, 'deleted'), 'utf8').catch(() => '');
  return { code, output: program.output, deleted };
}

/** With one MyIngress, unless it says otherwise. */
async function undeployApplied(manifests: readonly object[], objects: readonly object[] = [WEB]) {
  const applied = join(directory, 'applied');
  const text = manifests.map((one) => JSON.stringify(one)).join('\n---\n');
  await writeFile(join(applied, 'manifests.json'), text);
  await writeFile(join(directory, 'objects.json'), JSON.stringify({ items: objects }));
  const { output, ...rest } = await undeploy(['--kustomization', applied]);
  return { ...rest, output: output.replaceAll(applied, 'APPLIED') };
}

const OR_DIRECTORY = '; name the directory that you applied, or ';

async function undeployWithList(list: string) {
  await writeFile(
    join(directory, 'kubectl'),
    KUBECTL.replace('cat "$FAKE/objects.json"', `echo '${list}'`),
  );
  return undeployApplied([ROLE, DEPLOYMENT]);
}

describe('npm run undeploy', () => {
  it('deletes the custom resources, then what the directory has', async () => {
    const { code, output, deleted } = await undeployApplied([ROLE, DEPLOYMENT]);
    expect(code, output).toBe(0);
    expect(output).toContain('removed the operator: 2 objects');
    // It has no CRDs, so they are still there.
    expect(output).toContain('nothing of APPLIED is left in the cluster');
    expect(deleted.indexOf('MyIngress')).toBeLessThan(deleted.indexOf('Deployment'));
    expect(deleted).toContain('MyIngress');
  });

  it.each([
    { what: 'something else', manifests: [CONFIG_MAP] },
    { what: 'a Deployment of others', manifests: [CONFIG_MAP, ROLE, OTHER_DEPLOYMENT] },
    { what: 'a Deployment without rights', manifests: [CONFIG_MAP, DEPLOYMENT] },
  ])('refuses a directory that has $what, and deletes nothing', async ({ manifests }) => {
    expect(await undeployApplied(manifests)).toEqual({
      code: 1,
      output:
        "undeploy: APPLIED does not have albridge's Deployment and its rights, so nothing was deleted; " +
        'name the directory of the installation: deploy, or such as deploy/overlays/irsa\n',
      deleted: '',
    });
  });

  it('leads from a directory of CRDs alone to kubectl', async () => {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'myingresses.demo.rtfm.co.ua' },
    };
    const { code, output, deleted } = await undeployApplied([definition, CONFIG_MAP]);
    expect({ code, deleted }).toEqual({ code: 1, deleted: '' });
    expect(output).toBe(
      'undeploy: APPLIED has CRDs and no operator, so nothing was deleted; ' +
        'once kubectl get albridge -A lists nothing, run kubectl delete -k APPLIED\n',
    );
  });

  it('asks for kubectl where another program refuses what it is asked', async () => {
    const other = join(directory, 'other');
    await writeFile(other, '#!/bin/sh\necho "other: no such command: $1" >&2; exit 1\n');
    await chmod(other, 0o755);
    expect((await undeploy([], other)).output).toBe(
      'undeploy: kubectl kustomize deploy: other: no such command: kustomize; if that is not kubectl, set KUBECTL to the path of kubectl\n',
    );
  });

  it('refuses a directory without the kind of an object that needs the operator', async () => {
    const { code, output, deleted } = await undeployApplied([DEPLOYMENT, OTHER_ROLE]);
    expect({ code, deleted }).toEqual({ code: 1, deleted: '' });
    expect(output).toMatch(
      /^undeploy: APPLIED has no rights on the kinds of 1 .*, so nothing was deleted:\n {2}MyIngress web\/shop\nName the directory /,
    );
  });

  it('leaves an object of such a kind alone that nothing was made for', async () => {
    const plain = { ...WEB, metadata: { name: 'shop', namespace: 'web' } };
    const { code, output, deleted } = await undeployApplied([DEPLOYMENT, OTHER_ROLE], [plain]);
    expect(code, output).toBe(0);
    expect(deleted).not.toContain('MyIngress');
  });

  it.each([
    ['/bin/echo', `kubectl kustomize deploy: it printed no manifests${OR_DIRECTORY}`],
    ['/bin/true', `kubectl kustomize deploy: it printed no manifests${OR_DIRECTORY}`],
    ['/bin/false', 'kubectl kustomize deploy: it failed and said nothing'],
  ])('asks for kubectl where KUBECTL is %s', async (kubectl, says) => {
    expect(await undeploy([], kubectl)).toEqual({
      code: 1,
      output: `undeploy: ${says}${says.endsWith('or ') ? '' : '; '}set KUBECTL to the path of kubectl\n`,
      deleted: '',
    });
  });

  it('refuses the directory of an installation that is not in the cluster', async () => {
    await writeFile(join(directory, 'deployment'), '');
    const { code, output, deleted } = await undeployApplied([ROLE, DEPLOYMENT]);
    expect({ code, deleted }).toEqual({ code: 1, deleted: '' });
    expect(output).toMatch(
      /^undeploy: the Deployment albridge-system\/albridge of APPLIED is not in the cluster, so nothing was deleted; name /,
    );
  });

  it('takes an operator whose kustomization has other names', async () => {
    const renamed = { ...DEPLOYMENT, metadata: { ...DEPLOYMENT.metadata, name: 'prod-albridge' } };
    const { code, output } = await undeployApplied([ROLE, renamed]);
    expect(code, output).toBe(0);
  });

  it.each(['{}', '{"items":null}', '{"items":[{}]}'])(
    'asks for kubectl where a list is %s',
    async (list) => {
      const { code, output } = await undeployWithList(list);
      expect(code).toBe(1);
      expect(output).toMatch(/^undeploy: kubectl get .*: it printed no list; set KUBECTL to /);
    },
  );

  it('asks for kubectl where a list is none', async () => {
    await writeFile(
      join(directory, 'kubectl'),
      KUBECTL.replace('cat "$FAKE/obj', 'echo "$FAKE/obj'),
    );
    const { code, output } = await undeployApplied([ROLE, DEPLOYMENT]);
    expect(code).toBe(1);
    expect(output).toMatch(/^undeploy: kubectl get .*: it printed no list; set KUBECTL to /);
  });

  it.each([
    ['--kustomization=', '--kustomization takes a directory, not an empty text'],
    ['--timeout=99999999999999', '--timeout takes a whole number of seconds from 1 to 86400'],
  ])('refuses %s', async (flag, says) => {
    expect(await undeploy([flag])).toEqual({
      code: 2,
      output: `undeploy: ${says}; run with --help for usage\n`,
      deleted: '',
    });
  });
});
