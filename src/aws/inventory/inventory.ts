// Lives here: one snapshot of all load balancers of the account, and reads that are batched into one call.
// May import it: src/aws.
// Start with: this file; write-ledger.ts says which answers are older than our own writes.

import { cut } from '../../core/objects/collections.ts';
import { type AwsCall, chargeTo, type Payer } from '../client/aws-call.ts';
import { choosePageSize } from '../client/pages.ts';
import type { TaggedSecurityGroup } from '../ec2/security-groups.ts';
import { createSecurityGroups } from '../ec2/security-groups-client.ts';
import {
  type Answers,
  type Calls,
  describeAll,
  describeThese,
  isOfOneArn,
  MOST_ARNS,
} from '../elbv2/load-balancer-reader.ts';
import type {
  Cached,
  CachedGroup,
  Inventory,
  LoadBalancer,
  TaggedLoadBalancer,
  TaggedTargetGroup,
  Tags,
} from '../elbv2/load-balancers.ts';
import { readTags } from '../elbv2/tags.ts';
import type { TargetGroup } from '../elbv2/traffic.ts';
import {
  createPatientCall,
  listAccount,
  listNames,
  type PatientParts,
  type Wish,
} from './account-scan.ts';
import { Batch } from './batch.ts';
import { nameUse, type WriteLedger } from './write-ledger.ts';

export interface InventoryParts extends PatientParts {
  readonly ledger: WriteLedger;
}

/** The result of one refresh. */
interface Snapshot {
  /** Monotonic time at which its first call began: nothing in it is older. */
  readonly takenAtMs: number;
  readonly listed: ReadonlySet<string>;
  readonly byArn: ReadonlyMap<string, TaggedLoadBalancer>;
  /** ARNs of what was listed and not selected. */
  readonly others: readonly string[];
  readonly groups: ReadonlyMap<string, TaggedTargetGroup>;
  /** Names that were asked for and not listed. */
  readonly absentGroups: ReadonlySet<string>;
  readonly otherGroups: readonly string[];
}

/** Reads of tags under way at once. */
const MOST_READS = 4;

/** Shared by the views of all payers. */
interface Shared {
  readonly reads: Batch<LoadBalancer | undefined>;
  snapshot?: Snapshot;
}

/** Inventory over AWS. */
export class AccountInventory implements Inventory {
  readonly #parts: InventoryParts;
  readonly #payer: Payer;
  readonly #shared: Shared;

  constructor(parts: InventoryParts, payer: Payer = {}, shared: Shared = createShared(parts)) {
    this.#parts = parts;
    this.#payer = payer;
    this.#shared = shared;
  }

  chargeTo(payer: Payer): Inventory {
    return new AccountInventory(this.#parts, payer, this.#shared);
  }

  async refresh(
    selection: ReadonlySet<string>,
    signal: AbortSignal,
    targetGroupNames?: Wish['targetGroupNames'],
  ): Promise<void> {
    const wish = { selection, targetGroupNames };
    const snapshot = await takeSnapshot(this.#parts, wish, signal);
    this.#shared.snapshot = snapshot;
    this.#parts.ledger.forget(snapshot.takenAtMs);
  }

  getCached(arn: string): Cached {
    const { ledger } = this.#parts;
    const { snapshot } = this.#shared;
    if (!snapshot || !ledger.isSettled(arn, snapshot.takenAtMs)) return { kind: 'unknown' };
    if (!snapshot.listed.has(arn)) return { kind: 'absent' };
    const observed = snapshot.byArn.get(arn);
    const isKnown = observed && ledger.isSettled(observed.loadBalancer.name, snapshot.takenAtMs);
    return isKnown ? { kind: 'observed', observed } : { kind: 'unknown' };
  }

  listSelected(): readonly TaggedLoadBalancer[] {
    return [...(this.#shared.snapshot?.byArn.values() ?? [])];
  }

  getCachedGroup(name: string): CachedGroup {
    const { ledger } = this.#parts;
    const { snapshot } = this.#shared;
    const observed = snapshot?.groups.get(name);
    const ids = [name, ...(observed ? [observed.targetGroup.arn] : [])];
    const isSettled = snapshot && ids.every((id) => ledger.isSettled(id, snapshot.takenAtMs));
    if (!isSettled) return { kind: 'unknown' };
    if (observed) {
      const isUseSettled = ledger.isSettled(nameUse(observed.targetGroup.arn), snapshot.takenAtMs);
      return { kind: 'observed', observed, ...(!isUseSettled && { isUseOld: true }) };
    }
    return { kind: snapshot.absentGroups.has(name) ? 'absent' : 'unknown' };
  }

  listTargetGroups(): readonly TaggedTargetGroup[] {
    return [...(this.#shared.snapshot?.groups.values() ?? [])];
  }

  listOtherTargetGroups(): readonly string[] {
    return this.#shared.snapshot?.otherGroups ?? [];
  }

  listOthers(): readonly string[] {
    return this.#shared.snapshot?.others ?? [];
  }

  readTags(arns: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Tags>> {
    return readTagsOfEach(createPatientCall(this.#parts), arns, { signal });
  }

  findSecurityGroups(tags: Tags, signal: AbortSignal): Promise<readonly TaggedSecurityGroup[]> {
    const call = createPatientCall(this.#parts);
    return createSecurityGroups(call, new Map(), this.#parts.ledger).find({ tags }, signal);
  }

  observe(arn: string, signal: AbortSignal): Promise<LoadBalancer | undefined> {
    return this.#shared.reads.ask(arn, signal, this.#payer);
  }
}

function createShared({ call, clock }: InventoryParts): Shared {
  const shared: Shared = {
    reads: new Batch({
      clock,
      mostKeys: Number.POSITIVE_INFINITY,
      load: (arns, signal, findPayer) => {
        const listed = shared.snapshot?.listed.size;
        return describeMany({ call, findPayer }, arns, { signal, listed });
      },
    }),
  };
  return shared;
}

async function takeSnapshot(
  parts: InventoryParts,
  wish: Wish,
  signal: AbortSignal,
): Promise<Snapshot> {
  const takenAtMs = parts.clock.monotonicMs();
  const targetGroupNames = listNames(wish);
  const call = createPatientCall(parts);
  const { listed, allGroups } = await listAccount(call, wish, signal);
  const isSelected = ({ arn, name }: LoadBalancer): boolean =>
    wish.selection.has(arn) || wish.selection.has(name);
  const ours = listed.filter(isSelected);
  const others = listed.filter((one) => one.type === 'application' && !isSelected(one));
  const own = new Set(ours.map(({ arn }) => arn));
  const isSelectedGroup = ({ name, loadBalancerArns }: TargetGroup): boolean =>
    targetGroupNames.has(name) || loadBalancerArns.some((arn) => own.has(arn));
  const groups = allGroups.filter(isSelectedGroup);
  // A resource that we delete meanwhile would fail the reads of its neighbours, and is not in question.
  const isMeant = (arn: string): boolean => parts.ledger.isSettled(arn, takenAtMs);
  const arns = [...own, ...groups.map(({ arn }) => arn)];
  const tags = await readTagsOfEach(call, arns, { signal, isMeant });
  return {
    takenAtMs,
    listed: new Set(listed.map(({ arn }) => arn)),
    byArn: new Map(
      joinTags(ours, tags).map(([loadBalancer, of]) => [
        loadBalancer.arn,
        { loadBalancer, tags: of },
      ]),
    ),
    others: others.map(({ arn }) => arn),
    groups: new Map(
      joinTags(groups, tags).map(([targetGroup, of]) => [
        targetGroup.name,
        { targetGroup, tags: of },
      ]),
    ),
    absentGroups: omitListed(targetGroupNames, allGroups),
    otherGroups: allGroups.filter((one) => !isSelectedGroup(one)).map(({ arn }) => arn),
  };
}

function omitListed(
  names: ReadonlySet<string>,
  listed: readonly TargetGroup[],
): ReadonlySet<string> {
  const there = new Set(listed.map(({ name }) => name));
  return new Set([...names].filter((name) => !there.has(name)));
}

/** Those of which the tags were read. */
function joinTags<T extends { readonly arn: string }>(
  resources: readonly T[],
  tags: ReadonlyMap<string, Tags>,
): readonly (readonly [T, Tags])[] {
  return resources.flatMap((one) => {
    const own = tags.get(one.arn);
    return own ? [[one, own] as const] : [];
  });
}

async function readTagsOfEach(
  call: AwsCall,
  arns: readonly string[],
  how: { readonly signal: AbortSignal; readonly isMeant?: (arn: string) => boolean },
): Promise<ReadonlyMap<string, Tags>> {
  const { signal, isMeant = () => true } = how;
  const chunks = cut(arns, MOST_ARNS);
  const read = new Map<string, Tags>();
  const refusals: unknown[] = [];
  // A refusal for every ARN is not about the ARNs.
  const assertSome = (fewest: number): void => {
    if (read.size === 0 && refusals.length >= fewest) throw refusals[0];
  };
  const readOn = async (): Promise<void> => {
    for (let chunk = chunks.shift(); chunk; chunk = chunks.shift()) {
      const meant = chunk.filter(isMeant);
      if (meant.length === 0) continue;
      for (const [arn, answer] of await readTags({ call }, meant, signal)) {
        // An ARN that AWS lists and then refuses says nothing; the others do.
        const tags = await Promise.resolve(answer).catch((error: unknown) => {
          if (!isOfOneArn(error)) throw error;
          refusals.push(error);
        });
        if (tags) read.set(arn, tags);
      }
      assertSome(2);
    }
  };
  const stop = (reason: unknown): never => {
    chunks.length = 0;
    throw reason;
  };
  await Promise.all(Array.from({ length: MOST_READS }, () => readOn().catch(stop)));
  assertSome(1);
  return read;
}

interface DescribeOptions {
  readonly signal: AbortSignal;
  /** The account's resources; undefined before the first scan. */
  readonly listed: number | undefined;
}

/** For more than twenty whichever is fewer calls: twenty ARNs each, or all that the account has. */
async function describeMany(
  { call, findPayer }: Required<Calls>,
  arns: readonly string[],
  { signal, listed = Number.POSITIVE_INFINITY }: DescribeOptions,
): Promise<Answers<LoadBalancer>> {
  const found = new Map<string, LoadBalancer>();
  const pageSize = choosePageSize(listed);
  if (Math.ceil(listed / pageSize) < Math.ceil(arns.length / MOST_ARNS) - 1) {
    const all = await describeAll(chargeTo(findPayer(arns), call), pageSize, signal);
    for (const one of all) found.set(one.arn, one);
  }
  const answers = arns.map((arn) => [arn, found.get(arn)] as const);
  const parts = [];
  const missing = arns.filter((arn) => !found.has(arn));
  for (const chunk of cut(missing, MOST_ARNS)) {
    parts.push(...(await describeThese({ call, findPayer }, chunk, signal)));
  }
  return new Map([...answers, ...parts]);
}
