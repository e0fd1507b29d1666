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
import { balancerSteps, exposureSteps, podSteps, sourceSteps } from './next-steps.ts';

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

/** `mying`, `myingress`, `myingresses` or `MyIngress`, as kubectl has them. Throws UsageError. */
export function findKind(word: string): OurKind {
  const lower = word.toLowerCase();
  const found = OUR_KINDS.find(({ kind, plural, group, short }) =>
    [short, plural, kind.toLowerCase(), `${plural}.${group}`].includes(lower),
  );
  if (found) return found;
  const known = OUR_KINDS.map(({ kind, short }) => `${kind.toLowerCase()} (${short})`).join(', ');
  throw new UsageError(`"${word}" is not a kind of albridge: ${known}`);
}
