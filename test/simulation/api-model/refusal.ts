import type { ServedKind } from './stored-object.ts';

export interface RefusalOptions {
  readonly status: number;
  readonly reason: string;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** An answer other than 2xx; its body is a Status. */
export class Refusal extends Error {
  readonly status: number;
  readonly body: string;

  constructor({ status, reason, message, details }: RefusalOptions) {
    super(message);
    this.name = 'Refusal';
    this.status = status;
    this.body = JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code: status,
    });
  }
}

/** The simulation asks for something that the model does not know: extend the model, or ask less. */
export class NotModelled extends Error {
  constructor(what: string) {
    super(`the API server model does not know ${what}`);
    this.name = 'NotModelled';
  }
}

interface Place {
  readonly kind: ServedKind;
  readonly name: string;
}

export function notFound({ kind, name }: Place): Refusal {
  return refusal({ kind, name }, [404, 'NotFound'], `${resourceOf(kind)} "${name}" not found`);
}

/** https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#response */
export function denied({ kind, name }: Place): Refusal {
  const why = 'admission webhook "guard.example.com" denied the request';
  return refusal({ kind, name }, [403, 'Forbidden'], why);
}

/** An unknown group or resource: the answer names no object. */
export function kindMissing(): Refusal {
  return new Refusal({
    status: 404,
    reason: 'NotFound',
    message: 'the server could not find the requested resource',
    details: {},
  });
}

export function alreadyExists({ kind, name }: Place): Refusal {
  const message = `${resourceOf(kind)} "${name}" already exists`;
  return refusal({ kind, name }, [409, 'AlreadyExists'], message);
}

export function conflict({ kind, name }: Place, why: string): Refusal {
  const message = `Operation cannot be fulfilled on ${resourceOf(kind)} "${name}": ${why}`;
  return refusal({ kind, name }, [409, 'Conflict'], message);
}

/** `causes` as `field: sentence`. */
export function invalid({ kind, name }: Place, causes: readonly string[]): Refusal {
  return new Refusal({
    status: 422,
    reason: 'Invalid',
    message: `${kind.kind} "${name}" is invalid: ${causes.join(', ')}`,
    details: {
      ...detailsOf({ kind, name }),
      causes: causes.map((cause) => ({
        reason: 'FieldValueInvalid',
        message: cause,
        field: cause.split(':')[0],
      })),
    },
  });
}

export function namespaceMissing(name: string): Refusal {
  return new Refusal({
    status: 404,
    reason: 'NotFound',
    message: `namespaces "${name}" not found`,
    details: { name, kind: 'namespaces' },
  });
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/ */
export function namespaceLeaving({ kind, name }: Place, namespace: string): Refusal {
  return new Refusal({
    status: 403,
    reason: 'Forbidden',
    message: `${resourceOf(kind)} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
    details: {
      ...detailsOf({ kind, name }),
      causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }],
    },
  });
}

/** https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/#how-api-initiated-eviction-works */
export function budgetSpent(message: string, retryAfterSeconds?: number): Refusal {
  return new Refusal({
    status: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  });
}

export function severalBudgets(): Refusal {
  return new Refusal({
    status: 500,
    reason: '',
    message:
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
  });
}

export function expired(message: string): Refusal {
  return new Refusal({ status: 410, reason: 'Expired', message });
}

function refusal(
  place: Place,
  [status, reason]: readonly [number, string],
  message: string,
): Refusal {
  return new Refusal({ status, reason, message, details: detailsOf(place) });
}

function detailsOf({ kind, name }: Place): Readonly<Record<string, unknown>> {
  return { name, ...(kind.group !== '' && { group: kind.group }), kind: kind.plural };
}

function resourceOf({ plural, group }: ServedKind): string {
  return group === '' ? plural : `${plural}.${group}`;
}
