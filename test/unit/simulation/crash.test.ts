import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../localstack/embedded/ec2/seeded-ids.ts';
import { createEmbeddedAws } from '../../../localstack/embedded/embedded-aws.ts';
import type { AwsApi } from '../../../src/aws/client/aws-api.ts';
import type { KubeTransport } from '../../../src/kube/client/kube-transport.ts';
import { ApiServerModel, NAMESPACES } from '../../simulation/api-model/api-server-model.ts';
import type { Phase } from '../../simulation/scenario.ts';
import { SimClock } from '../../simulation/sim-clock.ts';
import { createAwsNetwork } from '../../simulation/world/aws-network.ts';
import { FaultBoard } from '../../simulation/world/fault-board.ts';
import { createKubeNetwork } from '../../simulation/world/kube-network.ts';
import { Life } from '../../simulation/world/life.ts';

const SUBNETS = ['subnet-a', 'subnet-b'];

interface Process {
  readonly world: SimClock;
  readonly life: Life;
  readonly transport: KubeTransport;
  readonly api: AwsApi;
  /** What exists outside of the process. */
  readonly namespaces: () => number;
  readonly awsCalls: string[];
}

/** A process that is killed at the first operation of this label. */
function begin(label: string, phase: Phase): Process {
  const world = new SimClock(1);
  const life = new Life({ world, name: 'replica-0_1', seed: 1, wallSkewMs: 0 });
  const board = new FaultBoard([{ kind: 'crash', label, phase, nth: 1, restartMs: 1000 }]);
  const model = new ApiServerModel({ clock: world, random: seededRandom(1), kinds: [] });
  const aws = createEmbeddedAws({ clock: world, random: seededRandom(2) });
  const awsCalls: string[] = [];
  const shared = { world, life, board, onCrash: () => {} };
  const leadership = { isLeader: () => true };
  const witness = {
    asked: () => {},
    sent: () => {},
    answered: () => {},
    during: <T>(call: { readonly operation: string }, carryOut: () => T): T => {
      awsCalls.push(call.operation);
      return carryOut();
    },
  };
  return {
    world,
    life,
    awsCalls,
    namespaces: () => model.table.list(NAMESPACES).length,
    transport: createKubeNetwork({
      ...shared,
      model,
      replica: 0,
      onSent: () => {},
      watches: new Set(),
    }),
    api: createAwsNetwork({ ...shared, aws, leadership, witness }),
  };
}

/** What a process does with a port, and every trace of it that may be left in the process. */
function use(seen: string[], name: string, call: Promise<unknown>): void {
  call
    .then(() => seen.push(`${name} answered`))
    .catch(() => seen.push(`${name} failed`))
    .finally(() => seen.push(`${name} over`));
}

function createNamespace(transport: KubeTransport, name: string): Promise<unknown> {
  const body = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  return transport.request({ method: 'POST', path: '/api/v1/namespaces', body });
}

function createBalancer(api: AwsApi, signal?: AbortSignal): Promise<unknown> {
  return api.send('CreateLoadBalancer', { Name: 'one', Subnets: SUBNETS }, { signal });
}

const KUBE = 'kube POST namespaces';
const AWS = 'aws CreateLoadBalancer';
const HOUR_MS = 3_600_000;

describe('a process that is killed', () => {
  it.each([
    ['before', 0],
    ['unanswered', 1],
  ] as const)('hears nothing of a request to the API server: %s', async (phase, made) => {
    const { world, transport, namespaces, life } = begin(KUBE, phase);
    const seen: string[] = [];
    use(seen, 'the request', createNamespace(transport, 'one'));
    await world.runUntil(HOUR_MS);
    expect({ seen, isDead: life.isDead, made: namespaces() }).toEqual({
      seen: [],
      isDead: true,
      made,
    });
  });

  it.each([
    ['before', []],
    ['unanswered', ['CreateLoadBalancer']],
  ] as const)(
    'hears nothing of a call of AWS, not even its own timeout: %s',
    async (phase, calls) => {
      const { world, api, awsCalls, life } = begin(AWS, phase);
      const seen: string[] = [];
      use(seen, 'the call', createBalancer(api));
      await world.runUntil(HOUR_MS);
      expect({ seen, isDead: life.isDead, awsCalls }).toEqual({
        seen: [],
        isDead: true,
        awsCalls: calls,
      });
    },
  );

  it('hears one last answer where it dies after it, and nothing of what else was on its way', async () => {
    const { world, transport, api, life } = begin(KUBE, 'after');
    const seen: string[] = [];
    use(seen, 'the request', createNamespace(transport, 'one'));
    use(seen, 'the call', createBalancer(api));
    await world.runUntil(HOUR_MS);
    expect(life.isDead).toBe(true);
    expect(seen.filter((what) => what.startsWith('the request'))).toEqual([
      'the request answered',
      'the request over',
    ]);
    // Whether that had come back before is a matter of latencies; this seed says no.
    expect(seen.filter((what) => what.startsWith('the call'))).toEqual([]);
  });

  it('sends nothing any more, and no timer of it fires', async () => {
    const { world, transport, api, life, namespaces, awsCalls } = begin(KUBE, 'unanswered');
    const seen: string[] = [];
    life.clock.setTimer(60_000, () => seen.push('timer'));
    use(seen, 'the first', createNamespace(transport, 'one'));
    await world.runUntil(10_000);
    use(seen, 'the second', createNamespace(transport, 'two'));
    use(seen, 'the call', createBalancer(api));
    await world.runUntil(HOUR_MS);
    expect({ seen, made: namespaces(), awsCalls }).toEqual({ seen: [], made: 1, awsCalls: [] });
  });
});

it('is killed nowhere any more once kills are over, and what begins there is no crash point', () => {
  const label = 'aws CreateLoadBalancer';
  const board = new FaultBoard([{ kind: 'crash', label, phase: 'after', nth: 2, restartMs: 1 }]);
  board.fateOf(label, 0);
  board.close();
  expect(board.fateOf(label, 1)).toEqual({});
  expect([...board.counts]).toEqual([[label, 1]]);
  expect(board.hasKillsLeft).toBe(false);
});
