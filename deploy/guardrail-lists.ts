/** CEL for deploy/guardrails.ts: the lists of a tenant in the ConfigMap of parameters, and what an entry allows. */

interface List {
  /** RE2, and the same in ECMAScript: the form of an entry, or of one that is no CIDR block. */
  readonly form: string;
  readonly mayBeCidr?: boolean;
  /** The value that it must have, for the platform team. */
  readonly is: string;
  /** CEL: whether the entry `p` allows `value`. */
  readonly allows: (value: string) => string;
}

const isEqual = (value: string): string => `p == '*' || p == ${value}`;
const isEqualOrBegins = (value: string): string =>
  `p == '*' || p == ${value} || (p.endsWith('*') && ${value}.startsWith(p.substring(0, p.size() - 1)))`;

/** Host names are equal without regard to case. A pattern is allowed if it ends in the whole suffix. */
const isHost = (value: string): string =>
  `p == '*' || p == ${value}.lowerAscii() || (p.startsWith('*.') && ${value}.lowerAscii().endsWith(p.substring(1)))`;

/** Ids are no CIDRs: `isCIDR` first, or the conversion would fail. */
const isWithin = (value: string): string =>
  `p == '*' || p == ${value} || (isCIDR(p) && isCIDR(${value}) && cidr(p).containsCIDR(${value}))`;

const CERTIFICATE =
  'arn:aws[a-z-]*:(acm:[a-z0-9-]+:[0-9]{12}:certificate|iam::[0-9]{12}:server-certificate)/';

export const LISTS = {
  namespaces: {
    form: '^[a-z0-9]([a-z0-9-]*[a-z0-9]|[a-z0-9-]*[*])?$',
    is: 'the name of a namespace, or its beginning with * after it',
    allows: isEqualOrBegins,
  },
  schemes: {
    form: '^(internal|internet-facing)$',
    is: 'internal or internet-facing',
    allows: isEqual,
  },
  subnets: {
    form: '^([*]|discovered|subnet-[0-9A-Za-z-]+)$',
    is: 'the id of a subnet, discovered, or *',
    allows: isEqual,
  },
  securityGroups: {
    form: '^([*]|sg-[0-9A-Za-z-]+)$',
    is: 'the id of a security group, or *',
    allows: isEqual,
  },
  certificates: {
    form: `^([*]|discovered|${CERTIFICATE}[!-)+.-~-]*[*]?)$`,
    is: 'the ARN of a certificate, its beginning up to the id with * after it, discovered, or *',
    allows: isEqualOrBegins,
  },
  hosts: {
    form: '^([*]|unnamed|([*][.])?([0-9a-z-]+[.])+[a-z]+)$',
    is: 'a host name in lower case, *. before the end of one, unnamed, or *',
    allows: isHost,
  },
  inbound: {
    form: '^([*]|pl-[0-9A-Za-z-]+|sg-[0-9A-Za-z-]+)$',
    mayBeCidr: true,
    is: 'a range in CIDR notation, the id of a prefix list or of a security group, or *',
    allows: isWithin,
  },
} as const satisfies Readonly<Record<string, List>>;

export type ListName = keyof typeof LISTS;

/** RE2, and the same in ECMAScript: the name of a tenant. */
export const TENANT = '[a-z0-9]([a-z0-9-]*[a-z0-9])?';

export const SPEC = 'dyn(object).?spec.orValue(dyn({}))';

/** CEL: the entries of a text; spaces, lines and commas separate them. */
export function wordsOf(text: string): string {
  return `${text}.replace('\\n', ' ').replace('\\t', ' ').replace(',', ' ').split(' ').filter(w, w != '')`;
}

/** CEL: whether an entry of the tenant's list allows the value. */
export function inOne(list: ListName, value: string): string {
  return `variables.${list}.exists(p, ${LISTS[list].allows(value)})`;
}

/** CEL: whether the entry `w` is well-formed. */
function isWellFormed(list: ListName): string {
  const { form, mayBeCidr = false }: List = LISTS[list];
  return `${mayBeCidr ? 'isCIDR(w) || ' : ''}w.matches('${form}')`;
}

/** CEL: what is wrong with the entries of this list, of all tenants. */
export function malformedWords(list: ListName): string {
  const { is } = LISTS[list];
  return `
    variables.entries.filter(k, k.endsWith('.${list}')).map(k,
      ${wordsOf('variables.entries[k]')}.filter(w, !(${isWellFormed(list)})).map(w, '"' + w + '" in ' + k + ' is not ${is}'))
      .filter(r, r.size() > 0).map(r, r[0])`;
}

const NAMESPACES = '.namespaces';

/** CEL, as variables of a policy: whose namespace it is, the lists of that tenant, and what is wrong with them. */
export function listVariables(lists: readonly ListName[]): Readonly<Record<string, string>> {
  const known = JSON.stringify(Object.keys(LISTS)).replaceAll('"', "'");
  const ofOne = lists.flatMap((list) => [
    [
      `${list}Key`,
      `(variables.tenant + '.${list}') in variables.entries ? variables.tenant + '.${list}' : 'default.${list}'`,
    ],
    [list, wordsOf(`variables.entries[?variables.${list}Key].orValue('')`)],
  ]);
  const wrong = lists.map((list) => {
    const { is } = LISTS[list];
    return `variables.${list}.filter(w, !(${isWellFormed(list)})).map(w, '"' + w + '" in ' + variables.${list}Key + ' is not ${is}')`;
  });
  return {
    entries: 'params.?data.orValue({})',
    tenants: `
      variables.entries.filter(k, k.endsWith('${NAMESPACES}') && ${wordsOf('variables.entries[k]')}.exists(p,
        ${LISTS.namespaces.allows('request.namespace')})).map(k, k.substring(0, k.size() - ${NAMESPACES.length}))`,
    tenant: `variables.tenants.size() == 1 ? variables.tenants[0] : 'default'`,
    ...Object.fromEntries(ofOne),
    malformed: `
      (variables.tenants.size() > 1 ? ['the tenants ' + variables.tenants.join(' and ') + ' have the same namespace'] : []) +
      variables.entries.filter(k, ['default.', variables.tenant + '.'].exists(t,
        k.startsWith(t) && !(k.substring(t.size()) in ${known}))).map(k, k + ' is not the key of a list') +
      ${wrong.join(' +\n')}`,
  };
}

/** CEL: the sources that the managed security group admits; its defaults are those of src/controllers/my-ingress/security-group/desired.ts. */
export function sourcesOf(spec: string): string {
  return `
    ${spec}.?inbound.hasValue() ? ${spec}.inbound.?cidrs.orValue([]) +
      ${spec}.inbound.?prefixListIDs.orValue([]) + ${spec}.inbound.?securityGroupIDs.orValue([]) :
    ${spec}.?securityGroups.hasValue() || ${spec}.?adopt.hasValue() ||
      !(${spec}.?listeners.hasValue() || ${spec}.?backends.hasValue()) ? [] :
    ${spec}.?scheme.orValue('') == 'internal' ? ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '100.64.0.0/10'] :
    ${spec}.?ipAddressType.orValue('ipv4') == 'ipv4' ? ['0.0.0.0/0'] : ['0.0.0.0/0', '::/0']`;
}

/** CEL: what answers requests for every host. A fixed response gives nothing away. */
export function unnamedOf(spec: string): string {
  const isOpen = (action: string): string =>
    `${action}.hasValue() && !${action}.?fixedResponse.hasValue()`;
  return `
    ${spec}.?rules.orValue([]).filter(r, !r.?hosts.hasValue()).map(r,
      'spec.rules[' + r.?name.orValue('') + '] without hosts') +
    ${spec}.?listeners.orValue([]).filter(l, ${isOpen('l.?defaultAction')}).map(l,
      'spec.listeners[' + string(l.port) + '].defaultAction') +
    (${isOpen(`${spec}.?defaultAction`)} ? ['spec.defaultAction'] : []) +
    (${spec}.?backends.hasValue() && !${spec}.?defaultAction.hasValue() ?
      ['spec.backends without a defaultAction that is a fixedResponse'] : [])`;
}
