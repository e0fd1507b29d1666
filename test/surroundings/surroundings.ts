import type { ClusterAccess } from '../control-plane/cluster-access.ts';
import {
  type ControlPlane,
  type ControlPlaneOptions,
  startControlPlane,
} from '../control-plane/control-plane.ts';
import { isolatedEnvironment } from '../control-plane/environment.ts';
import type { WorkerOptions } from '../control-plane/workers.ts';
import { type AwsStandIn, type AwsStandInOptions, startAwsStandIn } from './aws-stand-in.ts';
import { deployBase } from './deploy-base.ts';
import { limitOperator, readClusterId } from './limited-operator.ts';
import { type OperatorProcess, startOperatorProcess } from './operator-process.ts';

export interface SurroundingsOptions extends AwsStandInOptions, WorkerOptions {
  /** Another way to an AWS stand-in, instead of the options for one. */
  readonly startAws?: () => Promise<AwsStandIn>;
  /** Further flags of kube-apiserver. */
  readonly apiServerArgs?: readonly string[];
  /** See ControlPlaneOptions. */
  readonly isDurable?: boolean;
}

/** A real control plane with albridge's manifests in it, and the AWS stand-in with a network. */
export interface Surroundings {
  readonly controlPlane: ControlPlane;
  readonly aws: AwsStandIn;
  /** The whole environment of an operator that is to run here. */
  readonly operatorEnvironment: Environment;
  /** Starts an operator; `extra` goes on top of its environment. `stop` stops it too. */
  launchOperator(extra?: Environment, logFile?: string): OperatorProcess;
  /** The same, and waits until it works. */
  startOperator(extra?: Environment): Promise<OperatorProcess>;
  stop(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

/**
 * Starts both at once; what has come up is stopped again if the other fails. Against the embedded
 * stand-in the operator works under deploy/iam/policy.json.
 */
export async function startSurroundings(options: SurroundingsOptions = {}): Promise<Surroundings> {
  let kubeconfig = '';
  const beforeWorkers = async (cluster: ClusterAccess): Promise<void> => {
    kubeconfig = await deployBase(cluster);
  };
  const [controlPlane, aws] = await startBoth({ ...options, beforeWorkers });
  if (isEmbedded(options)) await limitOperator(aws.environment, await readClusterId(controlPlane));
  const operatorEnvironment = {
    ...isolatedEnvironment(process.env, controlPlane.directory),
    ...aws.environment,
    KUBECONFIG: kubeconfig,
    ALBRIDGE_AWS_BUDGET: options.budget === 'aws' ? 'aws' : 'off',
    ALBRIDGE_METRICS_ADDRESS: '127.0.0.1:0',
    ALBRIDGE_HEALTH_ADDRESS: '127.0.0.1:0',
  };
  return withOperators({ controlPlane, aws, operatorEnvironment });
}

function isEmbedded({ startAws, backend = 'embedded' }: SurroundingsOptions): boolean {
  return startAws === undefined && backend === 'embedded';
}

function withOperators(
  parts: Pick<Surroundings, 'controlPlane' | 'aws' | 'operatorEnvironment'>,
): Surroundings {
  const { controlPlane, aws, operatorEnvironment } = parts;
  const operators: OperatorProcess[] = [];
  const launchOperator = (extra?: Environment, logFile?: string): OperatorProcess => {
    const operator = startOperatorProcess({
      environment: { ...operatorEnvironment, ...extra },
      ...(logFile === undefined ? {} : { logFile }),
    });
    operators.push(operator);
    return operator;
  };
  return {
    ...parts,
    launchOperator,
    startOperator: async (extra) => {
      const operator = launchOperator(extra);
      await operator.waitForLine((line) => line.msg === 'working');
      return operator;
    },
    stop: async () => {
      await Promise.all(operators.map((operator) => operator.stop()));
      await stopBoth(controlPlane, aws);
    },
  };
}

async function startBoth(
  options: SurroundingsOptions & Pick<ControlPlaneOptions, 'beforeWorkers'>,
): Promise<[ControlPlane, AwsStandIn]> {
  const startAws = options.startAws ?? ((): Promise<AwsStandIn> => startAwsStandIn(options));
  const starting = [startControlPlane(options), startAws()] as const;
  try {
    return await Promise.all(starting);
  } catch (error) {
    for (const one of await Promise.allSettled(starting)) {
      if (one.status === 'fulfilled') await one.value.stop();
    }
    throw error;
  }
}

async function stopBoth(controlPlane: ControlPlane, aws: AwsStandIn): Promise<void> {
  await Promise.all([controlPlane.stop(), aws.stop()]);
}
