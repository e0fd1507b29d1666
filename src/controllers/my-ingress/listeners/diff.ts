import { isDeepStrictEqual } from 'node:util';
import type { MutualTls } from '../../../aws/elbv2/traffic.ts';
import { diffAction, listNames, normaliseActions } from '../graph/actions.ts';
import { wasRefused } from '../graph/facts.ts';
import type { DesiredListener, ObservedListener } from '../graph/graph.ts';
import { isServed, mapNamesToIds, type PlanContext } from '../graph/plan-context.ts';
import type { Problem } from '../graph/problem.ts';
import { LOAD_BALANCER_ID } from '../graph/resource-id.ts';
import type { Call, Step } from '../graph/steps.ts';
import { diffTags } from '../graph/tags.ts';
import { listListenerDefaults } from './attribute-defaults.ts';
import { addCertificate, diffCertificates, isAdded } from './certificate-list.ts';
import { isOurs } from './claims.ts';

/** The steps of one listener, by the phase of the plan that they belong to. */
export interface ListenerSteps {
  /** Before all that changes where requests go, which needs it: who the clients may be. */
  readonly guard: readonly Step[];
  /** Makes a listener ours that its owner hands over, before anything else is done to it. */
  readonly claim: readonly Step[];
  /** Before the rules: the listener itself, its protocol and port, further certificates. */
  readonly before: readonly Step[];
  /** After rules have come. */
  readonly after: readonly Step[];
  /** After them: settings that AWS has refused, which keep nothing else from being applied. */
  readonly settings: readonly Step[];
  readonly attributes: readonly Step[];
  readonly tags: readonly Step[];
  /** Certificates that left the spec. */
  readonly removals: readonly Step[];
  /** After rules were removed. */
  readonly last: readonly Step[];
  readonly problems: readonly Problem[];
}

const NO_STEPS: ListenerSteps = {
  ...{ claim: [], guard: [], before: [], after: [], settings: [], attributes: [], tags: [] },
  ...{ removals: [], last: [], problems: [] },
};

/** Creates the listener with its default certificate; AWS takes one certificate a call. */
export function createListener(desired: DesiredListener, context: PlanContext): ListenerSteps {
  const { id, port, protocol, sslPolicy, certificates, mutualTls, action, tags } = desired;
  const [certificate, ...further] = certificates;
  const create: Step = {
    ...{ id, operation: 'CreateListener', why: 'not there' },
    needs: [LOAD_BALANCER_ID, ...mapNamesToIds(listNames(action), context)],
    input: {
      ...{ port, protocol, action, tags },
      ...(sslPolicy !== undefined && { sslPolicy }),
      ...(certificate !== undefined && { certificate }),
      ...(mutualTls !== undefined && mutualTls.mode !== 'off' && { mutualTls }),
    },
  };
  return {
    ...NO_STEPS,
    before: [create, ...further.map((one) => addCertificate(desired, one))],
    attributes: setAttributes(desired, listListenerDefaults(protocol)),
  };
}

/**
 * All differences of a listener that is there, in one ModifyListener. Certificates change without a gap:
 * further ones are added, then the default one is replaced, then those that left the spec are removed.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/create-https-listener.html
 */
export function updateListener(
  desired: DesiredListener,
  observed: ObservedListener,
  context: PlanContext,
): ListenerSteps {
  const { listener, attributes } = observed;
  const action = normaliseActions(listener.defaultActions, context.namesByArn);
  const { added, removed } = diffCertificates(desired, observed);
  const [displaces] = listener.certificates.filter((one) => isAdded(one, added));
  const update = { desired, observed, context };
  const { together, apart, guard } = divideSettings(update, displaces === undefined);
  const changes = diffSettings(desired, observed, together);
  const marks = tagListener(desired, observed, context);
  const isKept = isOurs(observed, context.identity);
  const modify = modifyListener(changes, update);
  const phase = choosePhase(changes, update);
  const settle = (fields: readonly Setting[]): readonly Step[] =>
    fields.flatMap((field) => modifySettings(diffSettings(desired, observed, [field]), update));
  return {
    claim: isKept ? [] : marks,
    guard: settle(guard),
    before: [...(phase === 'before' ? modify : []), ...added, ...replaceDefault(displaces, update)],
    after: phase === 'after' ? modify : [],
    settings: settle(apart),
    attributes: attributes ? setAttributes(desired, attributes) : [],
    last: phase === 'last' ? modify : [],
    tags: isKept ? marks : [],
    removals: removed,
    problems: action === undefined ? [describeUnknownAction(desired.id)] : [],
  };
}

interface Divided {
  /** In one call with the default action. */
  readonly together: readonly Setting[];
  /** Each in a call of its own after it: AWS has refused one of them, which is to keep nothing else from being applied. */
  readonly apart: readonly Setting[];
  /** In a call of its own before anything is open to more clients. */
  readonly guard: readonly Setting[];
}

/** Port and protocol change together with the default action and with all that they need. */
function divideSettings({ desired, observed, context }: Update, hasCertificate: boolean): Divided {
  const among = hasCertificate ? SETTINGS : OTHERS;
  const { isStructural, input } = diffSettings(desired, observed, among);
  if (isStructural) return { together: among, apart: [], guard: [] };
  const isVerifying = observed.listener.mutualTls?.mode === 'verify';
  const isGuard = (field: Setting): boolean =>
    field === 'mutualTls' && input.mutualTls?.mode === 'verify' && !isVerifying;
  const others = among.filter((field) => !isGuard(field));
  const isApart = wasRefused(context.unsettled, desired.id, input);
  return {
    ...(isApart ? { together: [], apart: others } : { together: others, apart: [] }),
    guard: among.filter(isGuard),
  };
}

function tagListener(
  { id, tags }: DesiredListener,
  observed: ObservedListener,
  { identity, appliedTags }: PlanContext,
): readonly Step[] {
  const { arn: resource } = observed.listener;
  if (isOurs(observed, identity)) {
    const calls = diffTags(tags, observed.tags, { resource, appliedTags });
    return calls.map((call) => ({ id, needs: [], ...call }));
  }
  const why = 'taken over with the consent of its owner';
  return [{ id, why, needs: [], operation: 'AddTags', input: { resource, tags } }];
}

interface Update {
  readonly desired: DesiredListener;
  readonly observed: ObservedListener;
  readonly context: PlanContext;
}

/** A default action of a type that albridge does not write stays as it is. */
function modifyListener(changes: Changes, { desired, observed, context }: Update): readonly Step[] {
  const { id } = desired;
  const { listener } = observed;
  const action = normaliseActions(listener.defaultActions, context.namesByArn);
  const actionChange = action === undefined ? undefined : diffAction(desired.action, action);
  const setsAction = actionChange !== undefined && isServed(listNames(desired.action), context);
  const why = [...changes.why, ...(setsAction ? [actionChange] : [])];
  const modify: Step = {
    ...{ id, operation: 'ModifyListener', why: why.join('; ') },
    needs: [
      ...(isOurs(observed, context.identity) ? [] : [id]),
      ...(setsAction ? mapNamesToIds(listNames(desired.action), context) : []),
    ],
    input: {
      ...{ arn: listener.arn, ...changes.input },
      ...(setsAction && { action: desired.action }),
    },
  };
  return why.length === 0 ? [] : [modify];
}

/** By itself: where AWS does not list the displaced one, nothing else waits for that. */
function replaceDefault(displaces: string | undefined, update: Update): readonly Step[] {
  if (displaces === undefined) return [];
  const changes = diffSettings(update.desired, update.observed, ['certificate']);
  return modifySettings(changes, update).map((step) => ({ ...step, displaces }));
}

function modifySettings(
  { why, input }: Changes,
  { desired: { id }, observed, context }: Update,
): readonly Step[] {
  const step: Step = {
    ...{ id, operation: 'ModifyListener', why: why.join('; ') },
    needs: isOurs(observed, context.identity) ? [] : [id],
    input: { arn: observed.listener.arn, ...input },
  };
  return why.length === 0 ? [] : [step];
}

/** A listener that becomes HTTP keeps HTTPS until no rule of it has a target group that needs that. */
function choosePhase(
  { isStructural }: Changes,
  { desired, observed: { rules }, context: { secureArns } }: Update,
): 'before' | 'after' | 'last' {
  if (!isStructural) return 'after';
  const needsSecurity = rules.some(({ rule: { actions, priority } }) => {
    const forwards = actions.flatMap((one) => (one.kind === 'forward' ? one.targetGroups : []));
    return priority !== 'default' && forwards.some(({ arn }) => secureArns.has(arn));
  });
  return desired.protocol === 'HTTP' && needsSecurity ? 'last' : 'before';
}

function setAttributes(
  { id, attributes }: DesiredListener,
  observed: Readonly<Record<string, string>>,
): readonly Step[] {
  const differing = Object.entries(attributes).filter(([key, value]) => observed[key] !== value);
  if (differing.length === 0) return [];
  const why = differing.map(([key, value]) => {
    return `${key}: observed ${observed[key] || 'none'}, desired ${value || 'none'}`;
  });
  return [
    {
      ...{ id, operation: 'ModifyListenerAttributes', why: why.join('; '), needs: [id] },
      input: { listener: id, attributes: Object.fromEntries(differing) },
    },
  ];
}

interface Changes {
  readonly why: readonly string[];
  readonly input: Omit<Call<'ModifyListener'>['input'], 'arn'>;
  /** Rules may depend on it. */
  readonly isStructural: boolean;
}

const SETTINGS = ['port', 'protocol', 'sslPolicy', 'certificate', 'mutualTls'] as const;
type Setting = (typeof SETTINGS)[number];

const OTHERS = SETTINGS.filter((field) => field !== 'certificate');

const OFF: MutualTls = { mode: 'off' };

/** A listener that becomes HTTPS needs policy and certificate, one that becomes HTTP loses both. */
function diffSettings(
  desired: DesiredListener,
  { listener }: ObservedListener,
  among: readonly Setting[],
): Changes {
  const { port, protocol, sslPolicy, mutualTls } = desired;
  const [certificate] = desired.certificates;
  const [observedCertificate] = listener.certificates;
  const isSecure = protocol === 'HTTPS';
  const becomesSecure = isSecure && listener.protocol !== 'HTTPS';
  const differs = {
    port: port !== listener.port,
    protocol: protocol !== listener.protocol,
    sslPolicy: isSecure && sslPolicy !== listener.sslPolicy,
    certificate: isSecure && certificate !== observedCertificate,
    mutualTls: mutualTls !== undefined && !isDeepStrictEqual(mutualTls, listener.mutualTls ?? OFF),
  };
  const values = { port, protocol, sslPolicy, certificate, mutualTls };
  const before = { mutualTls: OFF, ...listener, certificate: observedCertificate };
  const fields = among.filter((field) => {
    return differs[field] || (becomesSecure && field !== 'port' && field !== 'mutualTls');
  });
  return {
    why: fields.map((field) => {
      return `${field}: observed ${describeValue(before[field])}, desired ${describeValue(values[field])}`;
    }),
    input: Object.fromEntries(fields.map((field) => [field, values[field]])),
    isStructural: differs.port || differs.protocol,
  };
}

function describeValue(value: string | number | MutualTls | undefined): string {
  if (typeof value !== 'object') return String(value ?? 'none');
  if (value.mode !== 'verify') return value.mode;
  const { mode, trustStore, ignoresExpiry, advertisesCaNames } = value;
  const expired = ignoresExpiry ? ', expired ones too' : '';
  return `${mode} by ${trustStore}${expired}${advertisesCaNames ? ', with CA names' : ''}`;
}

function describeUnknownAction(id: string): Problem {
  return {
    ...{ id, reason: 'UnknownSetting' },
    message: 'its default action is of a type that albridge does not write, and stays as it is',
  };
}
