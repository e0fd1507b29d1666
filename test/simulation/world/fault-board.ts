import type { AwsEffect, Fault, KubeEffect, Phase, Step } from '../scenario.ts';
import { isWithin } from '../scenario.ts';
import type { Label } from './operations.ts';

/** What becomes of one operation of a port. */
export interface Fate {
  readonly crash?: CrashFault;
  /** The process stops when the operation has been sent, and goes on so much later. */
  readonly freezeMs?: number;
  readonly effect?: AwsEffect | KubeEffect;
}

type CrashFault = Extract<Fault, { kind: 'crash' }>;
type Limited = Extract<Fault, { kind: 'aws' | 'kube' }>;

/** Those for which a process learns late, or never, of a change in the cluster; also each kind of `kube`. */
const CUTTING_OFF: ReadonlySet<string> = new Set([
  'apiDown',
  'compaction',
  'forbidden',
  'freeze',
  'partition',
  'watchBroken',
  'watchLag',
  'watchSilent',
]);

interface Strike {
  readonly fault: string;
  readonly atMs: number;
}

type WindowKind = Extract<Fault, { fromMs: number }>['kind'];

/** The faults of a scenario, and which of them an operation meets. */
export class FaultBoard {
  /** How often each operation was begun while a process could still be killed there. */
  readonly counts = new Map<Label, number>();
  /** Crash points that were hit, as `label/phase`. */
  readonly crashed = new Set<string>();
  /** What has happened at all, such as `aws lost`: a fault that never strikes tests nothing. */
  readonly met = new Set<string>();
  readonly #strikes: Strike[] = [];
  #faults: readonly Fault[];
  #isClosed = false;
  readonly #left = new Map<Fault, number>();
  #isLifted: boolean;

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
    // A kill alone changes nothing before it happens: what a calm run does, this one does as well.
    this.#isLifted = faults.every(({ kind }) => kind === 'crash');
    for (const fault of faults) if ('times' in fault) this.#left.set(fault, fault.times);
  }

  /** No fault any more but a kill that is still to come. */
  lift(): void {
    this.#isLifted = true;
    this.#faults = this.#of('crash');
  }

  /** No fault any more. */
  close(): void {
    this.#faults = [];
    this.#isClosed = true;
  }

  /** Whether a process may still be killed. */
  get hasKillsLeft(): boolean {
    return this.#of('crash').some(({ label, nth }) => (this.counts.get(label) ?? 0) < nth);
  }

  get isLifted(): boolean {
    return this.#isLifted;
  }

  /** Call once for each operation, when it is sent. */
  fateOf(label: Label, nowMs: number): Fate {
    if (this.#isClosed) return {};
    const nth = (this.counts.get(label) ?? 0) + 1;
    this.counts.set(label, nth);
    if (this.#faults.length === 0) return {};
    const isHere = (fault: Fault & { readonly label: string; readonly nth: number }): boolean =>
      fault.label === label && fault.nth === nth;
    const crash = this.#of('crash').find(isHere);
    const freeze = this.#of('freeze').find(isHere);
    if (crash) this.crashed.add(pointOf(label, crash.phase));
    if (crash) this.strikes(nameStrike(crash), nowMs);
    if (freeze) this.strikes(nameStrike(freeze), nowMs);
    const limited = [...this.#of('aws'), ...this.#of('kube')].find((fault) =>
      this.#takes(fault, label, nowMs),
    );
    return {
      ...(crash && { crash }),
      ...(freeze && { freezeMs: freeze.forMs }),
      ...(limited && { effect: limited.effect }),
    };
  }

  /** A fault takes effect now. */
  strikes(fault: string, nowMs: number): void {
    this.met.add(fault);
    this.#strikes.push({ fault, atMs: nowMs });
  }

  /** Whether any fault took effect in this time. */
  isDisturbed(fromMs: number, toMs: number): boolean {
    return this.#strikes.some(({ atMs }) => atMs >= fromMs && atMs <= toMs);
  }

  /** Whether a fault of this time keeps a process from learning of changes in the cluster. */
  isCutOff(fromMs: number, toMs: number): boolean {
    return this.#strikes.some(({ fault, atMs }) => {
      const cutsOff = CUTTING_OFF.has(fault) || fault.startsWith('kube ');
      return cutsOff && atMs >= fromMs && atMs <= toMs;
    });
  }

  /** How old the answers of AWS are now. */
  staleMs(nowMs: number): number {
    return Math.max(0, ...this.#windows('staleReads', nowMs).map(({ ageMs }) => ageMs));
  }

  keepsTags(nowMs: number): boolean {
    return this.#windows('tagsStay', nowMs).length > 0;
  }

  isApiDown(nowMs: number): boolean {
    return this.#windows('apiDown', nowMs).length > 0;
  }

  isPartitioned(replica: number, nowMs: number): boolean {
    return this.#windows('partition', nowMs).some((fault) => fault.replica === replica);
  }

  watchLagMs(plural: string, nowMs: number): number {
    const lags = this.#windows('watchLag', nowMs).filter((fault) => isAbout(fault, plural));
    return Math.max(0, ...lags.map(({ lagMs }) => lagMs));
  }

  isForbidden(label: Label, nowMs: number): boolean {
    const [, , resource = ''] = label.split(' ');
    const [plural] = resource.split('/');
    return this.#windows('forbidden', nowMs).some((fault) => fault.plural === plural);
  }

  /** Whether a list of this kind is empty now, whatever there is. */
  hidesAll(label: Label, nowMs: number): boolean {
    const [, , plural] = label.split(' ');
    return this.#windows('emptyLists', nowMs).some((fault) => fault.plural === plural);
  }

  tellsTwice(nowMs: number): boolean {
    return this.#windows('watchTwice', nowMs).length > 0;
  }

  #takes(fault: Limited, label: Label, nowMs: number): boolean {
    const left = this.#left.get(fault) ?? 0;
    const wanted = fault.kind === 'aws' ? `aws ${fault.operation}` : `kube ${fault.label}`;
    const isMeant = wanted.endsWith(' *')
      ? label.startsWith(`${fault.kind} `)
      : label.startsWith(wanted);
    if (left === 0 || !isMeant || !isWithin(fault, nowMs)) return false;
    this.#left.set(fault, left - 1);
    this.strikes(nameStrike(fault), nowMs);
    return true;
  }

  #of<Kind extends Fault['kind']>(kind: Kind): readonly Extract<Fault, { kind: Kind }>[] {
    return this.#faults.filter(
      (fault): fault is Extract<Fault, { kind: Kind }> => fault.kind === kind,
    );
  }

  #windows<Kind extends WindowKind>(
    kind: Kind,
    nowMs: number,
  ): readonly Extract<Fault, { kind: Kind }>[] {
    if (this.#faults.length === 0) return [];
    const faults = this.#of(kind).filter((fault) => isWithin(fault, nowMs));
    if (faults.length > 0) this.strikes(kind, nowMs);
    return faults;
  }
}

/** As in `met`, once the fault has struck. */
export function nameStrike(fault: Fault): string {
  if (fault.kind === 'crash') return `crash ${fault.phase}`;
  return 'effect' in fault ? `${fault.kind} ${fault.effect}` : fault.kind;
}

interface Done {
  readonly do: string;
  readonly meddling?: { readonly what: string };
  readonly what?: string;
}

/** As in `met`, once it is done: `myIngress meddle subnets`. */
export function nameStep({ atMs: _atMs, ...step }: Step): readonly string[] {
  return Object.entries(step).map(([kind, action]) => {
    const { do: what, meddling, what: how } = action as Done;
    return [kind, what, meddling?.what ?? how].filter(Boolean).join(' ');
  });
}

/** Of all kinds, or of this one. */
export function isAbout({ plural }: { readonly plural?: string }, of: string): boolean {
  return plural === undefined || plural === of;
}

export function pointOf(label: Label, phase: Phase): string {
  return `${label}/${phase}`;
}
