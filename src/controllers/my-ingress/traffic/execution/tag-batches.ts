import { isDeepStrictEqual } from 'node:util';
import type { Call, Step } from '../../graph/steps.ts';

export type TagStep = Step<'AddTags' | 'RemoveTags'>;

/** As many as DescribeTags takes; AWS states no number for AddTags and RemoveTags. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeTags.html */
const MOST_RESOURCES = 20;

/**
 * The steps in their order, those that write the same tags of several resources together: AWS takes them in
 * one call. Of steps about tags that follow each other removals come first, since AWS counts what is there.
 */
export function batchSteps(steps: readonly Step[]): readonly (readonly Step[])[] {
  const batches: (readonly Step[])[] = [];
  let run: TagStep[] = [];
  const endRun = (): void => {
    batches.push(...batchTags(run));
    run = [];
  };
  for (const step of steps) {
    if (isTagStep(step)) run.push(step);
    else {
      endRun();
      batches.push([step]);
    }
  }
  endRun();
  return batches;
}

export function isTagStep(step: Step): step is TagStep {
  return step.operation === 'AddTags' || step.operation === 'RemoveTags';
}

function batchTags(run: readonly TagStep[]): readonly (readonly TagStep[])[] {
  const isRemoval = ({ operation }: TagStep): boolean => operation === 'RemoveTags';
  const sorted = run.toSorted((a, b) => Number(isRemoval(b)) - Number(isRemoval(a)));
  const groups: TagStep[][] = [];
  for (const step of sorted) {
    const group = groups.find(([first]) => first !== undefined && isAlike(first, step));
    if (group !== undefined && group.length < MOST_RESOURCES) group.push(step);
    else groups.unshift([step]);
  }
  return groups.toReversed();
}

function isAlike(a: TagStep, b: TagStep): boolean {
  return a.operation === b.operation && isDeepStrictEqual(readTags(a.input), readTags(b.input));
}

function readTags(input: Call<'AddTags' | 'RemoveTags'>['input']): unknown {
  return 'tags' in input ? input.tags : input.keys;
}
