import type { Clock } from '../../../src/core/ports/clock.ts';
import type { AwsWorld } from '../aws-world.ts';
import {
  presentTargets,
  type Target,
  type TargetGroup,
  type TargetHealth,
  targetKey,
} from '../target-groups/target-group.ts';
import { noteTargetHealth, unusedHealth } from '../target-groups/target-health.ts';
import { balancerArnOfGroup, type TrafficView } from '../traffic/traffic.ts';
import { INITIAL_HEALTH, judgeProbe, type ProbedHealth } from './health-judgement.ts';
import { probeTarget } from './probe.ts';
import type { TargetTable } from './target-table.ts';

export interface ProberParts {
  readonly world: AwsWorld;
  readonly clock: Clock;
  readonly targets: TargetTable;
  readonly traffic: { readonly current: TrafficView };
}

interface CheckedTarget {
  readonly groupArn: string;
  readonly key: string;
  probed: ProbedHealth;
  stop: () => void;
}

/** Checks the health of every target of a group that an action names, one node for all zones. */
export class Prober {
  readonly #parts: ProberParts;
  readonly #targets = new Map<string, CheckedTarget>();
  readonly #stopping = new AbortController();
  /** Results of checks since the last report, by group and target. */
  #unreported = new Map<string, Map<string, TargetHealth>>();

  constructor(parts: ProberParts) {
    this.#parts = parts;
  }

  /** Starts to check new targets, by default at once (unverified), and stops checking removed ones. */
  reconcile(): void {
    const desired = new Map(listProbed(this.#parts).map((one) => [idOf(one), one]));
    for (const [id, checked] of this.#targets) {
      if (!desired.has(id)) this.#end(id, checked);
    }
    for (const [id, { groupArn, key }] of desired) {
      if (this.#targets.has(id)) continue;
      const checked: CheckedTarget = { groupArn, key, probed: INITIAL_HEALTH, stop: () => {} };
      this.#targets.set(id, checked);
      this.#note(checked);
      this.#begin(id, checked);
    }
  }

  /** The state by its checks; undefined for a target that is not checked. */
  stateOf(groupArn: string, target: Target): TargetHealth['state'] | undefined {
    const id = idOf({ groupArn, key: targetKey(target) });
    return this.#targets.get(id)?.probed.health.state;
  }

  stop(): void {
    this.#stopping.abort();
    for (const [id, checked] of this.#targets) this.#end(id, checked);
  }

  #end(id: string, checked: CheckedTarget): void {
    checked.stop();
    this.#targets.delete(id);
  }

  #begin(id: string, checked: CheckedTarget): void {
    const { clock, world } = this.#parts;
    const { firstCheckMs } = world.settings;
    const check = (): void => void this.#check(id, checked);
    if (firstCheckMs === 0) check();
    else checked.stop = clock.setTimer(firstCheckMs, check);
  }

  /** Checks start at a fixed interval, however long an answer takes, as the guide has it. */
  async #check(id: string, checked: CheckedTarget): Promise<void> {
    const { clock, traffic, world } = this.#parts;
    const group = traffic.current.targetGroups.byArn(checked.groupArn);
    const target = group?.targets.get(checked.key);
    if (group === undefined || target === undefined) return this.#end(id, checked);
    const check = group.healthCheck;
    const next = (): void => void this.#check(id, checked);
    checked.stop = clock.setTimer(check.intervalSeconds * 1000, next);
    const balancerArn = balancerArnOfGroup(traffic.current, group.arn) ?? '';
    if (unusedHealth(world, balancerArn, { group, target }) !== undefined) return;
    const port = check.port === 'traffic-port' ? target.port : Number(check.port);
    const probe = {
      ...{ protocol: check.protocol, path: check.path, id: target.id, port },
      version: group.protocolVersion,
      timeoutMs: check.timeoutSeconds * 1000,
    };
    const outcome = await probeTarget(probe, this.#parts, this.#stopping.signal);
    if (this.#targets.get(id) !== checked) return;
    checked.probed = judgeProbe(checked.probed, outcome, check);
    this.#note(checked);
  }

  #note({ groupArn, key, probed }: CheckedTarget): void {
    const { clock } = this.#parts;
    if (this.#unreported.size === 0) clock.setTimer(0, () => this.#report());
    const ofGroup = this.#unreported.get(groupArn) ?? new Map<string, TargetHealth>();
    this.#unreported.set(groupArn, ofGroup.set(key, probed.health));
  }

  /** Many at once: each report copies the group's list of targets. */
  #report(): void {
    const unreported = this.#unreported;
    this.#unreported = new Map();
    if (this.#stopping.signal.aborted) return;
    for (const [groupArn, found] of unreported)
      noteTargetHealth(this.#parts.world, groupArn, found);
  }
}

type TargetName = Pick<CheckedTarget, 'groupArn' | 'key'>;

function idOf({ groupArn, key }: TargetName): string {
  return `${groupArn} ${key}`;
}

function listProbed({ traffic, clock }: ProberParts): readonly TargetName[] {
  const { targetGroups } = traffic.current;
  const isProbed = ({ arn }: TargetGroup): boolean =>
    balancerArnOfGroup(traffic.current, arn) !== undefined;
  return targetGroups
    .all()
    .filter(isProbed)
    .flatMap((group) => {
      return [...presentTargets(group, clock.now())]
        .filter(([, { drainsUntilMs }]) => drainsUntilMs === undefined)
        .map(([key]) => ({ groupArn: group.arn, key }));
    });
}
