// Lives here: the objects of albridge as a command reads them: kinds, reads, events, health, the tree of one.
// May import it: src/cli.
// Start with: this file, then read.ts.

import { configMonitorKind } from '../../apis/config-monitor.ts';
import { configMonitorEvents, configMonitorReasons } from '../../apis/config-monitor-reasons.ts';
import { immortalContainerKind } from '../../apis/immortal-container.ts';
import {
  immortalContainerEvents,
  immortalContainerReasons,
} from '../../apis/immortal-container-reasons.ts';
import { myAppKind } from '../../apis/my-app.ts';
import { myAppEvents, myAppReasons } from '../../apis/my-app-reasons.ts';
import { myIngressKind } from '../../apis/my-ingress.ts';
import { myIngressEvents, myIngressReasons } from '../../apis/my-ingress-reasons.ts';
import { webAppKind } from '../../apis/web-app.ts';
import { webAppEvents, webAppReasons } from '../../apis/web-app-reasons.ts';
import { awsReasons } from '../../aws/client/aws-reasons.ts';
import type { ResourceKind } from '../../core/objects/kube-object.ts';
import { UsageError } from '../errors.ts';

/** A kind of albridge, and how a person may name it. */
export interface OurKind extends ResourceKind {
  readonly short: string;
  /** Of Ready, Reconciling and Stalled, besides those of every kind. */
  readonly reasons: Readonly<Record<string, Reason>>;
  /** Of events, and of the other conditions. */
  readonly further: Readonly<Record<string, string>>;
  /** The next action for reasons in `further` whose messages name none. */
  readonly steps: Readonly<Record<string, string>>;
}

export interface Reason {
  readonly healedBy: string;
  readonly cause: string;
  readonly next: string;
}

/** Its own, then those of AWS, in its own words where it has some. */
export const reasonsOfMyIngress = { ...myIngressReasons, ...awsReasons, ...myIngressReasons };

/** Next actions for the reasons of conditions besides Ready, where their messages name none; first those about pods. */
const podSteps = {
  NoPod: 'run albridge doctor: it checks whether the operator runs and may create pods',
  PodPending: 'read the events of the pod: kubectl describe pod',
  PodNotReady:
    'check the readiness probe and the log of the pod: kubectl describe pod, kubectl logs',
} as const;

/** Of a load balancer, its targets, and what attaches to it. */
const balancerSteps = {
  TargetsUnhealthy:
    'check that the security groups of the pods admit the load balancer, and that the pods answer the health check of the backend with its path and port (docs/troubleshooting.md)',
  TargetsInitial: 'wait: AWS checks new targets; if it persists, read docs/troubleshooting.md',
  HealthUnknown: 'wait a minute; if it persists, run albridge doctor: it checks AWS reads',
  NoTargets:
    'check that the selector of the Service matches pods, and that they are ready: kubectl get endpointslices -l kubernetes.io/service-name=SERVICE',
  NoPreStop: 'add the preStop hook of docs/zero-downtime.md to the pods',
  GracePeriodTooShort:
    'raise terminationGracePeriodSeconds of the pods above the preStop sleep (docs/zero-downtime.md)',
  PodsUnknown:
    'switch readiness gates on (docs/zero-downtime.md), or correct the Service and port of the backend',
  CertificateExpiring: 'import or request a newer one in ACM: it is used within an hour',
  HostAndPathTaken: 'choose another host or path for one of the two that the message names',
  NoListener: 'add the listener to spec.listeners, or correct the object that attaches',
  RuleQuotaReached: 'attach some objects to another MyIngress',
  NamespacesUnknown:
    'grant the operator list and watch of namespaces, or name the namespaces in spec.allowedNamespaces',
} as const;

const sourceSteps = {
  NotFound: 'create what the message names, or correct its name in the spec',
} as const;

/** Of routes on the load balancer of another object. */
const exposureSteps = {
  LoadBalancerNotActive: 'ask albridge why about the MyIngress',
  Attaching: 'wait a minute; if it persists, ask albridge why about the MyIngress',
  ExposureUnknown: 'wait a minute; if it persists, add myingress to ALBRIDGE_KINDS of the operator',
  IngressDeleting: 'name another MyIngress in spec.expose.ingress',
  NamespaceNotWatched:
    'name a MyIngress of a namespace in ALBRIDGE_NAMESPACES, or add this one to that setting',
  NamespacesUnknown:
    'ask the owner of the MyIngress to name the namespaces in spec.allowedNamespaces',
} as const;

/** Commands and docs/reasons.md take kinds, names and reasons from here. */
export const OUR_KINDS: readonly OurKind[] = [
  {
    ...myIngressKind,
    short: 'mying',
    reasons: reasonsOfMyIngress,
    further: myIngressEvents,
    steps: balancerSteps,
  },
  {
    ...configMonitorKind,
    short: 'cmon',
    reasons: configMonitorReasons,
    further: configMonitorEvents,
    steps: sourceSteps,
  },
  {
    ...immortalContainerKind,
    short: 'ic',
    reasons: immortalContainerReasons,
    further: immortalContainerEvents,
    steps: podSteps,
  },
  {
    ...myAppKind,
    short: 'ma',
    reasons: myAppReasons,
    further: myAppEvents,
    steps: podSteps,
  },
  {
    ...webAppKind,
    short: 'wa',
    reasons: webAppReasons,
    further: webAppEvents,
    steps: exposureSteps,
  },
];

/** As kubectl prints it where objects of several kinds are listed, and without its group. */
function nameSingular({ kind, group }: Pick<OurKind, 'kind' | 'group'>): readonly string[] {
  const name = kind.toLowerCase();
  return [name, `${name}.${group}`];
}

/** `mying`, `myingress`, `myingresses` or `MyIngress`, as kubectl has them. Throws UsageError. */
export function findKind(word: string): OurKind {
  const lower = word.toLowerCase();
  const found = OUR_KINDS.find(({ kind, plural, group, short }) =>
    [short, plural, `${plural}.${group}`, ...nameSingular({ kind, group })].includes(lower),
  );
  if (found) return found;
  const known = OUR_KINDS.map(({ kind, short }) => `${kind.toLowerCase()} (${short})`).join(', ');
  throw new UsageError(`"${word}" is not a kind of albridge: ${known}`);
}
