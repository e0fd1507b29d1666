import {
  type MyIngress,
  type MyIngressSpec,
  ownershipTagKeys,
} from '../../../src/apis/my-ingress.ts';
import { isWrite } from '../../../src/aws/client/operations.ts';
import { isPaused } from '../../../src/core/objects/annotations.ts';
import type { Commit } from '../api-model/object-table.ts';
import { keyOfStored } from '../api-model/stored-object.ts';
import { MY_INGRESSES } from '../my-ingress/kind.ts';
import type { SpecHistory } from '../traffic/spec-history.ts';
import type { AwsCallSeen } from '../world/aws-network.ts';
import type { Cast, Stage } from '../world/stage.ts';
import type { DiscoveryAction } from './actions.ts';
import {
  type Certificates,
  chooseCertificates,
  chooseSubnets,
  covers,
  type Issued,
  type Subnets,
  type TaggedSubnet,
} from './oracle.ts';

/** Longer than any pass, and than what a list of subnets may be old. */
const RECENT_MS = 150_000;
const OUTSIDER = { userAgent: 'somebody else' } as const;
const REASONS = ['NoCertificate', 'SubnetsNotFound', 'SubnetsAmbiguous'];

type AwsWorld = Stage['aws']['world'];
type Listener = ReturnType<AwsWorld['traffic']['listeners']['all']>[number];

/** Tags of subnets and certificates, and what is promised about objects that leave them out. */
export class DiscoveryCast implements Cast<DiscoveryAction> {
  readonly #stage: Stage;
  readonly #specs: SpecHistory;
  /** The choice since each time. */
  readonly #choices: { readonly sinceMs: number; readonly subnets: Subnets }[] = [];
  /** When the first object of this name came: nothing was read for it before. */
  readonly #bornMs = new Map<string, number>();
  /** All that there ever were. */
  readonly #issued = new Map<string, Issued>();

  constructor(stage: Stage, specs: SpecHistory) {
    this.#stage = stage;
    this.#specs = specs;
    this.#noteChoice();
  }

  onCommit({ kind, object }: Commit): void {
    if (kind !== MY_INGRESSES) return;
    const key = keyOfStored(object);
    if (!this.#bornMs.has(key)) this.#bornMs.set(key, this.#stage.clock.monotonicMs());
  }

  heal(): void {
    // Nobody tags or issues anything any more.
  }

  perform(action: DiscoveryAction): void {
    if (action.do === 'issue') return this.#issue(action);
    if (action.do === 'withdraw') {
      return this.#call('DeleteCertificate', { CertificateArn: nameCertificate(action.nth) });
    }
    const { do: verb, subnet, tag } = action;
    const Tags = this.#listKeys(tag).map((Key) => ({ Key, ...(verb === 'tag' && { Value: '' }) }));
    this.#call(verb === 'tag' ? 'CreateTags' : 'DeleteTags', { Resources: [subnet], Tags });
    this.#noteChoice();
  }

  /** Runs what a call of the operator does to AWS, and judges it. */
  during<T>(call: AwsCallSeen, carryOut: () => T): T {
    if (!isWrite(call.operation)) return carryOut();
    const { traffic, balancers } = this.#stage.aws.world;
    const before = new Set(balancers.all().map(({ arn }) => arn));
    const was = new Map(traffic.listeners.all().map((one) => [one.arn, this.#namesOf(one)]));
    const result = carryOut();
    for (const listener of traffic.listeners.all()) this.#judgeCertificates(listener, was);
    if (call.operation === 'SetSubnets') this.#judgeSubnets(call.input as SetSubnets);
    for (const { arn } of balancers.all()) if (!before.has(arn)) this.#judgeCreate(arn);
    return result;
  }

  checkFinal(): void {
    const { model } = this.#stage;
    for (const object of model.table.list(MY_INGRESSES) as unknown as readonly MyIngress[]) {
      const isLive = object.metadata.deletionTimestamp === undefined && !isPaused(object);
      if (isLive && leavesOut(object.spec)) this.#checkObject(object);
    }
  }

  #issue({ nth, names, forMs }: Extract<DiscoveryAction, { do: 'issue' }>): void {
    const { aws, clock } = this.#stage;
    const arn = nameCertificate(nth);
    const fromMs = Math.floor(clock.now() / 1000) * 1000;
    const untilMs = fromMs + forMs;
    this.#issued.set(arn, { arn, names, fromMs, untilMs });
    const { importedCertificates, certificates } = aws.world;
    certificates.add(arn);
    importedCertificates.set(arn, {
      ...{ arn, names, sequence: nth + 1, keyAlgorithm: 'EC_prime256v1', notAfterMs: untilMs },
      ...{ createdAtMs: fromMs, importedAtMs: fromMs, tags: new Map() },
      // What signs it is of no interest to a control plane.
      ...{ pem: '', chainPem: '', keyPem: '' },
      x509: { validFrom: new Date(fromMs).toISOString() } as never,
    });
  }

  #listKeys(tag: 'role' | 'own' | 'other'): readonly string[] {
    if (tag === 'role') return ['kubernetes.io/role/elb', 'kubernetes.io/role/internal-elb'];
    return [`kubernetes.io/cluster/${tag === 'own' ? this.#stage.cluster : 'another'}`];
  }

  #noteChoice(): void {
    const { aws, clock, cluster } = this.#stage;
    const all = [...aws.world.network.subnets.values()].map(
      ({ id, vpcId, zoneName, tags }): TaggedSubnet => {
        return { id, vpc: vpcId, zone: zoneName, tags: new Set(tags.keys()) };
      },
    );
    this.#choices.push({ sinceMs: clock.monotonicMs(), subnets: chooseSubnets(all, cluster) });
  }

  /** A host for which the listener has a certificate is never left without one, expired or not. */
  #judgeCertificates(listener: Listener, was: ReadonlyMap<string, Names>): void {
    const before = was.get(listener.arn) ?? [];
    const owner = this.#ownerOf(listener.balancerArn);
    if (owner === undefined || before.length === 0) return;
    const specs = this.#specs
      .recent(owner, RECENT_MS)
      .filter(({ listeners = [] }) =>
        listeners.some(({ port, certificates }) => port === listener.port && !certificates),
      );
    const [first = [], ...others] = specs.map(listHosts);
    const kept = first.filter((host) => others.every((hosts) => hosts.includes(host)));
    const after = this.#namesOf(listener);
    const lost = kept.filter((host) => isCovered(before, host) && !isCovered(after, host));
    if (lost.length > 0) this.#stage.report('keeps-certificates', `${owner} loses ${lost.join()}`);
  }

  #judgeSubnets({ LoadBalancerArn, Subnets: given }: SetSubnets): void {
    const owner = this.#ownerOf(LoadBalancerArn);
    const specs = owner === undefined ? [] : this.#specs.recent(owner, RECENT_MS);
    if (specs.length === 0 || specs.some(({ subnets }) => subnets !== undefined)) return;
    this.#stage.report(
      'keeps-subnets',
      `${owner} gets ${given.join()}, which its spec does not name`,
    );
  }

  #judgeCreate(arn: string): void {
    const owner = this.#ownerOf(arn) ?? '';
    const specs = this.#specs.recent(owner, RECENT_MS);
    if (specs.length === 0 || specs.some(({ subnets }) => subnets !== undefined)) return;
    const made = this.#subnetsOf(arn).join();
    const bornMs = this.#bornMs.get(owner) ?? 0;
    const sinceMs = Math.max(bornMs, this.#stage.clock.monotonicMs() - RECENT_MS);
    const from = this.#choices.findLastIndex((one) => one.sinceMs <= sinceMs);
    const recent = this.#choices.slice(Math.max(0, from)).map(({ subnets }) => subnets);
    const isChosen = recent.some(
      (one) => typeof one !== 'string' && one.toSorted().join() === made,
    );
    if (isChosen) return this.#stage.met('subnets found');
    this.#stage.report(
      'finds-by-tags',
      `${owner} is made in ${made}, found: ${recent.join(' or ')}`,
    );
  }

  #checkObject(object: MyIngress): void {
    const { metadata, status } = object;
    const key = `${metadata.namespace}/${metadata.name}`;
    const { reason = '' } = status.conditions?.find(({ type }) => type === 'Ready') ?? {};
    const { report } = this.#stage;
    const chosen = this.#choices.at(-1)?.subnets;
    const balancer = this.#stage.aws.world.balancers
      .all()
      .find(({ arn }) => arn === status.alb?.arn);
    if (reason.startsWith('Subnets')) {
      if (balancer !== undefined || reason !== chosen)
        report('stalled-is-true', `${key} says ${reason}, not ${String(chosen)}`);
      return;
    }
    if (balancer === undefined) return;
    const wrong = [
      ...listShownSubnets(object, this.#subnetsOf(balancer.arn)),
      ...this.#listCertificateFaults(object, balancer.arn, reason),
      ...listConditionFaults(object, reason),
    ];
    if (wrong.length > 0) report('finds-certificates', `${key} (${reason}): ${wrong.join('; ')}`);
  }

  #listCertificateFaults(
    { spec, status }: MyIngress,
    balancerArn: string,
    reason: string,
  ): readonly string[] {
    const { aws, clock } = this.#stage;
    const isThere = ({ arn }: Issued): boolean => aws.world.importedCertificates.has(arn);
    const issued = [...this.#issued.values()].filter(isThere);
    const { chosen, missing, kept }: Certificates = chooseCertificates(
      listHosts(spec),
      issued,
      clock.now(),
    );
    const listener = aws.world.traffic.listeners
      .all()
      .find((one) => one.balancerArn === balancerArn && one.port === 443);
    const has = listener === undefined ? [] : listArns(listener);
    const shown = status.listeners?.find(({ port }) => port === 443)?.certificates ?? [];
    if (REASONS.includes(reason) || reason === 'Available')
      this.#stage.met(`certificates ${reason}`);
    return [
      ...unless(
        (reason === 'NoCertificate') === missing.length > 0,
        `missing is ${missing.join()}`,
      ),
      ...unless(
        missing[0] === listHosts(spec)[0] || chosen[0] === has[0],
        `${has[0]} is the default one`,
      ),
      ...unless(
        chosen.every((arn) => has.includes(arn)) &&
          has.every((arn) => chosen.includes(arn) || (missing.length > 0 && kept.includes(arn))),
        `it has ${has.join()}, found ${chosen.join()}`,
      ),
      ...unless(
        shown.map(({ arn }) => arn).join() === chosen.join(),
        `it shows ${shown.map(({ arn }) => arn).join()}, found ${chosen.join()}`,
      ),
    ];
  }

  #namesOf(listener: Listener): Names {
    return listArns(listener).flatMap((arn) => [this.#issued.get(arn)?.names ?? []]);
  }

  #subnetsOf(balancer: string): readonly string[] {
    const found = this.#stage.aws.world.balancers.all().find(({ arn }) => arn === balancer);
    return (found?.placements ?? []).map(({ subnetId }) => subnetId).toSorted();
  }

  #ownerOf(balancer: string): string | undefined {
    const found = this.#stage.aws.world.balancers.all().find(({ arn }) => arn === balancer);
    const { cluster, namespace, name } = ownershipTagKeys;
    if (found?.tags.get(cluster) !== this.#stage.cluster) return undefined;
    return `${found.tags.get(namespace)}/${found.tags.get(name)}`;
  }

  /** What is in use is not deleted; then nothing has happened. */
  #call(operation: string, input: object): void {
    const { aws, trace } = this.#stage;
    try {
      aws.handle(operation, input as never, OUTSIDER);
    } catch (error) {
      trace(`  ${operation}: ${(error as Error).message}`);
    }
  }
}

interface SetSubnets {
  readonly LoadBalancerArn: string;
  readonly Subnets: readonly string[];
}

/** Of each certificate. */
type Names = readonly (readonly string[])[];

function nameCertificate(nth: number): string {
  return `arn:aws:acm:us-east-1:000000000000:certificate/00000000-0000-4000-9000-00000000000${nth}`;
}

function leavesOut({ subnets, listeners = [] }: MyIngressSpec): boolean {
  const isOpen = listeners.some(({ protocol, certificates }) => {
    return protocol === 'HTTPS' && certificates === undefined;
  });
  return subnets === undefined && isOpen;
}

function listHosts({ rules = [] }: Pick<MyIngressSpec, 'rules'>): readonly string[] {
  return rules.flatMap(({ hosts = [] }) => hosts);
}

function listArns({ tls, extraCertificateArns }: Listener): readonly string[] {
  return [...new Set([tls?.certificateArn ?? [], extraCertificateArns].flat())];
}

function isCovered(certificates: Names, host: string): boolean {
  return certificates.some((names) => covers(names, host));
}

function listShownSubnets({ status }: MyIngress, has: readonly string[]): readonly string[] {
  const shown = (status.subnets ?? []).join();
  return unless(shown === has.join(), `it shows subnets ${shown}, it has ${has.join()}`);
}

function listConditionFaults({ status }: MyIngress, reason: string): readonly string[] {
  const valid = status.conditions?.find(({ type }) => type === 'CertificatesValid')?.status;
  const isFine = reason !== 'NoCertificate' || valid === 'False';
  return unless(isFine, `CertificatesValid is ${valid}`);
}

function unless(isFine: boolean, sentence: string): readonly string[] {
  return isFine ? [] : [sentence];
}
