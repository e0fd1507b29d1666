import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Program } from '../../surroundings/program.ts';

/** `npm run undeploy` with a kubectl that keeps objects in files and notes what it was to delete. */

const CRDS = resolve(import.meta.dirname, '../../../crds');

/** Objects are in a file for each kind and namespace; those in `after` take their place when a custom resource is deleted. */
export const KUBECTL = `#!/bin/sh
list() { cat "$FAKE/objects/$1" 2> /dev/null || echo '{"items":[]}'; }
case "$1" in
  kustomize)
    test "$2" != ${CRDS} && exec cat "$2/manifests.json"
    for file in ${CRDS}/*/crd.yaml; do echo ---; cat "$file"; done ;;
  api-resources) printf '%s\\n' myingresses.demo.rtfm.co.ua webapps.apps.example.com configmonitors.magalix.com ;;
  get)
    case "$2" in
      deployment | configmap) cat "$FAKE/$2.json" 2> /dev/null || true ;;
      deployments.apps) list Deployment ;;
      myingresses.*) if [ "$3" = --namespace ]; then list "MyIngress-$4"; else list MyIngress; fi ;;
      configmonitors.*) if [ "$3" = --namespace ]; then list "ConfigMonitor-$4"; else list ConfigMonitor; fi ;;
      webapps.*) if [ "$3" = --namespace ]; then list "WebApp-$4"; else list WebApp; fi ;;
    esac ;;
  delete)
    input=$(cat)
    printf '%s\\n' "$input" >> "$FAKE/deleted"
    case "$input" in *'"kind":"ConfigMonitor"'*) rm "$FAKE"/objects/ConfigMonitor* ;; esac
    case "$input" in *'"kind":"MyIngress"'* | *'"kind":"WebApp"'*)
      rm -r "$FAKE/objects"; cp -r "$FAKE/after" "$FAKE/objects" ;; esac
    case "$input" in *'"kind":"Deployment"'*) cp "$FAKE"/late/* "$FAKE/objects" 2> /dev/null || true ;; esac ;;
esac
`;

export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

export interface Cluster {
  readonly objects: readonly Resource[];
  /** What is left once the custom resources are deleted. */
  readonly after?: readonly Resource[];
  /** Created just before the operator is deleted. */
  readonly late?: readonly Resource[];
  /** The Deployment in the cluster, if it is not the one of the directory. */
  readonly deployment?: object | 'none';
  readonly configMap?: object;
}

export interface Ended {
  readonly code: number | string;
  readonly output: string;
  /** Each call of kubectl delete: kinds and names. */
  readonly deleted: readonly (readonly string[])[];
}

export const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: {
    name: 'albridge',
    namespace: 'albridge-system',
    labels: { 'app.kubernetes.io/name': 'albridge' },
  },
  spec: { template: { spec: { serviceAccountName: 'albridge', containers: [{}] } } },
};

export const ROLE = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRole',
  metadata: { name: 'albridge-myingress' },
  rules: [{ apiGroups: ['demo.rtfm.co.ua'], resources: ['myingresses'] }],
};

export const BINDING = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'albridge-myingress' },
  roleRef: { kind: 'ClusterRole', name: 'albridge-myingress' },
  subjects: [{ kind: 'ServiceAccount', name: 'albridge', namespace: 'albridge-system' }],
};

export const APPLIED = [ROLE, BINDING, DEPLOYMENT];

export const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } };

export const OTHER_DEPLOYMENT = {
  ...DEPLOYMENT,
  metadata: { name: 'shop', namespace: 'web' },
};

export const OTHER_ROLE = {
  ...ROLE,
  metadata: { name: 'albridge-webapp' },
  rules: [{ apiGroups: ['apps.example.com'], resources: ['webapps'] }],
};

export const MONITOR_ROLE = {
  ...ROLE,
  rules: [...ROLE.rules, { apiGroups: ['magalix.com'], resources: ['configmonitors'] }],
};

export const OTHER_BINDING = {
  ...BINDING,
  metadata: { name: 'albridge-webapp' },
  roleRef: { kind: 'ClusterRole', name: 'albridge-webapp' },
};

export const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'myingresses.demo.rtfm.co.ua' },
};

export const WEB = {
  apiVersion: 'demo.rtfm.co.ua/v1alpha1',
  kind: 'MyIngress',
  metadata: { name: 'shop', namespace: 'web', finalizers: ['albridge.io/load-balancer'] },
};

export const THEIRS = {
  ...WEB,
  metadata: { ...WEB.metadata, name: 'theirs', namespace: 'otherteam' },
};

/** The operator creates it again as long as it runs. */
export const ANNOTATED = {
  apiVersion: 'magalix.com/v1',
  kind: 'ConfigMonitor',
  metadata: {
    name: 'settings-annotated',
    namespace: 'web',
    labels: { 'app.kubernetes.io/managed-by': 'albridge' },
    ownerReferences: [
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings', uid: '1', controller: true },
    ],
  },
};

export class UndeployPlace {
  readonly directory: string;

  private constructor(directory: string) {
    this.directory = directory;
  }

  static async make(): Promise<UndeployPlace> {
    const place = new UndeployPlace(await mkdtemp(join(tmpdir(), 'albridge-undeploy-')));
    await mkdir(join(place.directory, 'applied'));
    await place.replaceKubectl(KUBECTL);
    return place;
  }

  get kubectl(): string {
    return join(this.directory, 'kubectl');
  }

  async replaceKubectl(text: string): Promise<void> {
    await writeFile(this.kubectl, text);
    await chmod(this.kubectl, 0o755);
  }

  /** Undeploys a directory that has these manifests. */
  async undeployApplied(
    manifests: readonly Resource[],
    cluster: Cluster,
    args: readonly string[] = [],
  ): Promise<Ended> {
    const applied = await this.apply(manifests, cluster);
    const { output, ...rest } = await this.undeploy([
      ...['--kustomization', applied, '--timeout', '20'],
      ...args,
    ]);
    return { ...rest, output: output.replaceAll(applied, 'APPLIED') };
  }

  async apply(
    manifests: readonly Resource[],
    { objects, after = [], late = [], deployment, configMap }: Cluster,
  ): Promise<string> {
    const applied = join(this.directory, 'applied');
    const text = manifests.map((one) => JSON.stringify(one)).join('\n---\n');
    await writeFile(join(applied, 'manifests.json'), text);
    await this.#writeObjects('objects', objects);
    await this.#writeObjects('after', after);
    await this.#writeObjects('late', late);
    const running = deployment ?? manifests.find(({ kind }) => kind === 'Deployment') ?? 'none';
    if (running !== 'none') await this.#write('deployment.json', running);
    if (configMap !== undefined) await this.#write('configmap.json', configMap);
    return applied;
  }

  async undeploy(args: readonly string[], kubectl = this.kubectl): Promise<Ended> {
    const program = await this.start(args, kubectl);
    const code = await program.exited;
    await program.discard();
    return { code, output: program.output, deleted: await this.deleted() };
  }

  start(args: readonly string[], kubectl = this.kubectl): Promise<Program> {
    const environment = { KUBECTL: kubectl, FAKE: this.directory };
    return Program.start('deploy/undeploy.ts', args, environment);
  }

  async deleted(): Promise<readonly (readonly string[])[]> {
    const text = await readFile(join(this.directory, 'deleted'), 'utf8').catch(() => '');
    const lists = text.split('\n').filter((line) => line !== '');
    return lists.map((line) => {
      const { items } = JSON.parse(line) as { readonly items: readonly Resource[] };
      return items.map(({ kind, metadata: { namespace, name } }) =>
        [kind, namespace, name].filter((part) => part !== undefined).join(' '),
      );
    });
  }

  remove(): Promise<void> {
    return rm(this.directory, { recursive: true, force: true });
  }

  async #writeObjects(folder: string, objects: readonly Resource[]): Promise<void> {
    await mkdir(join(this.directory, folder));
    const names = objects.flatMap(({ kind, metadata }) => [kind, `${kind}-${metadata.namespace}`]);
    for (const name of new Set(names)) {
      const items = objects.filter(
        ({ kind, metadata }) => name === kind || name === `${kind}-${metadata.namespace}`,
      );
      await this.#write(`${folder}/${name}`, { items });
    }
  }

  #write(name: string, content: object): Promise<void> {
    return writeFile(join(this.directory, name), JSON.stringify(content));
  }
}
