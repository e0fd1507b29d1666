import type { ListName } from './guardrail-lists.ts';

/** Rules of deploy/guardrails.ts, each with a message that names field, value, what is allowed and whom to ask. */

export interface Rule {
  readonly holds: string;
  /** CEL for the message; one line, and 5 kB at most, or else the API server says `otherwise`. */
  readonly says: string;
  readonly otherwise: string;
}

export interface Policy {
  readonly name: string;
  readonly group: string;
  readonly resources: readonly string[];
  /** None: it is not about what one namespace may name. */
  readonly lists?: readonly ListName[];
  readonly when: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly rules: readonly Rule[];
  readonly matches?: object;
  /** Default: creates and updates. */
  readonly operations?: readonly string[];
}

/** CEL */
export const IS_NEW = 'oldObject == null';

export const PARAMETERS = { namespace: 'albridge-guardrails', name: 'tenants' } as const;
const WHERE = `ConfigMap ${PARAMETERS.namespace}/${PARAMETERS.name}`;

/** A group of its own: a role with every verb on myingresses does not contain these rights. */
const RIGHTS_GROUP = 'guardrails.albridge.io';

function mayUse(resource: string): string {
  return `authorizer.group('${RIGHTS_GROUP}').resource('${resource}').namespace(request.namespace).check('use').allowed()`;
}

/** In the whole cluster: a right in one namespace is not enough. */
export function mayUseEverywhere(resource: string): string {
  return `authorizer.group('${RIGHTS_GROUP}').resource('${resource}').check('use').allowed()`;
}

export function needsRight(what: string, resource: string, isUnchanged: string): Rule {
  const text = `${what} is not allowed to you: it needs the right to use ${resource}.${RIGHTS_GROUP}`;
  return {
    holds: `${isUnchanged} || ${mayUse(resource)}`,
    says: `'${text} in namespace ' + request.namespace + '; ask who grants roles there'`,
    otherwise: text,
  };
}

/** `refused` is a variable: the values that are not allowed, each with its field before it. */
export function needsEntry(list: ListName, refused: string, hint = ''): Rule {
  const entries = `variables.${list}`;
  return {
    holds: `variables.${refused}.size() == 0`,
    says: `
      variables.${refused}[0] + ' is not allowed in namespace ' + request.namespace + '; allowed: ' +
      (${entries}.size() == 0 ? 'none' : ${entries}.size() > 20 ? 'the ' + string(${entries}.size()) + ' entries' :
        ${entries}.join(', ')) +
      ' (key ' + variables.${list}Key + ' of ${WHERE}${hint}; ask who maintains it)'`,
    otherwise: `a value is not in the list ${list} of this namespace (${WHERE}${hint}; ask who maintains it)`,
  };
}

/** First of all: the other rules judge by lists that are well-formed. */
export const IS_WELL_FORMED: Rule = {
  holds: 'variables.malformed.size() == 0',
  says: `'${WHERE} is malformed: ' + variables.malformed[0] + '; until it is corrected nothing can be added in namespace ' + request.namespace + '; ask who maintains it'`,
  otherwise: `${WHERE} is malformed; ask who maintains it`,
};
