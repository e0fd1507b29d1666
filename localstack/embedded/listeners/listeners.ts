// Lives here: listeners: their operations, certificates, settings and attributes.
// May import it: localstack/embedded.
// Start with: this file; listener.ts is the record.

import { isDeepStrictEqual } from 'node:util';
import { limitOf } from '../account-limits.ts';
import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { AwsFault, validationError } from '../http/aws-fault.ts';
import { type Input, textsOf } from '../input-fields.ts';
import { balancerOf, balancerWithArn } from '../load-balancers/balancer-arns.ts';
import type { LoadBalancer } from '../load-balancers/balancer-store.ts';
import { checkedTags } from '../load-balancers/load-balancer-tags.ts';
import { pageOf } from '../paging.ts';
import { actionInputs, describeAction, readActions } from '../rules/actions.ts';
import { checkForwards } from '../rules/forward-action.ts';
import { type Action, BEHIND_ALL, positionOf, type Rule } from '../rules/rule.ts';
import { putRule, removeListener } from '../rules/rule-changes.ts';
import { listenerArn, listenerOf, listenerWithArn, ruleArn } from '../traffic/traffic-arns.ts';
import type { Listener } from './listener.ts';
import { defaultListenerAttributes } from './listener-attributes.ts';
import { describeTls, type ListenerSettings, readListenerSettings } from './listener-settings.ts';

/**
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_CreateListener.html
 *
 * Idempotent as CreateLoadBalancer is: tags are no setting, and the existing listener stays as it is.
 */
export function createListener(world: AwsWorld, input: Input): unknown {
  const balancer = balancerOf(world, input);
  const settings = readListenerSettings(world, input);
  const { protocol, port } = settings;
  const existing = listenerOnPort(world, balancer.arn, port);
  const replaced = existing === undefined ? undefined : defaultRuleOf(world, existing);
  const inputs = actionInputs(input, 'DefaultActions');
  const actions = readActions(world, inputs, { balancer, protocol, port, replaced });
  const tags = checkedTags(input);
  if (existing !== undefined) {
    return answer(world, sameOrRefuse(world, existing, { settings, actions }));
  }
  checkListenerCount(world, balancer.arn);
  const listener: Listener = {
    ...settings,
    sequence: world.traffic.listeners.nextSequence(),
    arn: listenerArn(balancer.arn, world.ids.hex(16)),
    balancerArn: balancer.arn,
    extraCertificateArns: [],
    attributes: defaultListenerAttributes(protocol),
    tags,
  };
  world.traffic.listeners.put(listener, world.clock.now());
  putRule(world, newDefaultRule(world, listener, actions));
  return answer(world, listener);
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeListeners.html */
export function describeListeners(world: ReadableWorld, input: Input): unknown {
  const arns = textsOf(input, 'ListenerArns') ?? [];
  const isOfBalancer = input['LoadBalancerArn'] !== undefined;
  // The words of both are unverified.
  if (arns.length > 0 && isOfBalancer) {
    throw validationError(
      'Listener ARNs and a load balancer ARN cannot be specified at the same time',
    );
  }
  if (arns.length > 0) {
    return answer(world, ...[...new Set(arns)].map((arn) => listenerWithArn(world, arn)));
  }
  if (!isOfBalancer) {
    throw validationError('You must specify either listener ARNs or a load balancer ARN');
  }
  const listeners = world.traffic.listeners.byKey(balancerOf(world, input).arn);
  const page = pageOf(input, listeners, ({ sequence }) => sequence);
  return { ...answer(world, ...page.items), NextMarker: page.nextMarker };
}

/** Changes what is given, lists as a whole. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyListener.html */
export function modifyListener(world: AwsWorld, input: Input): unknown {
  const listener = listenerOf(world, input);
  const balancer = balancerWithArn(world, listener.balancerArn);
  const settings = readListenerSettings(world, input, listener);
  checkPort(world, listener, settings.port);
  const rule = defaultRuleOf(world, listener);
  const inputs = actionInputs(input, 'DefaultActions');
  const { protocol, port } = settings;
  const place = { balancer, protocol, port, replaced: rule };
  const actions = inputs.length === 0 ? rule.actions : readActions(world, inputs, place);
  if (inputs.length === 0) checkForwards(world, actions, place);
  if (settings.protocol !== listener.protocol) checkRules(world, listener, { balancer, settings });
  const { tls: _, ...plain } = listener;
  const extraCertificateArns = settings.tls === undefined ? [] : listener.extraCertificateArns;
  const attributes = new Map(
    [...defaultListenerAttributes(settings.protocol)].map(([key, value]) => [
      key,
      listener.attributes.get(key) ?? value,
    ]),
  );
  const changed: Listener = { ...plain, ...settings, extraCertificateArns, attributes };
  world.traffic.listeners.put(changed, world.clock.now());
  putRule(world, { ...rule, actions });
  return answer(world, changed);
}

/** With its rules. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DeleteListener.html */
export function deleteListener(world: AwsWorld, input: Input): unknown {
  removeListener(world, listenerOf(world, input).arn);
  return {};
}

function listenerOnPort(
  world: ReadableWorld,
  balancerArn: string,
  port: number,
): Listener | undefined {
  return world.traffic.listeners.byKey(balancerArn).find((listener) => listener.port === port);
}

function sameOrRefuse(
  world: ReadableWorld,
  existing: Listener,
  wanted: { readonly settings: ListenerSettings; readonly actions: readonly Action[] },
): Listener {
  const { port, protocol, tls } = existing;
  const settings = { port, protocol, ...(tls !== undefined && { tls }) };
  const { actions } = defaultRuleOf(world, existing);
  if (isDeepStrictEqual({ settings, actions }, wanted)) return existing;
  // https://github.com/hashicorp/terraform/issues/26407
  throw new AwsFault(
    'DuplicateListener',
    `A listener already exists on this port for this load balancer '${existing.balancerArn}'`,
  );
}

/** https://github.com/hashicorp/terraform/issues/26407 has this code and these words. */
function checkPort(world: ReadableWorld, { arn, balancerArn }: Listener, port: number): void {
  const holder = listenerOnPort(world, balancerArn, port);
  if (holder === undefined || holder.arn === arn) return;
  throw validationError(`Listener port '${port}' is already in use`);
}

/** Every rule of the listener must be possible with its new protocol; the default one is judged as it will be. */
function checkRules(
  world: ReadableWorld,
  { arn }: Listener,
  { balancer, settings }: { readonly balancer: LoadBalancer; readonly settings: ListenerSettings },
): void {
  const { protocol, port } = settings;
  for (const replaced of world.traffic.rules.byKey(arn)) {
    if (replaced.priority === 'default') continue;
    checkForwards(world, replaced.actions, { balancer, protocol, port, replaced });
  }
}

function checkListenerCount(world: ReadableWorld, balancerArn: string): void {
  const count = world.traffic.listeners.byKey(balancerArn).length;
  if (count < limitOf(world, 'listeners-per-application-load-balancer')) return;
  throw new AwsFault(
    'TooManyListeners',
    'The maximum number of listeners per load balancer has been reached',
  );
}

function newDefaultRule(world: AwsWorld, listener: Listener, actions: readonly Action[]): Rule {
  return {
    ...{ actions, conditions: [], transforms: [], priority: 'default', tags: new Map() },
    sequence: world.traffic.rules.nextSequence(),
    arn: ruleArn(listener.arn, world.ids.hex(16)),
    listenerArn: listener.arn,
    balancerArn: listener.balancerArn,
  };
}

function defaultRuleOf(world: ReadableWorld, { arn }: Listener): Rule {
  const rule = world.traffic.rules.byKey(arn).find((one) => positionOf(one) === BEHIND_ALL);
  if (rule === undefined) throw new Error(`a listener without a default rule: ${arn}`);
  return rule;
}

function answer(world: ReadableWorld, ...listeners: Listener[]): { Listeners: unknown[] } {
  return { Listeners: listeners.map((listener) => describeListener(world, listener)) };
}

function describeListener(world: ReadableWorld, listener: Listener): unknown {
  return {
    ListenerArn: listener.arn,
    LoadBalancerArn: listener.balancerArn,
    Port: listener.port,
    Protocol: listener.protocol,
    ...describeTls(listener.tls),
    DefaultActions: defaultRuleOf(world, listener).actions.map(describeAction),
  };
}
