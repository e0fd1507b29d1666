import { describe, expect, it } from 'vitest';
import {
  type Problem,
  reportProblems,
} from '../../../../../src/controllers/my-ingress/graph/problem.ts';

const conflict: Problem = {
  id: 'listener/80',
  reason: 'PortConflict',
  message: 'port 80 is held by x',
};
const slow: Problem = { id: 'listener/443', reason: 'Throttled', message: 'AWS refused the call' };
const rule = (name: string): Problem => ({
  ...{ id: `rule/443/spec/${name}/0`, reason: 'ValidationError', message: 'AWS refused it' },
});

describe('problems of resources', () => {
  it('are none where nothing is wrong', () => {
    expect(reportProblems([])).toBe(undefined);
  });

  it('come in one message, worst first: a person before time, listeners before rules', () => {
    const backend: Problem = {
      id: 'target-group/spec/web',
      reason: 'NameConflict',
      message: 'taken',
    };
    expect(reportProblems([slow, rule('api'), backend, conflict])).toEqual({
      reason: 'PortConflict',
      healedBy: 'person',
      message:
        'listener 80: port 80 is held by x. backend web: taken. rule api on port 443: AWS refused it. ' +
        'listener 443: AWS refused the call; ' +
        'remove the listener that the message names, choose another port in spec.listeners, or have its owner hand it over by tags',
    });
  });

  it('name the cause before what follows from it', () => {
    const needs = (id: string): Problem => {
      return { id, reason: 'BackendUnavailable', message: 'a backend has no target group' };
    };
    const taken: Problem = {
      ...{ id: 'target-group/spec/web', reason: 'NameConflict', message: 'the name is taken' },
      next: 'delete the other one',
    };
    expect(reportProblems([needs('listener/80'), needs('rule/80/spec/a/0'), taken])).toMatchObject({
      reason: 'NameConflict',
      message: expect.stringMatching(
        /^backend web: the name is taken\. listener 80: .*; delete the other one$/,
      ),
    });
    expect(reportProblems([needs('listener/80'), conflict])?.reason).toBe('BackendUnavailable');
  });

  it('name a rule whose id was shortened by that id', () => {
    const shortened = { ...rule('api'), id: 'rule/sha256:0a1b' };
    expect(reportProblems([shortened])?.message).toMatch(/^rule sha256:0a1b: AWS refused it/);
  });

  it('that time heals do not ask for a person', () => {
    expect(reportProblems([slow])).toMatchObject({ reason: 'Throttled', healedBy: 'time' });
  });

  it('beyond the fifth are counted', () => {
    const many = Array.from({ length: 9 }, (_, index) => rule(`r${index}`));
    expect(reportProblems(many)?.message).toMatch(/^rule r0 on .* rule r4 on [^.]*\. and 4 more; /);
  });
});
