import { ElasticLoadBalancingV2ServiceException } from '@aws-sdk/client-elastic-load-balancing-v2';

/** A refusal by AWS is an answer too; a defect of ours is none. */
export async function answerOf(ask: () => Promise<string>): Promise<string> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof ElasticLoadBalancingV2ServiceException)) throw error;
    return `${error.name}: ${error.message}`;
  }
}
