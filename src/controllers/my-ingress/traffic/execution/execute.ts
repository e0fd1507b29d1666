import type { RuleSettings } from '../../../../aws/elbv2/traffic.ts';
import { OperatorError } from '../../../../core/reconcile/operator-error.ts';
import type { DesiredAction } from '../../graph/graph.ts';
import type { ProblemReason } from '../../graph/problem.ts';
import type { StandingGraph } from '../../graph/projection.ts';
import { type Call, isClaim, type Operation, type Step } from '../../graph/steps.ts';
import { rememberChange } from '../../memory.ts';
import type { ObjectScope, TrafficClients } from '../../scope.ts';
import { type References, resolveAction, resolveAttachment } from '../references.ts';
import type { TagStep } from './tag-batches.ts';

/** The ARNs that calls have made, for the steps that follow. */
type Made = Partial<Pick<References, 'securityGroup'>> & {
  readonly targetGroup?: readonly [name: string, arn: string];
  readonly listener?: string;
  readonly rule?: string;
};

interface Context {
  readonly clients: TrafficClients;
  readonly setSecurityGroups: (arn: string, groups: readonly string[]) => Promise<void>;
  readonly references: References;
}

export interface Executed {
  /** The references known by then. */
  readonly references: References;
  /** ARN or id of what a create has made. */
  readonly made: string | undefined;
}

interface Known extends Pick<Context, 'references'> {
  readonly standing: StandingGraph | undefined;
}

/** A read of the balancer alone may not show its new security groups yet. */
function connect(scope: ObjectScope, { references, standing }: Known): Context {
  const { aws, clock, memory } = scope;
  const setSecurityGroups = async (arn: string, desired: readonly string[]): Promise<void> => {
    await aws.setSecurityGroups(arn, desired);
    if (standing === undefined) return;
    const { securityGroups: observed } = standing.loadBalancer;
    const step = { field: 'securityGroups', desired, observed } as const;
    memory.facts = rememberChange(memory.facts, { arn, step, atMs: clock.monotonicMs() });
  };
  return { clients: scope.traffic(), setSecurityGroups, references };
}

/** Executes one step; throws what AWS answers. */
export async function executeStep(scope: ObjectScope, step: Step, given: Known): Promise<Executed> {
  const context = connect(scope, given);
  const call = CALLS[step.operation] as (input: Step['input'], context: Context) => Promise<Made>;
  const made = await call(step.input, context);
  const { targetGroup, rule, securityGroup } = made;
  const listener = made.listener ?? findClaimed(step);
  const known = context.references;
  const references = {
    ...known,
    ...(securityGroup !== undefined && { securityGroup }),
    ...(targetGroup && { targetGroups: new Map([...known.targetGroups, targetGroup]) }),
    ...(listener !== undefined && {
      listeners: new Map([...known.listeners, [step.id, listener]]),
    }),
  };
  return { references, made: rule ?? listener ?? targetGroup?.[1] ?? securityGroup };
}

/** A listener that its owner hands over is known by its id from then on. */
function findClaimed(step: Step): string | undefined {
  return isClaim(step) && 'resource' in step.input ? step.input.resource : undefined;
}

/** Executes, in one call, steps that differ in nothing but their resource. */
export function executeTogether(
  steps: readonly TagStep[],
  { tags }: Pick<TrafficClients, 'tags'>,
): Promise<void> {
  const [first] = steps;
  const resources = steps.map(({ input }) => input.resource);
  if (first === undefined) return Promise.resolve();
  return 'tags' in first.input
    ? tags.add(resources, first.input.tags)
    : tags.remove(resources, first.input.keys);
}

type Calls = {
  readonly [Name in Operation]: (input: Call<Name>['input'], context: Context) => Promise<Made>;
};

const nothing: Made = {};

const CALLS: Calls = {
  CreateSecurityGroup: async (settings, { clients }) => ({
    securityGroup: await clients.securityGroups.create(settings),
  }),
  AuthorizeSecurityGroupIngress: ({ ingress }, context) =>
    act(context.clients.securityGroups.allow(readSecurityGroup(context), ingress)),
  RevokeSecurityGroupIngress: ({ ingress }, context) =>
    act(context.clients.securityGroups.revoke(readSecurityGroup(context), ingress)),
  DeleteSecurityGroup: ({ groupId }, { clients }) => act(clients.securityGroups.delete(groupId)),
  SetSecurityGroups: ({ groups }, { setSecurityGroups, references }) => {
    const ids = resolveAttachment(groups, references) ?? refuseUnknown('the security group');
    return act(setSecurityGroups(references.loadBalancerArn, ids));
  },
  CreateTargetGroup: async (settings, { clients }) => {
    const { name, arn } = await clients.targetGroups.create(settings);
    return { targetGroup: [name, arn] };
  },
  ModifyTargetGroup: ({ arn, healthCheck, protocolVersion }, { clients }) =>
    act(clients.targetGroups.setHealthCheck(arn, healthCheck, protocolVersion)),
  ModifyTargetGroupAttributes: ({ targetGroup, attributes }, { clients, references }) => {
    const arn = references.targetGroups.get(targetGroup) ?? refuseUnknown(targetGroup);
    return act(clients.targetGroups.setAttributes(arn, attributes));
  },
  DeleteTargetGroup: ({ arn }, { clients }) => act(clients.targetGroups.delete(arn)),
  CreateListener: async ({ action, ...settings }, context) => {
    const { clients, references } = context;
    const defaultAction = resolve(action, context);
    const created = await clients.listeners.create(references.loadBalancerArn, {
      ...settings,
      defaultAction,
    });
    return { listener: created.arn };
  },
  ModifyListener: ({ arn, action, ...changes }, context) => {
    const defaultAction = action && { defaultAction: resolve(action, context) };
    return act(context.clients.listeners.modify(arn, { ...changes, ...defaultAction }));
  },
  ModifyListenerAttributes: ({ listener, attributes }, context) =>
    act(context.clients.listeners.setAttributes(readListener(listener, context), attributes)),
  AddListenerCertificates: ({ listener, certificate }, context) =>
    act(context.clients.listeners.addCertificate(readListener(listener, context), certificate)),
  RemoveListenerCertificates: ({ listener, certificate }, context) =>
    act(context.clients.listeners.removeCertificate(readListener(listener, context), certificate)),
  DeleteListener: ({ arn }, { clients }) => act(clients.listeners.delete(arn)),
  CreateRule: async ({ listener, action, ...settings }, context) => {
    const rule = { ...settings, action: resolve(action, context) };
    const { arn } = await context.clients.rules.create(readListener(listener, context), rule);
    return { rule: arn };
  },
  ModifyRule: ({ arn, conditions, action, transforms }, context) =>
    act(
      context.clients.rules.modify(arn, {
        ...(conditions && { conditions }),
        ...(action && { action: resolve(action, context) }),
        ...(transforms && { transforms }),
      }),
    ),
  SetRulePriorities: ({ priorities }, { clients }) => act(clients.rules.setPriorities(priorities)),
  DeleteRule: ({ arn }, { clients }) => act(clients.rules.delete(arn)),
  AddTags: ({ resource, tags }, { clients }) => act(clients.tags.add([resource], tags)),
  RemoveTags: ({ resource, keys }, { clients }) => act(clients.tags.remove([resource], keys)),
  CreateTags: ({ resource, tags }, { clients }) =>
    act(clients.securityGroups.addTags(resource, tags)),
  DeleteTags: ({ resource, tags }, { clients }) =>
    act(clients.securityGroups.removeTags(resource, tags)),
};

async function act(call: Promise<unknown>): Promise<Made> {
  await call;
  return nothing;
}

function resolve(action: DesiredAction, { references }: Context): RuleSettings['action'] {
  return resolveAction(action, references) ?? refuseUnknown('a target group of the action');
}

function readListener(id: string, { references }: Context): string {
  return references.listeners.get(id) ?? refuseUnknown(id);
}

function readSecurityGroup({ references }: Context): string {
  return references.securityGroup ?? refuseUnknown('the security group');
}

/** The plan makes what it names before: this is a defect of the plan. */
function refuseUnknown(what: string): never {
  throw new Error(`the plan names ${what}, which nothing has made`);
}

/**
 * The reasons of failures that are about one resource: the others of the object are gone on with. All other
 * failures are about AWS, the network or this process, and end the pass.
 */
const OF_ONE_RESOURCE = [
  'ListenerNotFound',
  'RuleNotFound',
  'TargetGroupNotFound',
  'PriorityInUse',
  'StillInUse',
  'DependencyViolation',
  'ValidationError',
  'InvalidConfigurationRequest',
  'InvalidSecurityGroup',
  'InvalidPrefixList',
  'DuplicateTagKeys',
  'TooManyTags',
  'AccessDenied',
  'OperationNotPermitted',
  'ResourceInUse',
  'OperationUnsupported',
  'DuplicateListener',
  'DuplicateTargetGroupName',
  'DuplicateSecurityGroup',
  'TargetGroupAssociationLimit',
  'QuotaExceeded',
  'InvalidLoadBalancerAction',
  'IncompatibleProtocols',
  'SSLPolicyNotFound',
  'CertificateNotFound',
  'TrustStoreNotFound',
  'AwsError',
] as const satisfies readonly ProblemReason[];

/** The reason of a failure that concerns the step's resource alone; undefined for any other. */
export function classifyRefusal(error: unknown): ProblemReason | undefined {
  if (!(error instanceof OperatorError)) return undefined;
  const { reason } = error;
  return OF_ONE_RESOURCE.find((one) => one === reason);
}
