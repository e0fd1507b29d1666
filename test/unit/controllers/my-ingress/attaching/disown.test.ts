import { expect, it } from 'vitest';
import { resourceTagKey } from '../../../../../src/apis/my-ingress.ts';
import { disownAttached } from '../../../../../src/controllers/my-ingress/attaching/disown.ts';
import type { ObservedGraph } from '../../../../../src/controllers/my-ingress/graph/graph.ts';

interface Tagged {
  readonly tags: Readonly<Record<string, string>>;
}

function disown(ids: {
  readonly groups?: readonly string[];
  readonly rules?: readonly string[];
}): readonly string[] {
  const tag = (id: string): Tagged => ({ tags: { [resourceTagKey]: id, team: 'a' } });
  const { groups = [], rules = [] } = ids;
  const observed = {
    targetGroups: groups.map(tag),
    listeners: [{ ...tag('listener/80'), rules: rules.map(tag) }],
  } as unknown as ObservedGraph;
  const { targetGroups, listeners } = disownAttached(observed);
  const all: readonly Tagged[] = [
    ...targetGroups,
    ...listeners,
    ...listeners.flatMap((listener) => listener.rules),
  ];
  return all.map(({ tags }) => tags[resourceTagKey] ?? 'foreign');
}

it('shows what is attached as foreign, and what the spec has as it is', () => {
  const groups = ['target-group/spec/app', 'target-group/WebApp/web/app/app'];
  const rules = ['rule/80/spec/app/0', 'rule/80/WebApp/web/app/app/0'];
  expect(disown({ groups, rules })).toEqual([
    'target-group/spec/app',
    'foreign',
    'listener/80',
    'rule/80/spec/app/0',
    'foreign',
  ]);
});

it('takes an id that is hashed for one that is attached: none of the spec is that long', () => {
  const hash = `sha256:${'0'.repeat(64)}`;
  expect(disown({ groups: [`target-group/${hash}`], rules: [`rule/${hash}`] })).toEqual([
    'foreign',
    'listener/80',
    'foreign',
  ]);
});

it('leaves what has no id as it is', () => {
  const observed = {
    targetGroups: [{ tags: { team: 'a' } }],
    listeners: [],
  } as unknown as ObservedGraph;
  expect(disownAttached(observed).targetGroups).toEqual([{ tags: { team: 'a' } }]);
});
