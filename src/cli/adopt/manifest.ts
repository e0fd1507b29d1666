import { type MyIngressSpec, myIngressKind, reservedTagKey } from '../../apis/my-ingress.ts';
import { findAttributeDefault } from '../../controllers/my-ingress/load-balancer/desired.ts';
import { compareText, formatApiVersion } from '../../core/objects/kube-object.ts';
import type { Adopter } from './consent.ts';
import type { Balancer } from './observe-balancer.ts';

/** A manifest, and sentences about what it leaves out. */
export interface Adoption {
  readonly manifest: object;
  readonly remarks: readonly string[];
}

/**
 * A MyIngress whose spec is the balancer as it is now, so that its adoption changes nothing but albridge's own tags;
 * pure. Listeners are no part of it: without a listener of the spec all of them stay with their owner.
 */
export function composeManifest(balancer: Balancer, adopter: Adopter): Adoption {
  const { loadBalancer } = balancer;
  const { arn, scheme, ipAddressType, securityGroups } = loadBalancer;
  const remarks: string[] = [];
  const spec = {
    adopt: { arn },
    deletionPolicy: 'Retain',
    ...{ scheme, ipAddressType },
    ...chooseSubnets(balancer, remarks),
    ...(securityGroups.length > 0 && { securityGroups: securityGroups.toSorted() }),
    ...chooseAttributes(balancer),
    ...chooseTags(balancer, remarks),
  };
  const { namespace, name } = adopter;
  const { kind } = myIngressKind;
  const apiVersion = formatApiVersion(myIngressKind);
  return { manifest: { apiVersion, kind, metadata: { namespace, name }, spec }, remarks };
}

type Part<Field extends keyof MyIngressSpec> = { readonly [F in Field]?: MyIngressSpec[F] };

/** As the CRD has it. */
const FEWEST_SUBNETS = 2;
const MOST_TAGS = 40;

function chooseSubnets(
  { loadBalancer: { subnets } }: Balancer,
  remarks: string[],
): Part<'subnets'> {
  if (subnets.length >= FEWEST_SUBNETS) return { subnets: subnets.toSorted() };
  remarks.push('its subnets, since a spec names at least two; it keeps the one that it has');
  return {};
}

/** AWS takes no empty value back, and what the spec leaves out stays as it is. */
function chooseAttributes({ attributes, loadBalancer }: Balancer): Part<'attributes'> {
  const own = Object.entries(attributes).filter(
    ([key, value]) => value !== '' && value !== findAttributeDefault(key, loadBalancer),
  );
  return own.length === 0 ? {} : { attributes: Object.fromEntries(own.toSorted(compareKeys)) };
}

function chooseTags({ tags }: Balancer, remarks: string[]): Part<'tags'> {
  const entries = Object.entries(tags).toSorted(compareKeys);
  const own = entries.filter(([key]) => !reservedTagKey.test(key));
  const left = [
    ...entries.filter(([key]) => reservedTagKey.test(key) && !/^albridge[.]io\//i.test(key)),
    ...own.slice(MOST_TAGS),
  ].map(([key]) => key);
  if (left.length > 0) remarks.push(`the tags ${left.join(', ')}, which stay as they are`);
  return own.length === 0 ? {} : { tags: Object.fromEntries(own.slice(0, MOST_TAGS)) };
}

function compareKeys([a]: readonly [string, string], [b]: readonly [string, string]): number {
  return compareText(a, b);
}
