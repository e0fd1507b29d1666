import { describe, expect, it } from 'vitest';
import { decide } from '../../../src/routing/decide.ts';
import type { Condition, Rule } from '../../../src/routing/rule.ts';
import { request } from './request.ts';

function rule(priority: Rule['priority'], ...conditions: readonly Condition[]): Rule {
  return { priority, conditions, action: { type: 'forward', targetGroups: [] } };
}

const host: Condition = { field: 'host-header', values: ['shop.example.com'] };
const path: Condition = { field: 'path-pattern', values: ['/v1/*'] };

describe('a request', () => {
  it('goes to the rule of the lowest number that fits, in whatever order they are listed', () => {
    const rules = [rule('default'), rule(200, host), rule(100, host, path), rule(9, path)];
    expect(decide(rules, request({ path: '/v1/a' })).rule.priority).toBe(9);
    expect(decide(rules, request({ path: '/' })).rule.priority).toBe(200);
    expect(decide(rules, request({ host: 'x.example.com' })).rule.priority).toBe('default');
  });

  it('is explained by the rules that it passed over, each with what did not fit', () => {
    const rules = [rule(100, host, path), rule('default')];
    expect(decide(rules, request({ path: '/v2/a' }))).toEqual({
      rule: rules[1],
      passedOver: [{ rule: rules[0], because: path }],
    });
  });

  it('needs the default rule that every listener has', () => {
    expect(() => decide([rule(1, path)], request())).toThrow('the listener has no default rule');
  });
});
