import type { Chance } from '../chance.ts';
import type { ObjectName, SpecPlan } from '../my-ingress/actions.ts';
import type { Story } from '../my-ingress/stories.ts';
import { type Fault, PHASES, type Step } from '../scenario.ts';
import type { DiscoveryAction } from './actions.ts';

/** One MyIngress that names neither subnets nor certificates, in an account in which both come and go. */

const AT: ObjectName = 'api/found';
const HOSTS = ['shop.example.com', 'api.example.org', 'api-*.example.com', 'other.test'] as const;
const NAMES = [
  ['shop.example.com'],
  ['api.example.org'],
  ['*.example.com'],
  ['*.example.org', 'shop.example.com'],
] as const;
const TAGS = [
  { subnet: 'subnet-a', tag: 'role' },
  { subnet: 'subnet-b', tag: 'other' },
  { subnet: 'subnet-b', tag: 'own' },
  { subnet: 'subnet-c', tag: 'role' },
  { subnet: 'subnet-d', tag: 'own' },
] as const;
const OTHER_VPC = [
  { do: 'tag', subnet: 'subnet-oa', tag: 'role' },
  { do: 'tag', subnet: 'subnet-ob', tag: 'role' },
] as const;
const CALLS = [
  ...['CreateLoadBalancer', 'CreateListener', 'ModifyListener', 'AddListenerCertificates'],
  ...['RemoveListenerCertificates', 'ListCertificates', 'DescribeSubnets'],
] as const;
const MONTH_MS = 30 * 86_400_000;

export function drawDiscoveryStory(
  chance: Chance,
  { lengthMs, isCalm }: { readonly lengthMs: number; readonly isCalm: boolean },
): Story {
  const bornMs = chance.whole(5000, 30_000);
  const spec: SpecPlan = { ...LISTENERS, rules: drawRules(chance) };
  const before = (): number => chance.whole(0, bornMs);
  const later = (): number => chance.whole(bornMs + 500, lengthMs);
  const account = [
    ...(chance.happens(0.4) ? OTHER_VPC : []).map((one) => find(before(), one)),
    ...(chance.happens(0.5) ? chance.times(2, () => find(before(), drawTag(chance))) : []),
    ...chance.times(chance.whole(1, 3), (nth) => {
      const names = chance.happens(0.6) ? NAMES[nth] : undefined;
      return find(before(), drawIssue(chance, { nth, names: names ?? chance.one(NAMES) }));
    }),
    ...chance.times(chance.whole(0, 4), (nth) => {
      return find(later(), drawIssue(chance, { nth: nth + 3, names: chance.one(NAMES) }));
    }),
    ...chance.times(3, () => find(later(), drawTag(chance))),
    ...chance.times(2, () => find(later(), { do: 'withdraw', nth: chance.whole(0, 6) })),
  ];
  const users = [
    { atMs: bornMs, myIngress: { do: 'create', at: AT, spec } },
    ...chance.times(chance.whole(0, 2), () => {
      const change = { rules: drawRules(chance) };
      return { atMs: later(), myIngress: { do: 'edit', at: AT, change } } as const;
    }),
    ...(chance.happens(0.3) ? [drawLoss(later())] : []),
    ...(chance.happens(0.15)
      ? [{ atMs: later(), myIngress: { do: 'delete', at: AT } } as const]
      : []),
  ] as const;
  const steps: readonly Step[] = [...account, ...users];
  return {
    steps: steps.toSorted((a, b) => a.atMs - b.atMs),
    faults: isCalm ? [] : drawFaults(chance),
  };
}

const GONE = { statusCode: 404 } as const;
const LISTENERS = {
  listeners: [
    { port: 80, protocol: 'HTTP', redirectToHTTPS: true },
    { port: 443, protocol: 'HTTPS' },
  ],
  defaultAction: { fixedResponse: GONE },
} as const;

function drawRules(chance: Chance): NonNullable<SpecPlan['rules']> {
  const drawn = HOSTS.filter((_, index) => chance.happens(index === 3 ? 0.1 : 0.7));
  const hosts = drawn.length === 0 ? [HOSTS[0]] : drawn;
  const ordered = chance.happens(0.5) ? hosts : hosts.toReversed();
  return ordered.map((host) => ({
    name: `host-${HOSTS.indexOf(host)}`,
    hosts: [host],
    fixedResponse: GONE,
  }));
}

function drawTag(chance: Chance): DiscoveryAction {
  return { do: chance.one(['tag', 'untag']), ...chance.one(TAGS) };
}

/** Half of them expire while somebody watches. */
function drawIssue(
  chance: Chance,
  { nth, names }: { readonly nth: number; readonly names: readonly string[] },
): DiscoveryAction {
  const forMs = chance.happens(0.5) ? chance.whole(60_000, 400_000) : MONTH_MS;
  return { do: 'issue', nth, names: [...names], forMs };
}

/** Its successor finds everything once more. */
function drawLoss(atMs: number): Step {
  return { atMs, myIngress: { do: 'meddle', at: AT, meddling: { what: 'delete' } } };
}

function find(atMs: number, discovery: DiscoveryAction): Step {
  return { atMs, discovery };
}

function drawFaults(chance: Chance): readonly Fault[] {
  return chance.times(chance.whole(0, 3), (): Fault => {
    const operation = chance.one(CALLS);
    const label = `aws ${operation}`;
    const nth = chance.whole(1, 3);
    if (chance.happens(0.4))
      return { kind: 'crash', label, phase: chance.one(PHASES), nth, restartMs: 2000 };
    const effect = chance.one(['failing', 'throttled', 'lost', 'dropped'] as const);
    const fromMs = chance.whole(0, 200_000);
    return { kind: 'aws', effect, operation, times: nth, fromMs, forMs: 60_000 };
  });
}
