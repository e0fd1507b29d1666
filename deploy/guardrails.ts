import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stringify } from 'yaml';
import {
  inOne,
  LISTS,
  type ListName,
  listVariables,
  malformedWords,
  SPEC,
  sourcesOf,
  TENANT,
  unnamedOf,
  wordsOf,
} from './guardrail-lists.ts';
import { ANNOTATED, NAMESPACES } from './guardrail-marks.ts';
import {
  IS_NEW,
  IS_WELL_FORMED,
  needsEntry,
  needsRight,
  PARAMETERS,
  type Policy,
} from './guardrail-rules.ts';

/**
 * `npm run gen`: deploy/components/guardrails/policy.yaml. What a namespace may name comes from one
 * ConfigMap, which nobody but the platform team can write; who may do what affects others is a right.
 *
 * - A rule judges what a write adds. A value that the object had before passes, so a limit that is
 *   tightened later locks no object, and an edit of metadata or status is not judged at all.
 * - Where the parameters are missing or malformed, a new value is refused.
 * https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */

const CHANGES_SPEC = `${IS_NEW} || object.?spec != oldObject.?spec`;

const BEFORE = `${IS_NEW} ? dyn({}) : dyn(oldObject).?spec.orValue(dyn({}))`;

const NEW = 'variables.spec';
const OLD = 'variables.before';

function refusedIn(field: string, list: ListName): string {
  return `
    ${NEW}.?${field}.orValue([]).filter(v, !(v in ${OLD}.?${field}.orValue([])) && !(${inOne(list, 'v')}))
      .map(v, 'spec.${field} ' + v)`;
}

/** CEL: of a listener; the operator chooses by hosts, among all certificates of the account. */
const FINDS_CERTIFICATES = (listener: string): string =>
  `${listener}.?protocol.orValue('') == 'HTTPS' && !${listener}.?certificates.hasValue()`;

const MYINGRESSES: Policy = {
  name: 'myingress',
  group: 'demo.rtfm.co.ua',
  resources: ['myingresses'],
  lists: ['schemes', 'subnets', 'securityGroups', 'certificates', 'hosts', 'inbound'],
  when: CHANGES_SPEC,
  variables: {
    spec: SPEC,
    before: BEFORE,
    refusedScheme: `
      [${NEW}.?scheme.orValue('internet-facing')].filter(v,
        v != ${OLD}.?scheme.orValue('') && !(${inOne('schemes', 'v')})).map(v, 'spec.scheme ' + v)`,
    // Left out, the operator chooses by tags, among all subnets of the account.
    refusedSubnets: `
      (${refusedIn('subnets', 'subnets').trim()}) +
      (${NEW}.?subnets.hasValue() || 'discovered' in variables.subnets || '*' in variables.subnets ||
        !(${IS_NEW} || ${OLD}.?subnets.hasValue()) ? [] : ['spec.subnets left out (discovered)'])`,
    refusedGroups: refusedIn('securityGroups', 'securityGroups'),
    refusedCertificates: `
      ${NEW}.?listeners.orValue([]).map(l, l.?certificates.orValue([]).filter(v,
        !${OLD}.?listeners.orValue([]).exists(b, v in b.?certificates.orValue([])) && !(${inOne('certificates', 'v')}))
        .map(v, 'spec.listeners[' + string(l.port) + '].certificates ' + v)).filter(r, r.size() > 0).map(r, r[0]) +
      ('discovered' in variables.certificates || '*' in variables.certificates ? [] :
        ${NEW}.?listeners.orValue([]).filter(l, ${FINDS_CERTIFICATES('l')} &&
          !${OLD}.?listeners.orValue([]).exists(b, b.port == l.port && ${FINDS_CERTIFICATES('b')}))
          .map(l, 'spec.listeners[' + string(l.port) + '].certificates left out (discovered)'))`,
    refusedHosts: `
      ${NEW}.?rules.orValue([]).map(l, l.?hosts.orValue([]).filter(v,
        !${inOne('hosts', 'v')} && !${OLD}.?rules.orValue([]).exists(b, v in b.?hosts.orValue([])))
        .map(v, 'spec.rules[' + l.?name.orValue('') + '].hosts ' + v)).filter(r, r.size() > 0).map(r, r[0])`,
    unnamedBefore: unnamedOf(OLD),
    refusedUnnamed: `
      'unnamed' in variables.hosts || '*' in variables.hosts ? [] :
        (${unnamedOf(NEW)}).filter(v, !(v in variables.unnamedBefore)).map(v, v + ' (every host)')`,
    sourcesBefore: sourcesOf(OLD),
    refusedSources: `
      (${sourcesOf(NEW)}).filter(v, !(v in variables.sourcesBefore) && !(${inOne('inbound', 'v')}))
        .map(v, 'spec.inbound ' + v + (${NEW}.?inbound.hasValue() ? '' : ' (the default)'))`,
  },
  rules: [
    IS_WELL_FORMED,
    needsEntry('schemes', 'refusedScheme'),
    needsEntry('subnets', 'refusedSubnets'),
    needsEntry('securityGroups', 'refusedGroups'),
    needsEntry('certificates', 'refusedCertificates'),
    needsEntry('hosts', 'refusedHosts'),
    needsEntry('hosts', 'refusedUnnamed'),
    needsEntry('inbound', 'refusedSources'),
    needsRight(
      'spec.securityGroups',
      'securitygroups',
      `${NEW}.?securityGroups == ${OLD}.?securityGroups`,
    ),
    needsRight('spec.adopt', 'adoptions', `${NEW}.?adopt == ${OLD}.?adopt`),
    needsRight(
      'spec.deletionPolicy Retain',
      'retentions',
      `${NEW}.?deletionPolicy.orValue('') != 'Retain' || ${OLD}.?deletionPolicy.orValue('') == 'Retain'`,
    ),
    needsRight(
      'spec.allowedNamespaces',
      'openings',
      `${NEW}.?allowedNamespaces.?from.orValue('Same') == 'Same' ||
        ${NEW}.?allowedNamespaces == ${OLD}.?allowedNamespaces`,
    ),
  ],
};

/** Without hosts it would have every host; the schema requires them. */
const EXPOSED = `${NEW}.?expose.?hosts`;

const WEBAPPS: Policy = {
  name: 'webapp',
  group: 'apps.example.com',
  resources: ['webapps'],
  lists: ['hosts'],
  when: `
    dyn(object).?spec.?expose.hasValue() &&
    (${IS_NEW} || dyn(object).?spec.?expose != dyn(oldObject).?spec.?expose)`,
  variables: {
    spec: SPEC,
    before: BEFORE,
    refusedHosts: `
      ${EXPOSED}.orValue([]).filter(v, !(${inOne('hosts', 'v')}) && !(v in ${OLD}.?expose.?hosts.orValue([])))
        .map(v, 'spec.expose.hosts ' + v)`,
    refusedUnnamed: `
      ${EXPOSED}.hasValue() || 'unnamed' in variables.hosts || '*' in variables.hosts ? [] :
        ['spec.expose without hosts (every host)']`,
  },
  rules: [
    IS_WELL_FORMED,
    needsEntry('hosts', 'refusedHosts'),
    needsEntry('hosts', 'refusedUnnamed'),
  ],
};

const FIELDS = Object.keys(LISTS).join('|');

const IS_DELETE = "request.operation == 'DELETE'";

/**
 * The platform team learns of a mistake when it makes it, and not from its tenants. And without the
 * parameters every write of an object is refused, its finalizer included, before any condition of a
 * policy: so they cannot be deleted as long as there are policies.
 */
const TENANTS: Policy = {
  name: 'tenants',
  group: '',
  resources: ['configmaps'],
  matches: {
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': PARAMETERS.namespace } },
  },
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  when: `request.name == '${PARAMETERS.name}'`,
  variables: {
    entries: `${IS_DELETE} ? {} : object.?data.orValue({})`,
    unknown: `
      variables.entries.filter(k, k == 'default.namespaces' ||
        !k.matches('^${TENANT}[.](${FIELDS})$'))`,
    malformed: Object.keys(LISTS)
      .map((list) => malformedWords(list as ListName))
      .join(' +\n'),
    claims: `
      variables.entries.filter(k, k.endsWith('.namespaces')).map(k, ${wordsOf('variables.entries[k]')})`,
    doubles: `
      variables.claims.map(c, c.filter(n, !variables.claims.exists_one(o, n in o))).filter(c, c.size() > 0).map(c, c[0])`,
  },
  rules: [
    {
      holds: `!(${IS_DELETE})`,
      says: `'without its parameters the guardrails refuse every write; delete the ValidatingAdmissionPolicies albridge-guardrails-* first'`,
      otherwise: 'the guardrails need it',
    },
    {
      holds: 'variables.unknown.size() == 0',
      says: `'the key ' + variables.unknown[0] + ' is not <tenant>.<list>: a tenant is lower-case letters, digits and hyphens, or default; a list is one of ${Object.keys(LISTS).join(', ')}, and default has no namespaces'`,
      otherwise: 'a key is not <tenant>.<list>',
    },
    {
      holds: 'variables.malformed.size() == 0',
      says: 'variables.malformed[0]',
      otherwise: 'a list has a malformed entry',
    },
    {
      holds: 'variables.doubles.size() == 0',
      says: `'two tenants have the namespace ' + variables.doubles[0] + '; name it once'`,
      otherwise: 'two tenants have the same namespace; name it once',
    },
  ],
};

const POLICIES = [MYINGRESSES, WEBAPPS, ANNOTATED, NAMESPACES, TENANTS] as const;

const HEAD = `# Written by deploy/guardrails.ts, which says why; run \`npm run gen\` after a change there.
`;

/** The text of components/guardrails/policy.yaml. */
export function renderGuardrails(): string {
  const objects = POLICIES.flatMap((policy: Policy) => [writePolicy(policy), writeBinding(policy)]);
  return HEAD + objects.map((one) => stringify(one, { lineWidth: 0 })).join('---\n');
}

const API_VERSION = 'admissionregistration.k8s.io/v1';

function writeHead(kind: string, name: string): object {
  const labels = { 'app.kubernetes.io/name': 'albridge' };
  return {
    apiVersion: API_VERSION,
    kind,
    metadata: { name: `albridge-guardrails-${name}`, labels },
  };
}

function writePolicy(policy: Policy): object {
  const { name, group, resources, lists, matches = {}, operations = ['CREATE', 'UPDATE'] } = policy;
  const variables = { ...(lists && listVariables(lists)), ...policy.variables };
  return {
    ...writeHead('ValidatingAdmissionPolicy', name),
    spec: {
      failurePolicy: 'Fail',
      ...(lists && { paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } }),
      matchConstraints: {
        ...matches,
        resourceRules: [
          {
            apiGroups: [group],
            apiVersions: ['v1'],
            operations,
            resources,
          },
        ],
      },
      matchConditions: [{ name: 'adds-something', expression: tidy(policy.when) }],
      variables: Object.entries(variables).map(([key, text]) => ({
        name: key,
        expression: tidy(text),
      })),
      validations: policy.rules.map(({ holds, says, otherwise }) => ({
        expression: tidy(holds),
        message: otherwise,
        messageExpression: tidy(says),
        reason: 'Forbidden',
      })),
    },
  };
}

/** Deny: without the ConfigMap nothing is allowed, rather than everything. */
function writeBinding({ name, lists }: Policy): object {
  const paramRef = { ...PARAMETERS, parameterNotFoundAction: 'Deny' };
  return {
    ...writeHead('ValidatingAdmissionPolicyBinding', name),
    spec: {
      policyName: `albridge-guardrails-${name}`,
      ...(lists && { paramRef }),
      validationActions: ['Deny'],
    },
  };
}

function tidy(expression: string): string {
  return expression.trim().replaceAll(/\n\s+/g, '\n  ');
}

if (import.meta.main) {
  const path = resolve(import.meta.dirname, 'components/guardrails/policy.yaml');
  await writeFile(path, renderGuardrails());
}
