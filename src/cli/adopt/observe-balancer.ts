// Lives here: the manifest that adopts a balancer as it is: what is read of it, how it is said, what cannot be.
// May import it: src/cli.
// Start with: this file, then manifest.ts.

import type { LoadBalancer, Tags } from '../../aws/elbv2/load-balancers.ts';
import type { Listener, Rule, TargetGroup } from '../../aws/elbv2/traffic.ts';
import { hasReason } from '../../core/reconcile/operator-error.ts';
import type { Account } from '../account/account.ts';
import { CommandError } from '../errors.ts';

/** A balancer of others, as far as a manifest can describe it. */
export interface Balancer {
  readonly loadBalancer: LoadBalancer;
  readonly tags: Tags;
  readonly attributes: Tags;
  readonly listeners: readonly ListenerWithRules[];
  readonly targetGroups: readonly GroupWithAttributes[];
}

export interface ListenerWithRules {
  /** With all certificates, the default one first. */
  readonly listener: Listener;
  readonly attributes: Tags;
  /** Without the default one. */
  readonly rules: readonly Rule[];
}

export interface GroupWithAttributes {
  readonly targetGroup: TargetGroup;
  readonly attributes: Tags;
}

/** Throws CommandError where there is none, and OperatorError where it cannot be read. */
export async function observeBalancer(
  account: Account,
  arn: string,
  signal: AbortSignal,
): Promise<Balancer> {
  const { loadBalancers, traffic } = account;
  const loadBalancer = await findByArn(account, arn, signal);
  const clients = traffic();
  const [tags, attributes, listeners, groups] = await Promise.all([
    loadBalancers.readTags(arn, signal),
    loadBalancers.readAttributes(arn, signal),
    clients.listeners.list(arn, signal),
    clients.targetGroups.listForBalancer(arn, signal),
  ]);
  const withRules = await Promise.all(
    (listeners ?? []).map((listener) => observeListener(clients, listener, signal)),
  );
  const withAttributes = await Promise.all(
    groups.map(async (targetGroup) => {
      const read = await clients.targetGroups.readAttributes(targetGroup.arn, signal);
      return { targetGroup, attributes: read ?? {} };
    }),
  );
  return {
    ...{ loadBalancer, tags: tags ?? {}, attributes: attributes ?? {} },
    listeners: withRules.toSorted((a, b) => a.listener.port - b.listener.port),
    targetGroups: withAttributes,
  };
}

async function findByArn(
  { loadBalancers }: Account,
  arn: string,
  signal: AbortSignal,
): Promise<LoadBalancer> {
  const found = await loadBalancers.find({ arn }, signal).catch((error: unknown) => {
    // An ARN of another region or account.
    if (hasReason(error, 'ValidationError')) return undefined;
    throw error;
  });
  if (found !== undefined) return found;
  throw new CommandError(
    `AWS knows no load balancer ${arn} in this region and account: compare AWS_REGION and your credentials with it ` +
      '(aws elbv2 describe-load-balancers)',
  );
}

async function observeListener(
  { listeners, rules }: ReturnType<Account['traffic']>,
  listener: Listener,
  signal: AbortSignal,
): Promise<ListenerWithRules> {
  const [certificates, attributes, all] = await Promise.all([
    listener.protocol === 'HTTPS' ? listeners.listCertificates(listener.arn, signal) : [],
    listeners.readAttributes(listener.arn, signal),
    rules.list(listener.arn, signal),
  ]);
  return {
    listener: { ...listener, certificates: certificates ?? listener.certificates },
    attributes: attributes ?? {},
    rules: (all ?? []).filter(({ priority }) => priority !== 'default'),
  };
}
