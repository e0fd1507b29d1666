import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ANNOTATED,
  APPLIED,
  BINDING,
  CONFIG_MAP,
  DEFINITION,
  DEPLOYMENT,
  KUBECTL,
  MONITOR_ROLE,
  OTHER_BINDING,
  OTHER_DEPLOYMENT,
  OTHER_ROLE,
  type Resource,
  ROLE,
  UndeployPlace,
  WEB,
} from './undeploy-place.ts';

/** `npm run undeploy` with a kubectl that notes what it was to delete; test/deploy has the real one. */

let place: UndeployPlace;

beforeEach(async () => {
  place = await UndeployPlace.make();
});

afterEach(() => place.remove());

/** With one MyIngress. */
function undeployApplied(manifests: readonly Resource[], args: readonly string[] = []) {
  return place.undeployApplied(manifests, { objects: [WEB] }, args);
}

/** No directory has it. */
const LEASE = ['Lease albridge-system albridge'];

/** kubectl 1.32 deletes the rest of a list, waits for nothing, and fails. */
async function undeployWithoutMonitors(apiResources: string) {
  const kind = 'PodMonitor';
  const apiVersion = 'monitoring.coreos.com/v1';
  const refusal = `case "$input" in *'"kind":"${kind}"'*)
    echo 'unable to recognize no matches for kind "${kind}" in version "${apiVersion}"' >&2
    exit 1 ;;
  esac`;
  const served = `[ "$2" = --no-headers ] && { ${apiResources}; exit; }`;
  await place.replaceKubectl(
    KUBECTL.replace('input=$(cat)', `input=$(cat)\n${refusal}`).replace(
      'api-resources)',
      `api-resources) ${served}\n`,
    ),
  );
  const metadata = { name: 'albridge', namespace: 'albridge-system' };
  return undeployApplied([...APPLIED, { apiVersion, kind, metadata }, DEFINITION]);
}

/** As `kubectl api-resources --no-headers` prints them. */
const SERVED = [
  'clusterroles  rbac.authorization.k8s.io/v1  false  ClusterRole',
  'clusterrolebindings  rbac.authorization.k8s.io/v1  false  ClusterRoleBinding',
  'deployments  deploy  apps/v1  true  Deployment',
].join('\n');

const OR_DIRECTORY = '; name the directory that you applied, or ';

async function undeployWithList(list: string) {
  await place.replaceKubectl(
    KUBECTL.replace(/^ +myingresses\.\*\).*$/m, `myingresses.*) echo '${list}' ;;`),
  );
  return undeployApplied(APPLIED);
}

describe('npm run undeploy', () => {
  it('deletes the custom resources, then what the directory has', async () => {
    const { code, output, deleted } = await undeployApplied(APPLIED);
    expect(code, output).toBe(0);
    expect(output).toContain('removed the operator: 3 objects');
    // It has no CRDs, so they are still there.
    expect(output).toContain('nothing of APPLIED is left in the cluster');
    expect(deleted).toEqual([
      ['MyIngress web shop'],
      [
        'ClusterRole albridge-myingress',
        'ClusterRoleBinding albridge-myingress',
        'Deployment albridge-system albridge',
      ],
      LEASE,
    ]);
  });

  it('deletes in the order that leaks nothing', async () => {
    const gate = { ...CONFIG_MAP, kind: 'MutatingAdmissionPolicy', metadata: { name: 'gate' } };
    const metadata = { name: 'albridge-guardrails-tags' };
    const guardrail = { ...CONFIG_MAP, kind: 'ValidatingAdmissionPolicy', metadata };
    const manifests = [DEFINITION, guardrail, ROLE, BINDING, DEPLOYMENT, gate];
    const { code, output, deleted } = await undeployApplied(manifests);
    expect(code, output).toBe(0);
    expect(output).toMatch(/nothing of albridge is left in the cluster\n$/);
    expect(deleted.map(([first]) => first)).toEqual([
      'MutatingAdmissionPolicy gate',
      'MyIngress web shop',
      'ValidatingAdmissionPolicy albridge-guardrails-tags',
      'ClusterRole albridge-myingress',
      LEASE[0],
      'CustomResourceDefinition myingresses.demo.rtfm.co.ua',
    ]);
  });

  it('keeps the CRDs for an object that was created before the operator was deleted', async () => {
    const late = { ...WEB, metadata: { ...WEB.metadata, name: 'late' } };
    const cluster = { objects: [WEB], late: [late] };
    const { code, output, deleted } = await place.undeployApplied(
      [...APPLIED, DEFINITION],
      cluster,
    );
    expect(code, output).toBe(1);
    expect(output).toMatch(
      /came meanwhile, so the CRDs stay:\n {2}MyIngress web\/late\nApply APPLIED again, and run this again\.\n$/,
    );
    expect(deleted.flat().join()).not.toContain('CustomResourceDefinition');
  });

  it.each([
    ['and then the CRDs', [], ['CustomResourceDefinition myingresses.demo.rtfm.co.ua']],
    ['where the CRDs stay for another operator too', [OTHER_DEPLOYMENT], undefined],
  ])(
    'deletes the ConfigMonitor of an annotated ConfigMap after the operator, %s',
    async (_, others, last) => {
      const manifests = [MONITOR_ROLE, BINDING, DEPLOYMENT, DEFINITION];
      const after = [ANNOTATED, ...others];
      const cluster = { objects: [WEB, ANNOTATED], after };
      const { code, output, deleted } = await place.undeployApplied(manifests, cluster);
      expect(code, output).toBe(0);
      expect(deleted).toEqual([
        ['MyIngress web shop'],
        expect.arrayContaining(['Deployment albridge-system albridge']),
        LEASE,
        ['ConfigMonitor web settings-annotated'],
        ...(last === undefined ? [] : [last]),
      ]);
    },
  );

  it('waits for a ConfigMonitor of another controller', async () => {
    const [reference] = ANNOTATED.metadata.ownerReferences;
    const ownerReferences = [
      { ...reference, controller: false },
      { ...reference, kind: 'Website', controller: true },
    ];
    const theirs = { ...ANNOTATED, metadata: { ...ANNOTATED.metadata, ownerReferences } };
    const cluster = { objects: [WEB, theirs], after: [theirs] };
    const manifests = [MONITOR_ROLE, BINDING, DEPLOYMENT];
    const flags = ['--timeout', '1'];
    const { code, output } = await place.undeployApplied(manifests, cluster, flags);
    expect(code, output).toBe(1);
    expect(output).toContain('1 custom resources remain, so the operator and the CRDs stay');
  });

  it('deletes what the operator kept for itself in a namespace that stays', async () => {
    const rights = {
      ...{ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role' },
      metadata: { name: 'albridge-hash-key', namespace: 'albridge-system' },
      rules: [{ apiGroups: [''], resources: ['secrets'], resourceNames: ['albridge-hash-key'] }],
    };
    const { output, deleted } = await undeployApplied([...APPLIED, rights]);
    expect(output).toContain('removed what the operator kept in its namespace: 2 objects');
    expect(deleted.at(-1)).toEqual([...LEASE, 'Secret albridge-system albridge-hash-key']);
  });

  it('deletes no Secret where the operator had no right to create one', async () => {
    const refusal = `case "$input" in *'"kind":"Secret"'*)
      echo 'Error from server (Forbidden): secrets "albridge-hash-key" is forbidden' >&2; exit 1 ;;
    esac`;
    await place.replaceKubectl(KUBECTL.replace('input=$(cat)', `input=$(cat)\n${refusal}`));
    const { code, output, deleted } = await undeployApplied(APPLIED);
    expect(code, output).toBe(0);
    expect(deleted.at(-1)).toEqual(LEASE);
  });

  it('leaves that to another operator of the namespace, which has the same', async () => {
    const metadata = { ...DEPLOYMENT.metadata, name: 'albridge-next' };
    const objects = [WEB, { ...DEPLOYMENT, metadata }];
    const after = [{ ...DEPLOYMENT, metadata }];
    const manifests = [...APPLIED, DEFINITION];
    const { code, output, deleted } = await place.undeployApplied(manifests, { objects, after });
    expect(code, output).toBe(0);
    expect(deleted.flat()).toContain('Deployment albridge-system albridge');
    expect(deleted.flat()).not.toContain(LEASE[0]);
  });

  it('leaves that to the deletion of its namespace', async () => {
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'albridge-system' },
    };
    const { deleted } = await undeployApplied([...APPLIED, namespace]);
    expect(deleted.at(-1)).toContain('Namespace albridge-system');
  });

  it('finishes where a kind is not served, of which the cluster can have nothing', async () => {
    const { code, output, deleted } = await undeployWithoutMonitors(`echo '${SERVED}'`);
    expect(code, output).toBe(0);
    expect(output).toMatch(/nothing of albridge is left in the cluster\n$/);
    expect(deleted.at(-1)).toEqual(['CustomResourceDefinition myingresses.demo.rtfm.co.ua']);
  });

  const NO_MATCHES = 'no matches for kind "PodMonitor" in version "monitoring.coreos.com/v1"';

  it.each([
    [
      'is served in another version',
      `echo '${SERVED}\npodmonitors  monitoring.coreos.com/v2  true  PodMonitor'`,
      NO_MATCHES,
    ],
    [
      'may be served, in a list that could not be read',
      `echo '${SERVED}'; echo 'error: unable to retrieve the complete list of server APIs' >&2; exit 1`,
      'unable to retrieve the complete list of server APIs',
    ],
  ])('leaves the CRDs where a kind %s', async (_, apiResources, says) => {
    const { code, output, deleted } = await undeployWithoutMonitors(apiResources);
    expect(code, output).toBe(1);
    expect(output).toContain(says);
    expect(deleted.flat()).not.toContain('CustomResourceDefinition myingresses.demo.rtfm.co.ua');
  });

  it('finishes where its output is not read to the end', async () => {
    const applied = await place.apply([...APPLIED, DEFINITION], { objects: [WEB] });
    const program = await place.start(['--kustomization', applied]);
    program.closeOutput();
    expect({ code: await program.exited, output: program.output }).toEqual({ code: 0, output: '' });
    await program.discard();
    expect((await place.deleted()).at(-1)).toEqual([
      'CustomResourceDefinition myingresses.demo.rtfm.co.ua',
    ]);
  });

  it('escapes what objects say', async () => {
    const message = '\u001b[2Jgone\nundeploy: nothing of albridge is left';
    const conditions = [{ type: 'Stalled', reason: 'DeletionBlocked', message }];
    const objects = [{ ...WEB, status: { conditions, alb: { arn: 'arn\u001b[1m' } } }];
    const { output } = await place.undeployApplied(APPLIED, { objects }, ['--retain']);
    expect(output).toContain(
      'MyIngress web/shop: DeletionBlocked: \\u001b[2Jgone\\u000aundeploy: nothing of albridge is left\n',
    );
    expect(output).toContain('web/shop leaves behind arn\\u001b[1m\n');
  });

  it('ends at once where kubectl is not there', async () => {
    const { code, output } = await place.undeploy([], '/nowhere/kubectl');
    expect(code).toBe(1);
    expect(output).toMatch(
      /^undeploy: kubectl kustomize deploy: spawn .* ENOENT; install kubectl, /,
    );
  });

  it('ends a kubectl that does not answer', async () => {
    await place.replaceKubectl(KUBECTL.replace('  get)\n', '  get) sleep 5\n'));
    const { code, output, deleted } = await undeployApplied(APPLIED, ['--timeout', '1']);
    expect({ code, deleted }).toEqual({ code: 1, deleted: [] });
    expect(output).toMatch(
      /^undeploy: kubectl .*: it did not end within --timeout; check the login and the network, or give it more seconds\n$/,
    );
  });

  it.each([
    { what: 'something else', manifests: [CONFIG_MAP] },
    { what: 'a Deployment of others', manifests: [CONFIG_MAP, ROLE, OTHER_DEPLOYMENT] },
    { what: 'a Deployment without rights', manifests: [CONFIG_MAP, DEPLOYMENT] },
    { what: 'rights of others alone', manifests: [ROLE, DEPLOYMENT] },
  ])('refuses a directory that has $what, and deletes nothing', async ({ manifests }) => {
    expect(await undeployApplied(manifests)).toEqual({
      code: 1,
      output:
        "undeploy: APPLIED does not have albridge's Deployment and its rights, so nothing was deleted; " +
        'name the directory of the installation: deploy, or such as deploy/overlays/irsa\n',
      deleted: [],
    });
  });

  it('leads from a directory of CRDs alone to kubectl', async () => {
    const { code, output, deleted } = await undeployApplied([DEFINITION, CONFIG_MAP]);
    expect({ code, deleted }).toEqual({ code: 1, deleted: [] });
    expect(output).toBe(
      'undeploy: APPLIED has CRDs and no operator, so nothing was deleted; ' +
        'once kubectl get albridge -A lists nothing, run kubectl delete -k APPLIED\n',
    );
  });

  it('asks for kubectl where another program refuses what it is asked', async () => {
    const other = join(place.directory, 'other');
    await writeFile(other, '#!/bin/sh\necho "other: no such command: $1" >&2; exit 1\n');
    await chmod(other, 0o755);
    expect((await place.undeploy([], other)).output).toBe(
      'undeploy: kubectl kustomize deploy: other: no such command: kustomize; if that is not kubectl, set KUBECTL to the path of kubectl\n',
    );
  });

  it('refuses a directory without the kind of an object that needs the operator', async () => {
    const { code, output, deleted } = await undeployApplied([
      DEPLOYMENT,
      OTHER_ROLE,
      OTHER_BINDING,
    ]);
    expect({ code, deleted }).toEqual({ code: 1, deleted: [] });
    expect(output).toMatch(
      /^undeploy: APPLIED has no rights on the kinds of 1 .*, so nothing was deleted:\n {2}MyIngress web\/shop\nName the directory /,
    );
  });

  it('leaves an object of such a kind alone that nothing was made for', async () => {
    const plain = { ...WEB, metadata: { name: 'shop', namespace: 'web' } };
    const manifests = [DEPLOYMENT, OTHER_ROLE, OTHER_BINDING];
    const { code, output, deleted } = await place.undeployApplied(manifests, { objects: [plain] });
    expect(code, output).toBe(0);
    expect(deleted.flat().join()).not.toContain('MyIngress');
  });

  it.each([
    ['/bin/echo', `kubectl kustomize deploy: it printed no manifests${OR_DIRECTORY}`],
    ['/bin/true', `kubectl kustomize deploy: it printed no manifests${OR_DIRECTORY}`],
    ['/bin/false', 'kubectl kustomize deploy: it failed and said nothing'],
  ])('asks for kubectl where KUBECTL is %s', async (kubectl, says) => {
    expect(await place.undeploy([], kubectl)).toEqual({
      code: 1,
      output: `undeploy: ${says}${says.endsWith('or ') ? '' : '; '}set KUBECTL to the path of kubectl\n`,
      deleted: [],
    });
  });

  it('refuses the directory of an installation that is not in the cluster', async () => {
    const plain = { ...WEB, metadata: { name: 'plain', namespace: 'web' } };
    const cluster = { objects: [plain], deployment: 'none' } as const;
    expect(await place.undeployApplied(APPLIED, cluster)).toEqual({
      code: 1,
      output:
        'undeploy: the Deployment albridge-system/albridge of APPLIED is not in the cluster, so nothing was deleted:\n' +
        '  MyIngress web/plain\n' +
        'Name the directory of the installation: deploy, or such as deploy/overlays/irsa. ' +
        'If it is this one, apply it again first.\n',
      deleted: [],
    });
  });

  it('takes an operator whose kustomization has other names', async () => {
    const renamed = { ...DEPLOYMENT, metadata: { ...DEPLOYMENT.metadata, name: 'prod-albridge' } };
    const { code, output } = await undeployApplied([ROLE, BINDING, renamed]);
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
    const { code, output } = await undeployWithList('no JSON');
    expect(code).toBe(1);
    expect(output).toMatch(/^undeploy: kubectl get .*: it printed no list; set KUBECTL to /);
  });

  it.each([
    ['--kustomization=', '--kustomization takes a directory, not an empty text'],
    ['--timeout=99999999999999', '--timeout takes a whole number of seconds from 1 to 86400'],
  ])('refuses %s', async (flag, says) => {
    expect(await place.undeploy([flag])).toEqual({
      code: 2,
      output: `undeploy: ${says}; run with --help for usage\n`,
      deleted: [],
    });
  });
});
