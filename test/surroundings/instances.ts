import { kubectlOrThrow } from './deploy-base.ts';
import { StandInControl } from './stand-in-control.ts';
import type { Surroundings } from './surroundings.ts';

/** Makes each node of kwok an instance that the stand-in knows, in one of the network's zones; returns their ids. */
export async function startInstances(
  { controlPlane, aws }: Pick<Surroundings, 'controlPlane' | 'aws'>,
  nodes: number,
): Promise<readonly string[]> {
  const standIn = new StandInControl(aws.environment['AWS_ENDPOINT_URL'] as string);
  const { articleSubnets } = aws.network;
  const ids = Array.from({ length: nodes }, (_, index) => `i-${String(index).padStart(17, '0')}`);
  for (const [index, id] of ids.entries()) {
    await standIn.putInstance(id, articleSubnets[index % articleSubnets.length] ?? '');
    const patch = JSON.stringify({ spec: { providerID: `aws:///us-east-1a/${id}` } });
    await kubectlOrThrow(controlPlane, ['patch', 'node', `node-${index}`, '-p', patch]);
  }
  return ids;
}
