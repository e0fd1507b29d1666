import { type Setting, settings } from '../../src/config/settings.ts';
import type { Parser } from '../../src/config/values.ts';
import { closed, type Schema } from './schema.ts';

/** The values of the chart that become keys of the ConfigMap albridge-settings. */

/** Settings with a value of their own, and those that cannot be set by a ConfigMap. */
const OWN_VALUES = ['AWS_REGION', 'AWS_DEFAULT_REGION', 'ALBRIDGE_KINDS'];

/** `names`: the keys of albridge-settings that the Deployment reads. */
export function describeSettings(names: readonly string[]): Schema {
  const table = Object.values<Setting>(settings);
  const rows = names
    .filter((name) => !OWN_VALUES.includes(name))
    .map((name): readonly [string, Schema] => {
      const row = table.find((one) => one.name === name);
      if (row === undefined) return [name, describeForSdk(name)];
      const otherwise = row.default ?? row.otherwise;
      return [
        name,
        {
          description: `${capitalise(row.what)}. Accepts ${row.accepts}. Not set: ${otherwise}.`,
          ...describeValue(row.parse),
          ...IN_PODS[name],
        },
      ];
    });
  return closed(
    'Settings of the operator, in the ConfigMap albridge-settings: docs/configuration.md.',
    Object.fromEntries(rows),
  );
}

/**
 * Narrower than in docs/configuration.md: the manifests have these ports, at the address of the pod, the image has no
 * pino-pretty, and during a rollout two pods run, also of one replica: without an election both would be active.
 */
const IN_PODS: Readonly<Record<string, Schema>> = {
  ALBRIDGE_METRICS_ADDRESS: {
    description: 'Where /metrics is served, or off. Accepts :8080 or off. Not set: :8080.',
    pattern: '^\\s*(off|(0\\.0\\.0\\.0|\\[::\\])?:8080)?\\s*$',
  },
  ALBRIDGE_HEALTH_ADDRESS: {
    description: 'Where /healthz and /readyz are served. Accepts :8081. Not set: :8081.',
    pattern: '^\\s*((0\\.0\\.0\\.0|\\[::\\])?:8081)?\\s*$',
  },
  ALBRIDGE_LEADER_ELECTION: {
    description:
      'Whether replicas elect the active one by a Lease. Accepts on. Not set: on, and off in mode observe.',
    pattern: '^\\s*(on|true)?\\s*$',
    not: { const: false },
  },
  LOG_FORMAT: {
    description: 'Form of the log lines. Accepts json. Not set: json.',
    pattern: '^\\s*(json)?\\s*$',
  },
};

/**
 * A text, and nothing that YAML reads otherwise, where it is one: Helm gives 123456789012 as 1.23456789012e+11,
 * 0123 as 83 and off as false.
 */
function describeValue({ pattern, json }: Parser<unknown>): Schema {
  return {
    ...json,
    type: json ? ['string', json.type] : 'string',
    // Blanks around a value do not matter, and an empty one counts as not set.
    ...(pattern && { pattern: `^\\s*$|${allowBlanks(pattern)}` }),
  };
}

function allowBlanks(pattern: string): string {
  return pattern.replace(/^\^/, '^\\s*').replace(/\$$/, '\\s*$$');
}

/** A variable that the AWS SDK reads. Throws for one that is not known here. */
function describeForSdk(name: string): Schema {
  if (name === 'AWS_EC2_METADATA_DISABLED') return METADATA;
  throw new Error(`${name} is not a setting: add it to src/config/settings.ts`);
}

const METADATA: Schema = {
  description:
    'Without a role of its own the operator has no rights at all, rather than those of its node.',
  type: ['string', 'boolean'],
  pattern: '^(true|false)$',
  default: 'true',
};

function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
