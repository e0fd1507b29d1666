import type { SubnetRole } from '../../../aws/ec2/subnets.ts';
import { STALENESS_BOUND_MS } from '../../../aws/elbv2/load-balancers.ts';
import { createFailure } from '../failure.ts';
import type { Scope } from '../scope.ts';
import { chooseSubnets, describeCandidates, type SubnetChoice } from './choose-subnets.ts';

/** Objects that are created within this time share one read. */
const SHARED_MS = 60_000;

/**
 * Finds by tags the subnets of a balancer that is about to be created and whose spec names none. What stands keeps its
 * subnets, so nothing is asked for it.
 *
 * @throws OperatorError SubnetsNotFound, SubnetsAmbiguous
 */
export async function findSubnets(scope: Scope): Promise<readonly string[]> {
  const shared = await choose(scope, SHARED_MS);
  // Tags may have been corrected since.
  const choice = shared.kind === 'chosen' ? shared : await choose(scope, STALENESS_BOUND_MS);
  if (choice.kind === 'chosen') return choice.subnets;
  throw explainFailure(choice, getTag(scope));
}

async function choose(scope: Scope, maxAgeMs: number): Promise<SubnetChoice> {
  const { discovery, pass } = scope;
  const { subnets } = scope.traffic();
  return chooseSubnets(await subnets.listTagged(getRole(scope), maxAgeMs, pass.signal), discovery);
}

function getRole({ desired: { scheme } }: Scope): SubnetRole {
  return scheme === 'internal' ? 'internal-elb' : 'elb';
}

function getTag(scope: Scope): string {
  return `kubernetes.io/role/${getRole(scope)}`;
}

function explainFailure(
  choice: Exclude<SubnetChoice, { kind: 'chosen' }>,
  tag: string,
): ReturnType<typeof createFailure> {
  const candidates = describeCandidates(choice);
  if (choice.kind === 'ambiguous') {
    const observed = `spec.subnets is left out, and subnets of several VPCs are tagged ${tag}: ${candidates}`;
    return createFailure('SubnetsAmbiguous', observed);
  }
  const observed = `spec.subnets is left out, and the subnets tagged ${tag} are not in two usable zones of one VPC: ${candidates}`;
  return createFailure('SubnetsNotFound', observed);
}
