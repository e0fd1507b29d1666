import { describe, expect, it } from 'vitest';
import type { WebApp } from '../../../../src/apis/web-app.ts';
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
} from '../../../../src/controllers/web-app/deployment.ts';
import {
  copyConditions,
  judgeDeployment,
  readCounts,
} from '../../../../src/controllers/web-app/status.ts';

const object = {
  metadata: { name: 'shop', namespace: 'web' },
  spec: { image: 'nginx', replicas: 3, port: 8080 },
} as WebApp;

function deployment(status: DeploymentStatus, replicas?: number): Deployment {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'shop', namespace: 'web', generation: 2 },
    spec: replicas === undefined ? {} : { replicas },
    status: { observedGeneration: 2, ...status },
  };
}

const all = (count: number): DeploymentStatus => ({
  replicas: count,
  updatedReplicas: count,
  readyReplicas: count,
  availableReplicas: count,
});

const progressing = (reason: string, message?: string): DeploymentCondition => ({
  type: 'Progressing',
  status: reason === 'ProgressDeadlineExceeded' ? 'False' : 'True',
  reason,
  ...(message === undefined ? {} : { message }),
});

const refused: DeploymentCondition = {
  type: 'ReplicaFailure',
  status: 'True',
  reason: 'FailedCreate',
  message: 'exceeded quota: pods=2',
};

interface Case {
  readonly why: string;
  readonly deployment: Deployment | undefined;
  readonly reason: string;
  readonly says: string;
}

const RollingOut = 'RollingOut';
const cases: Readonly<Record<string, Case>> = {
  'there is no Deployment yet': {
    why: 'the cache does not show it',
    deployment: undefined,
    reason: RollingOut,
    says: 'the Deployment controller has not observed Deployment shop yet',
  },
  'its controller has not seen the newest spec': {
    why: 'the counts speak of the older one',
    deployment: deployment({ ...all(3), observedGeneration: 1 }, 3),
    reason: RollingOut,
    says: 'the Deployment controller has not observed Deployment shop yet',
  },
  'its controller has never reconciled it': {
    why: 'there is no status at all',
    deployment: { ...deployment({}, 3), status: {} },
    reason: RollingOut,
    says: 'the Deployment controller has not observed Deployment shop yet',
  },
  'pods of the newest spec are missing': {
    why: 'the rollout is under way',
    deployment: deployment({ ...all(3), updatedReplicas: 1 }, 3),
    reason: RollingOut,
    says: '1 of 3 pods have the newest spec',
  },
  'pods of the older spec are left': {
    why: 'they still serve the older image',
    deployment: deployment({ ...all(3), replicas: 4 }, 3),
    reason: RollingOut,
    says: '1 pods with an older spec are still running',
  },
  'it is being scaled down': {
    why: 'pods too many are pods that still run',
    deployment: deployment({ ...all(5), replicas: 5 }, 3),
    reason: RollingOut,
    says: '2 surplus pods are still running',
  },
  'pods are not available yet': {
    why: 'they exist and do not serve',
    deployment: deployment({ ...all(3), availableReplicas: 2 }, 3),
    reason: RollingOut,
    says: '2 of 3 pods are available',
  },
  'the cluster takes no more pods': {
    why: 'a quota',
    deployment: deployment({ ...all(2), conditions: [refused] }, 3),
    reason: 'ReplicaFailure',
    says: 'exceeded quota: pods=2',
  },
  'all pods serve': {
    why: 'the goal',
    deployment: deployment(all(3), 3),
    reason: 'Available',
    says: '3 pods are available at http://shop.web.svc:8080',
  },
  'one pod is desired and serves': {
    why: 'the number of pods is the default of the Deployment',
    deployment: deployment(all(1)),
    reason: 'Available',
    says: '1 pod is available at http://shop.web.svc:8080',
  },
  'an autoscaler wants more than the spec': {
    why: 'what the Deployment wants counts',
    deployment: deployment(all(7), 7),
    reason: 'Available',
    says: '7 pods are available at http://shop.web.svc:8080',
  },
  'no pod is desired and none runs': {
    why: 'scaled to zero is no failure',
    deployment: deployment({}, 0),
    reason: 'Stopped',
    says: 'scaled to 0',
  },
  'no pod is desired and one still runs': {
    why: 'pods are on their way out',
    deployment: deployment({ replicas: 1 }, 0),
    reason: RollingOut,
    says: '1 pods with an older spec are still running',
  },
};

describe('a paused Deployment', () => {
  const paused = (status: DeploymentStatus): Deployment => {
    const { spec, ...rest } = deployment(status, 3);
    return { ...rest, spec: { ...spec, paused: true } };
  };

  it('is named while pods are to be replaced, and so is the way out', () => {
    const stuck = paused({ ...all(3), updatedReplicas: 0 });
    expect(() => judgeDeployment(object, stuck)).toThrow(
      'Deployment shop is paused and replaces no pods; kubectl rollout resume deployment/shop',
    );
  });

  it('is no failure while all pods are as desired', () => {
    expect(judgeDeployment(object, paused(all(3)))).toMatchObject({ reason: 'Available' });
  });
});

describe('a WebApp', () => {
  it.each(Object.entries(cases))('is judged when %s', (_name, testCase) => {
    const outcome = judgeDeployment(object, testCase.deployment);
    expect(outcome, testCase.why).toMatchObject({
      reason: testCase.reason,
      message: testCase.says,
    });
    const isSettled = testCase.reason === 'Available' || testCase.reason === 'Stopped';
    expect(outcome.kind).toBe(isSettled ? 'settled' : 'waiting');
  });

  it('is stalled when its Deployment has given up, and says what to do', () => {
    const stuck = { ...all(3), availableReplicas: 2, updatedReplicas: 1 };
    const given = deployment(
      { ...stuck, conditions: [progressing('ProgressDeadlineExceeded')] },
      3,
    );
    expect(() => judgeDeployment(object, given)).toThrow(
      expect.objectContaining({
        reason: 'ProgressDeadlineExceeded',
        healedBy: 'person',
        message: expect.stringMatching(/^2 of 3 pods are available, .*correct spec\.image/),
      }),
    );
  });

  it('is not stalled by what was given up before the newest spec', () => {
    const conditions = [progressing('ProgressDeadlineExceeded')];
    const edited = deployment({ ...all(3), conditions, observedGeneration: 1 }, 3);
    expect(judgeDeployment(object, edited)).toMatchObject({ reason: RollingOut });
  });
});

describe('the counts of a WebApp', () => {
  it('are all there, also those that the Deployment leaves out', () => {
    const none = { replicas: 0, updatedReplicas: 0, readyReplicas: 0, availableReplicas: 0 };
    expect(readCounts(undefined)).toEqual(none);
    expect(readCounts(deployment({ replicas: 2 }))).toEqual({ ...none, replicas: 2 });
  });
});

describe('the conditions of a WebApp', () => {
  const available: DeploymentCondition = {
    type: 'Available',
    status: 'True',
    reason: 'MinimumReplicasAvailable',
    message: 'Deployment has minimum availability.',
  };

  it('are those of the Deployment, and that it can make progress', () => {
    const conditions = [available, progressing('NewReplicaSetAvailable', 'done')];
    expect(copyConditions(object, deployment({ conditions }))).toEqual([
      available,
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable', message: 'done' },
      {
        type: 'Degraded',
        status: 'False',
        reason: 'AsExpected',
        message: 'the Deployment can make progress',
      },
    ]);
  });

  it('name what is in the way', () => {
    const givenUp = progressing('ProgressDeadlineExceeded', 'has timed out progressing');
    const degraded = (...conditions: readonly DeploymentCondition[]): unknown =>
      copyConditions(object, deployment({ conditions })).find(({ type }) => type === 'Degraded');
    expect(degraded(refused)).toEqual({ ...refused, type: 'Degraded' });
    expect(degraded(givenUp)).toEqual({ ...givenUp, type: 'Degraded', status: 'True' });
    expect(degraded({ ...refused, status: 'False' })).toMatchObject({ status: 'False' });
  });

  it('have a reason and a message even where the Deployment gives none', () => {
    const bare = copyConditions(
      object,
      deployment({ conditions: [{ type: 'Available', status: 'True' }] }),
    );
    expect(bare[0]).toEqual({ type: 'Available', status: 'True', reason: 'Unknown', message: '' });
  });

  it('are none before there is a Deployment', () => {
    expect(copyConditions(object, undefined)).toEqual([]);
  });

  it.each([
    ['there is no Deployment', undefined, ['Unknown', 'Unknown', 'Unknown']],
    ['the Deployment is new', { ...deployment({}), status: {} }, ['Unknown', 'Unknown', 'False']],
  ])('are not those of before where %s', (_why, found, expected) => {
    const lastTransitionTime = '';
    const conditions = [available, progressing('NewReplicaSetAvailable'), refused].map((one) => {
      const type = one === refused ? 'Degraded' : one.type;
      return { ...one, type, reason: '', message: '', lastTransitionTime };
    });
    const stated = copyConditions({ ...object, status: { conditions } } as never, found);
    expect(stated.map(({ status }) => status)).toEqual(expected);
  });
});
