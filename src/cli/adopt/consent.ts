import { ownershipTagKeys } from '../../apis/my-ingress.ts';
import type { LoadBalancer, Tags } from '../../aws/elbv2/load-balancers.ts';
import { canAdopt, composeConsent, describeHolder } from '../../controllers/my-ingress/identity.ts';
import type { Installation } from '../account/installation.ts';
import { CommandError } from '../errors.ts';

/** The object that is to adopt. */
export interface Adopter {
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
}

/** The two tags by which the owner of a balancer agrees. */
export function composeConsentTags(adopter: Adopter): Tags {
  return {
    [ownershipTagKeys.cluster]: adopter.cluster,
    [ownershipTagKeys.adopt]: composeConsent(adopter),
  };
}

/** As a shell takes it. */
export function composeTagCommand(arns: readonly string[], tags: Tags): string {
  const pairs = Object.entries(tags).map(([key, value]) => quote(`Key=${key},Value=${value}`));
  return `aws elbv2 add-tags --resource-arns ${arns.map(quote).join(' ')} --tags ${pairs.join(' ')}`;
}

/** https://pubs.opengroup.org/onlinepubs/9799919799/utilities/V3_chap02.html#tag_19_02_02 */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Throws CommandError for a balancer that this object could not adopt even with consent. */
export function refuseUnadoptable(
  { arn, type }: Pick<LoadBalancer, 'arn' | 'type'>,
  tags: Tags,
  adopter: Adopter,
): void {
  if (type !== 'application') {
    throw new CommandError(
      `${arn} is a load balancer of type ${type}: albridge adopts application load balancers only`,
    );
  }
  const withConsent = { ...tags, ...composeConsentTags(adopter) };
  if (canAdopt(withConsent, { ...adopter, uid: '' })) return;
  const { [ownershipTagKeys.name]: name, [ownershipTagKeys.namespace]: namespace } = tags;
  if (name !== undefined && namespace !== undefined) {
    throw new CommandError(
      `${arn} is held by ${describeHolder(tags)}: set its deletionPolicy to Retain and delete it first, then run this again; if there is no such object any more, apply one of that name, which takes the load balancer up again (docs/troubleshooting.md#orphans)`,
    );
  }
  const leftovers = Object.values(ownershipTagKeys).filter((key) => Object.hasOwn(tags, key));
  throw new CommandError(
    `${arn} was released and still has tags of albridge: aws elbv2 remove-tags --resource-arns ${arn} --tag-keys ${leftovers.join(' ')}, then run this again`,
  );
}

/** Tags of other controllers that would go on changing the balancer. */
const CONTROLLERS = /^(?:([0-9a-z-]+[.])*k8s[.]aws\/|kubernetes[.]io\/cluster\/)/i;

/** undefined: no tag says so. */
function findOtherController(tags: Tags): string | undefined {
  return Object.keys(tags).find((key) => CONTROLLERS.test(key));
}

/** The tags give the load balancer to whoever has the id of the cluster. */
export function listWarnings(
  { clusterId, doubt }: Pick<Installation, 'clusterId' | 'doubt'>,
  tags: Tags,
): readonly string[] {
  const other = findOtherController(tags);
  return [
    ...(doubt === undefined
      ? []
      : [
          `that ${clusterId} is the id of this cluster is not proved: compare it with the operator's log line "working" before you set the tags`,
        ]),
    ...(other === undefined
      ? []
      : [`the tag ${other} is that of another controller, which has to let go of it first`]),
  ];
}
