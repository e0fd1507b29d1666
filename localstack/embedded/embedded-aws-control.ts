import type { AwsSettings, AwsWorld } from './aws-world.ts';
import { clearNetwork, type Instance } from './ec2/network.ts';
import type { Call, CallLog } from './faults/call-log.ts';
import type { FaultRule, FaultScript, PendingFault } from './faults/fault-script.ts';
import type { TokenBuckets } from './faults/token-buckets.ts';
import type { Policy } from './iam/policy-evaluation.ts';
import type { Principals } from './iam/principals.ts';
import type { LoadBalancerState } from './load-balancers/balancer-store.ts';
import type { SettingsHolder } from './settings.ts';
import { type HealthChange, setTargetHealth } from './target-groups/target-health.ts';
import { clearTraffic } from './traffic/traffic.ts';
import { snapshotWorld, type WorldSnapshot } from './world-snapshot.ts';

/** Changes that tests, demos and simulations make without a call of AWS's API. */
export interface EmbeddedAwsControl {
  /** The latest calls, oldest first; of one operation, if given. */
  calls(operation?: string): readonly Call[];
  /** Calls per operation since the last clear. */
  counts(): Readonly<Record<string, number>>;
  clearCalls(): void;
  /** Throws a RangeError for a rule that could never do what it says. */
  addFault(rule: FaultRule): void;
  pendingFaults(): readonly PendingFault[];
  clearFaults(): void;
  settings(): AwsSettings;
  /** Throws a RangeError that names a bad field. */
  changeSettings(patch: Partial<AwsSettings>): void;
  /**
   * From now on this access key may do what the policy allows; undefined: everything. Throws a
   * RangeError for what is not supported.
   */
  setPolicy(accessKeyId: string, policy: Policy | undefined): void;
  /** Pins a balancer's state; undefined hands it back to the clock. False if there is none. */
  setState(name: string, state: LoadBalancerState | undefined): boolean;
  /** Lets another service use a balancer, or no longer. False if there is none. */
  setAssociated(name: string, isAssociated: boolean): boolean;
  /**
   * Overrides this group's health checks from now on, for all its targets or for those that match.
   * Returns how many there are. Throws a RangeError for a bad group, state or reason.
   */
  setTargetHealth(groupName: string, change: HealthChange): number;
  /** Which certificates there are, in ACM and IAM together. */
  setCertificates(arns: readonly string[]): void;
  /** Which trust stores there are. */
  setTrustStores(arns: readonly string[]): void;
  /** Adds or replaces an instance that can be a target. Throws a RangeError for an unknown subnet. */
  putInstance(instance: Omit<Instance, 'tags'>): void;
  /** Lets outbound rules of this security group lead to those. Throws a RangeError for an unknown group. */
  setOutboundGroups(id: string, groups: readonly string[]): void;
  snapshot(): WorldSnapshot;
  /** Back to an empty account; policies stay, with `keepNetwork` VPCs, subnets, gateways and groups too. */
  reset(options?: { readonly keepNetwork?: boolean }): void;
}

/** The parts of the model that are controlled. */
export interface ModelParts {
  readonly world: AwsWorld;
  readonly settings: SettingsHolder;
  readonly principals: Principals;
  readonly buckets: TokenBuckets;
  readonly faults: FaultScript;
  readonly log: CallLog;
}

export function createControl(parts: ModelParts): EmbeddedAwsControl {
  const { world, settings, principals, buckets, faults, log } = parts;
  const nowMs = (): number => world.clock.now();
  return {
    calls: (operation) => log.calls(operation),
    counts: () => log.counts(),
    clearCalls: () => log.clear(),
    addFault: (rule) => faults.add(rule, nowMs()),
    pendingFaults: () => faults.pending(nowMs()),
    clearFaults: () => faults.clear(),
    settings: () => settings.current,
    changeSettings: (patch) => settings.change(patch),
    setPolicy: (accessKeyId, policy) => principals.setPolicy(accessKeyId, policy),
    setState: (name, state) => setState(world, name, state),
    setOutboundGroups: (id, groups) => setOutboundGroups(world, id, groups),
    setAssociated: (name, isAssociated) => setAssociated(world, name, isAssociated),
    setTargetHealth: (groupName, change) => setTargetHealth(world, groupName, change),
    setCertificates: (arns) => setCertificates(world, arns),
    setTrustStores: (arns) => setTrustStores(world, arns),
    putInstance: (instance) => putInstance(world, instance),
    snapshot: () => snapshotWorld(world, buckets.levels()),
    reset: (options = {}) => reset(parts, options.keepNetwork ?? false),
  };
}

function reset({ world, buckets, faults, log }: ModelParts, keepNetwork: boolean): void {
  world.balancers.clear();
  clearTraffic(world.traffic);
  setCertificates(world, []);
  setTrustStores(world, []);
  if (!keepNetwork) clearNetwork(world.network);
  faults.clear();
  log.clear();
  buckets.refillAll();
}

function setCertificates(world: AwsWorld, arns: readonly string[]): void {
  const { certificates, importedCertificates } = world;
  importedCertificates.clear();
  certificates.clear();
  for (const arn of arns) certificates.add(arn);
}

function setTrustStores({ trustStores }: AwsWorld, arns: readonly string[]): void {
  trustStores.clear();
  for (const arn of arns) trustStores.add(arn);
}

function putInstance({ network }: AwsWorld, instance: Omit<Instance, 'tags'>): void {
  if (!network.subnets.has(instance.subnetId)) {
    throw new RangeError(`there is no subnet "${instance.subnetId}"`);
  }
  network.instances.set(instance.id, { ...instance, tags: new Map() });
}

function setOutboundGroups({ network }: AwsWorld, id: string, groups: readonly string[]): void {
  const group = network.securityGroups.get(id);
  if (group === undefined) throw new RangeError(`there is no security group "${id}"`);
  network.securityGroups.set(id, { ...group, outboundGroups: groups });
}

function setState(world: AwsWorld, name: string, state: LoadBalancerState | undefined): boolean {
  const balancer = world.balancers.byName(name);
  if (balancer === undefined) return false;
  const { stateOverride: _, ...unpinned } = balancer;
  const changed = state === undefined ? unpinned : { ...unpinned, stateOverride: state };
  world.balancers.put(changed, world.clock.now());
  return true;
}

function setAssociated(world: AwsWorld, name: string, isAssociated: boolean): boolean {
  const balancer = world.balancers.byName(name);
  if (balancer === undefined) return false;
  world.balancers.put({ ...balancer, isAssociated }, world.clock.now());
  return true;
}
