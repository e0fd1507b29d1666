import { omitUndefined } from '../../core/objects/fields.ts';
import { parseGroup } from '../../core/objects/kube-object.ts';
import { addJitter, type Clock, sleep } from '../../core/ports/clock.ts';
import type { Logger } from '../../core/ports/logger.ts';
import type { KubeClient } from './kube-client.ts';
import type { KubeRequest } from './kube-transport.ts';

export interface RightsOptions {
  /** For the reviews alone; a refusal of one is not reported here again. */
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Somebody is about to grant the right: do not let them wait long. */
const RECHECK_MS = 5_000;
/** In a round: a verb that a ClusterRole lacks is missing in every namespace. */
const MOST_REFUSED = 20;

/**
 * The rights that the operator needs and does not have. Tells a missing right from the other reasons
 * for a 403 (quotas, policies, a leaving namespace) by asking the API server itself, and goes on
 * asking until the right is there. Everybody may ask:
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/#checking-api-access
 */
export class Rights {
  readonly #options: RightsOptions;
  readonly #missing = new Map<string, Right>();
  readonly #asked = new Set<string>();
  readonly #stopping = new AbortController();
  #isRechecking = false;
  #onGranted = (): void => {};

  constructor(options: RightsOptions) {
    this.#options = options;
  }

  /** A request was answered with 403. */
  recordRefusal(request: KubeRequest): void {
    if (this.#stopping.signal.aborted) return;
    for (const right of listRights(request)) this.#review(right);
  }

  /** One sentence for each right that is missing, in however many namespaces. */
  listMissing(): readonly string[] {
    return [...new Set([...this.#missing.values()].map(describeRight))];
  }

  /** Calls `onGranted` whenever permission granted. */
  onGranted(onGranted: () => void): void {
    this.#onGranted = onGranted;
  }

  stop(): void {
    this.#stopping.abort();
  }

  #review(right: Right): void {
    const key = getRightKey(right);
    if (this.#missing.has(key) || this.#asked.has(key)) return;
    this.#asked.add(key);
    void this.#checkRight(key, right).finally(() => this.#asked.delete(key));
  }

  async #checkRight(key: string, right: Right): Promise<void> {
    if (await this.#isAllowed(right)) return;
    const why = describeRight(right);
    const isReported = this.listMissing().includes(why);
    this.#missing.set(key, right);
    const { verb, group, resource, subresource } = right;
    const fields = omitUndefined({ verb, group, resource, subresource });
    if (!isReported) this.#options.log.error('permission missing', { ...fields, why });
    if (!this.#isRechecking) void this.#recheckMissing();
  }

  async #recheckMissing(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    this.#isRechecking = true;
    while (this.#missing.size > 0 && !signal.aborted) {
      await sleep(clock, addJitter(clock, RECHECK_MS, 0.2), signal).catch(() => {});
      let refused = 0;
      for (const [key, right] of [...this.#missing]) {
        if (signal.aborted || refused === MOST_REFUSED) break;
        if (!(await this.#recheck(key, right))) refused++;
      }
    }
    this.#isRechecking = false;
  }

  /** False where it is still missing: the next round begins with others. */
  async #recheck(key: string, right: Right): Promise<boolean> {
    const isAllowed = await this.#isAllowed(right);
    if (this.#stopping.signal.aborted) return isAllowed;
    this.#missing.delete(key);
    if (!isAllowed) {
      this.#missing.set(key, right);
      return false;
    }
    const after = describeRight(right);
    if (!this.listMissing().includes(after))
      this.#options.log.info('permission granted', { after });
    this.#onGranted();
    return true;
  }

  /** Without an answer the refusal stands. */
  async #isAllowed(right: Right): Promise<boolean> {
    const { client } = this.#options;
    const { signal } = this.#stopping;
    const kind = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
    try {
      const review = await client.request<{ readonly status?: { readonly allowed?: boolean } }>({
        method: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: JSON.stringify({ ...kind, spec: { resourceAttributes: right } }),
        signal,
      });
      return review.status?.allowed === true;
    } catch {
      return signal.aborted;
    }
  }
}

/** The right that RBAC is asked about: https://kubernetes.io/docs/reference/kubernetes-api/authorization-resources/self-subject-access-review-v1/ */
export interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/**
 * Everything that a request asks for: the right to do it and, where it names an owner that is not to
 * go before the object, the right to hold up that owner's deletion
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#ownerreferencespermissionenforcement).
 */
export function listRights(request: KubeRequest): readonly Right[] {
  const right = parseRight(request);
  if (right === undefined) return [];
  const { namespace } = right;
  return [right, ...parseOwners(request).map((owner) => createOwnerRight(owner, namespace))];
}

interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly blockOwnerDeletion?: boolean;
}

function parseOwners({ body }: KubeRequest): readonly Owner[] {
  if (!body?.includes('"ownerReferences"')) return [];
  type Owned = { readonly metadata?: { readonly ownerReferences?: readonly Owner[] } };
  const { metadata } = JSON.parse(body) as Owned;
  return (metadata?.ownerReferences ?? []).filter(({ blockOwnerDeletion }) => blockOwnerDeletion);
}

function createOwnerRight({ apiVersion, kind, name }: Owner, namespace: string | undefined): Right {
  const group = parseGroup(apiVersion);
  const resource = guessPlural(kind);
  const of = { verb: 'update', group, resource, subresource: 'finalizers', name };
  return omitUndefined({ ...of, namespace });
}

/** https://pkg.go.dev/k8s.io/apimachinery/pkg/api/meta#UnsafeGuessKindToResource */
function guessPlural(kind: string): string {
  const singular = kind.toLowerCase();
  if (singular.endsWith('s')) return `${singular}es`;
  return singular.endsWith('y') ? `${singular.slice(0, -1)}ies` : `${singular}s`;
}

/** Undefined for a path that is no resource. */
function parseRight(request: KubeRequest): Right | undefined {
  const [root, ...rest] = request.path.split('/').slice(1).map(decodeURIComponent);
  if (root !== 'api' && root !== 'apis') return undefined;
  const [group = '', ...parts] = root === 'api' ? ['', ...rest.slice(1)] : rest.toSpliced(1, 1);
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2;
  const named = isNamespaced ? parts.slice(2) : parts;
  const [resource, name = findName(request), subresource] = named;
  if (resource === undefined) return undefined;
  const verb = deriveVerb(request, named.length > 1);
  const namespace = isNamespaced ? parts[1] : undefined;
  return omitUndefined({ verb, group, resource, subresource, namespace, name });
}

/** A Role grants a right in its namespace, and seldom by name. */
function getRightKey(right: Right): string {
  return JSON.stringify({ ...right, name: undefined });
}

/** `the operator may not patch myingresses/status in demo.rtfm.co.ua: grant ...` */
function describeRight({ verb, group, resource, subresource }: Right): string {
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = group === '' ? 'the core API group' : `the API group ${group}`;
  return `the operator may not ${verb} ${whole} of ${where}: grant its role this verb on this resource, apply deploy/ of this version again, or leave the kind that needs it out of ALBRIDGE_KINDS`;
}

/** A list or a watch of one object is allowed by the object's name. */
function findName({ query = {} }: KubeRequest): string | undefined {
  return /^metadata\.name=([^,]+)$/.exec(query['fieldSelector'] ?? '')?.[1];
}

/** https://kubernetes.io/docs/reference/access-authn-authz/authorization/#determine-the-request-verb */
function deriveVerb({ method, query = {} }: KubeRequest, hasName: boolean): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return hasName ? 'delete' : 'deletecollection';
    default:
      if (hasName) return 'get';
      return query['watch'] === undefined ? 'list' : 'watch';
  }
}
