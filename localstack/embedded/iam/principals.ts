import type { ReadableWorld } from '../aws-world.ts';
import { AwsFault } from '../http/aws-fault.ts';
import type { Input } from '../input-fields.ts';
import type { Operation } from '../operations.ts';
import {
  type Authorizer,
  compilePolicy,
  type Decision,
  type Permission,
  type Policy,
} from './policy-evaluation.ts';
import { requiredPermissions } from './required-permissions.ts';

/** A caller and its request. */
export interface Call {
  readonly accessKeyId: string | undefined;
  readonly operation: Operation;
  readonly input: Input;
}

/** Policies by access key id. A key without one may do everything. */
export class Principals {
  readonly #authorizers = new Map<string, Authorizer>();

  get policies(): ReadonlyMap<string, Authorizer> {
    return this.#authorizers;
  }

  /** Undefined lifts the limits. Throws a RangeError for what compilePolicy does not support. */
  setPolicy(accessKeyId: string, policy: Policy | undefined): void {
    if (policy === undefined) this.#authorizers.delete(accessKeyId);
    else this.#authorizers.set(accessKeyId, compilePolicy(policy));
  }

  /** Throws AccessDenied, from EC2 UnauthorizedOperation, for the first permission that is missing. */
  authorize(world: ReadableWorld, { accessKeyId = '', operation, input }: Call): void {
    const decide = this.#authorizers.get(accessKeyId);
    if (decide === undefined) return;
    const user = `arn:${world.facts.partition}:sts::${world.accountId}:assumed-role/albridge/${accessKeyId}`;
    for (const permission of requiredPermissions(world, operation, input)) {
      const { kind } = decide(permission);
      if (kind === 'allowed') continue;
      const sentence = `User: ${user} ${describeDenial(permission, kind)}`;
      throw operation.service === 'ec2'
        ? new AwsFault('UnauthorizedOperation', `${NOT_AUTHORIZED} ${sentence}`, 403)
        : new AwsFault('AccessDenied', sentence, 403);
    }
  }
}

const NOT_AUTHORIZED = 'You are not authorized to perform this operation.';

/**
 * AWS's words, without the resource where the action knows none.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/troubleshoot_access-denied.html
 * https://github.com/kubernetes/kops/issues/12671 https://github.com/aws-samples/multi-tenant-chatbot-using-rag-with-amazon-bedrock/issues/17
 */
function describeDenial({ action, resource }: Permission, kind: Decision['kind']): string {
  const where = resource === '*' ? '' : ` on resource: ${resource}`;
  const why =
    kind === 'explicitDeny'
      ? 'with an explicit deny in an identity-based policy'
      : `because no identity-based policy allows the ${action} action`;
  return `is not authorized to perform: ${action}${where} ${why}`;
}
