import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { KIND_NAMES } from '../../src/apis/kind-names.ts';
import { addLabels, DEPLOYMENT, type Edit, KEEP, PARAMETERS, SERVICE_ACCOUNT } from './edits.ts';

/**
 * The templates of the Helm chart, written from the files that kustomize renders: the same text, with a
 * condition around it and values in place of what an overlay patches. Only settings.yaml, refusals.yaml and NOTES.txt
 * in deploy/chart/templates are written by hand.
 */

const ROOT = resolve(import.meta.dirname, '../..');
const HEAD = '{{- /* Written by deploy/helm/main.ts; run `npm run gen` after a change of';

interface Source {
  /** From the root of the repository. */
  readonly path: string;
  /** In deploy/chart/templates. */
  readonly template: string;
  /** When it is rendered: an expression of a Helm template. */
  readonly when: string;
  readonly edits?: readonly Edit[];
}

const OPERATOR = '.Values.operator.enabled';
const POLICIES = '.Values.policies.enabled';
const CLUSTER_WIDE = '(not .Values.singleNamespace)';
const GATES = '.Values.readinessGates.enabled';
const SECRETS = '.Values.secrets.enabled';
const GUARDRAILS = '.Values.guardrails.enabled';

/** An installation without these rights is possible: a namespaced one has none outside of its namespace. */
const CLUSTER_ALONE = ['cluster-id.yaml', 'namespaces.yaml', 'nodes.yaml'];

/** The text of each generated template, by its name in deploy/chart/templates. */
export async function renderTemplates(): Promise<ReadonlyMap<string, string>> {
  const sources = [...operatorSources(), ...(await kindSources()), ...componentSources()];
  const texts = sources.map(async (source) => [source.template, await render(source)] as const);
  return new Map(await Promise.all(texts));
}

function operatorSources(): readonly Source[] {
  const names = [
    'cluster-role',
    'cluster-role-binding',
    'role',
    'role-binding',
    'network-policy',
    'pod-disruption-budget',
  ];
  const base = (name: string): Source => ({
    path: `deploy/base/${name}.yaml`,
    template: `operator/${name}.yaml`,
    when: OPERATOR,
  });
  return [
    ...names.map(base),
    { ...base('service-account'), edits: SERVICE_ACCOUNT },
    { ...base('deployment'), edits: DEPLOYMENT },
  ];
}

async function kindSources(): Promise<readonly Source[]> {
  return (await Promise.all(KIND_NAMES.map(sourcesOfKind))).flat();
}

/** The files that the component of a kind names: its CRD, its rights and its policies. */
async function sourcesOfKind(kind: string): Promise<readonly Source[]> {
  const directory = join('deploy/components', kind);
  const { resources } = parse(
    await readFile(resolve(ROOT, directory, 'kustomization.yaml'), 'utf8'),
  ) as { readonly resources: readonly string[] };
  const isOn = `(index .Values.kinds "${kind}")`;
  return resources.map((resource): Source => {
    if (resource.includes('/crds/')) return definition(join(directory, resource), kind, isOn);
    const conditions = [resource.includes('policy') ? POLICIES : OPERATOR, isOn];
    if (CLUSTER_ALONE.includes(resource)) conditions.push(CLUSTER_WIDE);
    return {
      path: join(directory, resource),
      template: `${kind}/${resource}`,
      when: `and ${conditions.join(' ')}`,
    };
  });
}

function definition(directory: string, kind: string, isOn: string): Source {
  return {
    path: join(directory, 'crd.yaml'),
    template: `${kind}/crd.yaml`,
    when: `and .Values.crds.enabled ${isOn}`,
    edits: [
      {
        from: /^metadata:\n/m,
        to: `metadata:\n  {{- if .Values.crds.keep }}\n  annotations:\n${KEEP}  {{- end }}\n`,
      },
    ],
  };
}

function componentSources(): readonly Source[] {
  const component = (path: string, when: string, edits: readonly Edit[] = []): Source => ({
    path: `deploy/components/${path}`,
    template: path.replace('operator/policy', 'operator-policy'),
    when,
    edits,
  });
  return [
    component('readiness-gates/rights.yaml', `and ${OPERATOR} ${GATES}`),
    component('readiness-gates/policy.yaml', `and ${POLICIES} ${GATES}`),
    // What an administrator installs for others limits rights that nobody has yet.
    component(
      'readiness-gates/operator/policy.yaml',
      `and ${POLICIES} (or ${GATES} (not ${OPERATOR}))`,
    ),
    component('secrets/rights.yaml', `and ${OPERATOR} ${SECRETS}`),
    component('secrets/operator/policy.yaml', `and ${POLICIES} (or ${SECRETS} (not ${OPERATOR}))`),
    component('guardrails/policy.yaml', GUARDRAILS),
    component('guardrails/parameters.yaml', GUARDRAILS, PARAMETERS),
    component('user-roles/roles.yaml', `and .Values.userRoles.enabled ${CLUSTER_WIDE}`),
    component('metrics-service/service.yaml', `and ${OPERATOR} .Values.metricsService.enabled`),
    component('pod-monitor/pod-monitor.yaml', `and ${OPERATOR} .Values.podMonitor.enabled`, [
      addLabels('podMonitor'),
    ]),
    component('alerts/rule.yaml', `and ${OPERATOR} .Values.alerts.enabled`, [addLabels('alerts')]),
  ];
}

async function render({ path, template, when, edits = [] }: Source): Promise<string> {
  const source = await readFile(resolve(ROOT, path), 'utf8');
  // Helm would read the templates of Prometheus as its own.
  const text = source.replaceAll('{{', '{{ "{{" }}');
  const edited = edits.reduce((current, edit) => apply(edit, current, path), text);
  const placed = placeInNamespace(
    template.endsWith('deployment.yaml') ? writeVariables(edited) : edited,
  );
  return `${HEAD} ${path} */}}\n{{- if ${when} }}\n${placed.head}${placed.text.replace(/^---\n/, '').trimEnd()}\n{{- end }}\n`;
}

function apply({ from, to }: Edit, text: string, path: string): string {
  if (text.split(from).length !== 2) {
    throw new Error(
      `${path} must have this once, or deploy/helm/templates.ts must change: ${from}`,
    );
  }
  return text.replace(from, () => to);
}

/** Ports have names in lower case. */
const VARIABLE = /^ {12}- name: ([A-Z0-9_]+)\n(?: {14}.*\n)+/gm;
const FROM_SETTINGS =
  /^ {14}valueFrom:\n {16}configMapKeyRef: \{ name: albridge-settings, key: \w+, optional: true \}\n$/;

/**
 * Every variable that `env` of the values has replaces the one of that name, if refusals.yaml lets it. What comes from
 * the ConfigMap is one list of names.
 */
function writeVariables(text: string): string {
  const names: string[] = [];
  const kept = text.replace(VARIABLE, (entry, name: string) => {
    const source = entry.slice(entry.indexOf('\n') + 1);
    if (!FROM_SETTINGS.test(source)) {
      return `            {{- if not (hasKey .Values.env "${name}") }}\n${entry}            {{- end }}\n`;
    }
    names.push(name);
    return names.length === 1 ? '@settings@' : '';
  });
  return kept.replace('@settings@', () => variablesFromSettings(names));
}

function switchOn(name: string, when: string): string {
  return `            {{- if ${when} }}
            - name: ${name}
              value: "on"
            {{- end }}
`;
}

function variablesFromSettings(names: readonly string[]): string {
  return `            {{- range $name, $value := .Values.env }}
            - name: {{ $name | quote }}
              {{- if kindIs "map" $value }}
              {{- toYaml $value | nindent 14 }}
              {{- else }}
              value: {{ $value | quote }}
              {{- end }}
            {{- end }}
${switchOn('ALBRIDGE_READINESS_GATES', GATES)}${switchOn('ALBRIDGE_SECRETS', SECRETS)}            {{- range $name := list${names.map((name) => `\n              "${name}"`).join('')}
            }}
            {{- if not (hasKey $.Values.env $name) }}
            - name: {{ $name }}
              valueFrom:
                {{- if and $.Values.singleNamespace (eq $name "ALBRIDGE_NAMESPACES") }}
                fieldRef:
                  fieldPath: metadata.namespace
                {{- else }}
                configMapKeyRef: { name: albridge-settings, key: {{ $name }}, optional: true }
                {{- end }}
            {{- end }}
            {{- end }}
`;
}

/** Quoted: a namespace may be called 123 or no. */
const NAMESPACE = 'namespace: {{ .Release.Namespace | quote }}';

/** With `singleNamespace` a ClusterRole is a Role with the same rules, as in deploy/overlays/namespaced. */
function placeInNamespace(text: string): { readonly head: string; readonly text: string } {
  const placed = text.replaceAll('namespace: albridge-system', NAMESPACE);
  const isOfUsers = text.includes('rbac.authorization.k8s.io/aggregate-to');
  if (isOfUsers || !/^kind: ClusterRole/m.test(placed)) return { head: '', text: placed };
  return {
    head: '{{- $cluster := ternary "" "Cluster" .Values.singleNamespace }}\n',
    text: placed
      .replaceAll(
        /^kind: Cluster(Role|RoleBinding)\nmetadata:\n(.*\n)/gm,
        (_, kind: string, name: string) => `kind: {{ $cluster }}${kind}
metadata:
${name}  {{- if .Values.singleNamespace }}
  ${NAMESPACE}
  {{- end }}
`,
      )
      .replaceAll(/^ {2}kind: ClusterRole$/gm, '  kind: {{ $cluster }}Role'),
  };
}

/** Names of the templates that are there; main.ts removes those that are generated no more. */
export async function listTemplates(directory: string): Promise<readonly string[]> {
  const names = await readdir(directory, { recursive: true });
  return names.filter((name) => name.includes('/')).toSorted();
}
