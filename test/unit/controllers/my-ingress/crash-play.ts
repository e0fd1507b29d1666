import type { CrashPlan } from './crashing-ports.ts';
import { MINUTE_MS, World } from './world.ts';

export interface Story {
  /** Before the process that is to die begins. */
  readonly before: (world: World) => Promise<unknown>;
  /** What people do while it runs. */
  readonly act: (world: World) => void;
  /** How long the process runs where nothing kills it; default 20 s. */
  readonly lastsMs?: number;
  readonly ends: (world: World) => void;
}

const ports = ['aws', 'kube'] as const;
const moments = ['before', 'unanswered', 'after'] as const;

/** Every place where the story can be cut, by running it once without a crash. */
export async function cutsOf(
  story: Story,
  prepare?: (world: World) => void,
): Promise<readonly CrashPlan[]> {
  const world = await play(story, undefined, prepare);
  return ports.flatMap((port) =>
    Array.from({ length: world.incarnation.count(port) }, (_, i) => i + 1).flatMap((at) =>
      moments.map((when) => ({ port, at, when })),
    ),
  );
}

/** The operations by which the story writes to AWS where nothing cuts it. */
export async function listWrites(story: Story): Promise<readonly string[]> {
  return (await play(story, undefined)).writesToAws;
}

export async function play(
  story: Story,
  plan: CrashPlan | undefined,
  prepare?: (world: World) => void,
): Promise<World> {
  const world = World.started();
  await story.before(world);
  await world.clock.advance(MINUTE_MS);
  world.crash();
  world.aws.control.clearCalls();
  world.start(plan);
  await world.clock.settle();
  prepare?.(world);
  story.act(world);
  await world.clock.advance(story.lastsMs ?? 20_000);
  return world;
}

/** Every read answers as things stood nine seconds before. */
export function staleFor(forMs: number): (world: World) => void {
  return (world) => world.fault('*', { kind: 'staleReads', ageMs: 9_000 }, { forMs });
}
