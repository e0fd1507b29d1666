import { stringify } from 'yaml';
import { KIND_NAMES } from '../../src/apis/kind-names.ts';
import { describeGuardrails } from './guardrail-values.ts';
import { describePods, VARIABLES } from './pod-values.ts';
import {
  annotations,
  closed,
  demand,
  labels,
  open,
  type Schema,
  toggle,
  whenTrue,
} from './schema.ts';
import { describeSettings } from './setting-values.ts';

/** The values of the Helm chart: values.schema.json, and values.yaml with its defaults and descriptions. */

/** The head of both files. */
const HEAD =
  'Written by deploy/helm/main.ts; run `npm run gen` after a change of deploy/helm/values.ts.';

const REGION = '^[a-z]{2,4}(-[a-z]+)+-[0-9]+$';

/** Each kind has its CRD, its rights and its policies. */
const KINDS: Schema = {
  ...closed(
    'Kinds to serve. Before a kind is switched off its objects must be deleted: docs/install.md, "Fewer kinds".',
    Object.fromEntries(
      KIND_NAMES.map((name) => [name, toggle(`Whether ${name} is installed and served.`, true)]),
    ),
  ),
  ...demand(whenTrue('configmap-annotation'), whenTrue('configmonitor')),
};

/** A registry, with a port or without, and a path: neither tag nor digest. Empty is refused by its length. */
const REPOSITORY =
  '^(((\\[[0-9A-Fa-f:]+\\]|[A-Za-z0-9][A-Za-z0-9._-]*)(:[0-9]+)?/)?[a-z0-9][a-z0-9._-]*(/[a-z0-9][a-z0-9._-]*)*)?$';

const IMAGE = closed('Image of the operator: docs/install.md builds it.', {
  repository: {
    description:
      'Where the image is, without tag and digest, which have keys of their own. Required.',
    type: 'string',
    minLength: 1,
    pattern: REPOSITORY,
  },
  tag: {
    description: "Tag; empty: the chart's appVersion.",
    type: 'string',
    pattern: '^([A-Za-z0-9_][A-Za-z0-9._-]{0,127})?$',
    default: '',
  },
  digest: {
    description: 'sha256:... of the image, in place of the tag.',
    type: 'string',
    pattern: '^(sha256:[0-9a-f]{64})?$',
    default: '',
  },
  pullPolicy: {
    description: 'When the image is pulled.',
    type: 'string',
    enum: ['Always', 'IfNotPresent', 'Never'],
    default: 'IfNotPresent',
  },
});

function describeValues(settingNames: readonly string[]): Readonly<Record<string, Schema>> {
  return {
    region: {
      description: 'AWS region of the load balancers. Required, unless kinds.myingress is false.',
      type: 'string',
      pattern: REGION,
    },
    image: IMAGE,
    kinds: KINDS,
    settings: describeSettings(settingNames),
    env: VARIABLES,
    serviceAccount: closed('The ServiceAccount albridge; policies name it, so its name is fixed.', {
      annotations: annotations('Annotations, such as eks.amazonaws.com/role-arn.'),
    }),
    singleNamespace: toggle(
      'Serve only the namespace of the release, with no right outside of it; needs settings.ALBRIDGE_CLUSTER_ID.',
      false,
    ),
    ...describeParts(),
    ...describeComponents(),
    ...describePods(),
  };
}

function describeParts(): Readonly<Record<string, Schema>> {
  return {
    crds: closed('CustomResourceDefinitions; `helm upgrade` and `helm rollback` replace them.', {
      enabled: toggle('Whether the release has the CRDs of its kinds.', true),
      keep: toggle(
        'Whether `helm uninstall` leaves the CRDs, and so every object, in the cluster.',
        true,
      ),
    }),
    policies: closed('ValidatingAdmissionPolicies that limit what the operator may write.', {
      enabled: toggle(
        'Off only if an administrator has installed them: values/cluster.yaml.',
        true,
      ),
    }),
    operator: closed('The Deployment with its rights.', {
      enabled: toggle(
        'Off installs CRDs and policies alone, for operators of one namespace.',
        true,
      ),
    }),
  };
}

/** Values that are off by default. */
function describeComponents(): Readonly<Record<string, Schema>> {
  return {
    readinessGates: closed('Readiness gates: docs/zero-downtime.md. Kubernetes 1.36 or later.', {
      enabled: toggle('Whether pods of labelled namespaces get a readiness gate.', false),
    }),
    secrets: closed('Secrets as sources of ConfigMonitors: docs/configmonitor.md.', {
      enabled: toggle('Whether all Secrets of the served namespaces may be read.', false),
    }),
    guardrails: describeGuardrails(),
    metricsService: closed('A headless Service for /metrics: docs/monitoring.md.', {
      enabled: toggle('Whether the Service albridge-metrics is installed.', false),
    }),
    podMonitor: closed('Scrapes by the Prometheus operator: docs/monitoring.md.', {
      enabled: toggle('Whether the PodMonitor is installed.', false),
      labels: labels('Labels by which your Prometheus selects PodMonitors.'),
    }),
    alerts: closed('Alerts for the Prometheus operator: docs/alerts.md.', {
      enabled: toggle('Whether the PrometheusRule is installed.', false),
      labels: labels('Labels by which your Prometheus selects rules.'),
    }),
    userRoles: closed('Rights of users on our kinds.', {
      enabled: toggle('Whether the roles view, edit and admin of Kubernetes include them.', false),
    }),
  };
}

const HAS_TEXT = { pattern: '\\S' };

/** The operator cannot read the UID of kube-system there. */
const CLUSTER_ID: Schema = {
  required: ['ALBRIDGE_CLUSTER_ID'],
  properties: { ALBRIDGE_CLUSTER_ID: HAS_TEXT },
};

/** As src/config/config.ts has it. */
const OF_NAMESPACES: Readonly<Record<string, Schema>> = {
  kinds: whenTrue('myingress'),
  singleNamespace: { const: false },
  settings: { required: ['ALBRIDGE_NAMESPACES'], properties: { ALBRIDGE_NAMESPACES: HAS_TEXT } },
};

/** Of an operator with these values, unless `env` has it. */
function demandClusterId(values: Readonly<Record<string, Schema>>): Schema {
  const env = { not: { required: ['ALBRIDGE_CLUSTER_ID'] } };
  return demand(
    { properties: { ...values, operator: whenTrue('enabled'), env } },
    { properties: { settings: CLUSTER_ID } },
  );
}

/** Helm or a parent chart sets them, and the templates do not read them. */
const OF_PARENTS: Readonly<Record<string, Schema>> = {
  global: open('Values of a parent chart.'),
  enabled: { description: 'Condition of a parent chart.', type: 'boolean' },
};

/** The text of values.schema.json. */
export function renderSchema(settingNames: readonly string[]): string {
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Values of the albridge chart',
    ...closed('', { ...describeValues(settingNames), ...OF_PARENTS }),
    description: HEAD,
    // Without an operator there is nothing to run and no AWS to reach.
    allOf: [
      demand(
        { properties: { operator: whenTrue('enabled') } },
        {
          properties: { image: { required: ['repository'] } },
          ...demand({ properties: { kinds: whenTrue('myingress') } }, { required: ['region'] }),
        },
      ),
      demandClusterId({ singleNamespace: { const: true } }),
      demandClusterId(OF_NAMESPACES),
    ],
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** The text of values.yaml: every key with its description and default, or as a comment where it has none. */
export function renderValues(settingNames: readonly string[]): string {
  return `# ${HEAD}\n${renderProperties(describeValues(settingNames), '', '\n')}`;
}

function renderProperties(
  properties: Readonly<Record<string, Schema>>,
  indent: string,
  gap: string,
): string {
  return Object.entries(properties)
    .map(([name, schema]) => gap + renderComment(schema, indent) + renderOne(name, schema, indent))
    .join('');
}

/** In lines of 110 characters at most. */
function renderComment({ description = '' }: Schema, indent: string): string {
  const pattern = new RegExp(`(.{1,${108 - indent.length}})(?:\\s+|$)`, 'g');
  return description.replaceAll(pattern, (_, line: string) => `${indent}# ${line}\n`);
}

function renderOne(name: string, schema: Schema, indent: string): string {
  if (schema.properties !== undefined) {
    const hasDefault = Object.values(schema.properties).some((one) => one.default !== undefined);
    const head = hasDefault ? `${indent}${name}:\n` : `${indent}${name}: {}\n`;
    return head + renderProperties(schema.properties, `${indent}  `, '');
  }
  if (schema.default === undefined) return `${indent}# ${name}:\n`;
  return stringify({ [name]: schema.default }).replaceAll(/^(?=.)/gm, indent);
}
