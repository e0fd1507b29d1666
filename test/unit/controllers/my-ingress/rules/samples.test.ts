import { describe, expect, it } from 'vitest';
import { Effort } from '../../../../../src/controllers/my-ingress/rules/effort.ts';
import {
  findFiller,
  sampleField,
} from '../../../../../src/controllers/my-ingress/rules/samples.ts';
import { meetsCondition } from '../../../../../src/routing/condition.ts';
import type { Condition, Request } from '../../../../../src/routing/rule.ts';

const REQUEST: Request = {
  ...{ protocol: 'HTTP', port: 80, method: 'GET', host: '', path: '', query: '' },
  ...{ headers: [], sourceIp: '' },
};

type Field = 'path-pattern' | 'source-ip' | 'query-string';

/** Which of the patterns each sample meets, as `10` for the first of two alone. */
function listMet(patterns: readonly string[], field: Field): readonly string[] {
  const sampling = { filler: findFiller(patterns), effort: new Effort(), until: 1 };
  const samples = sampleField(field === 'query-string' ? 'query ' : field, patterns, sampling);
  return samples.map((text) => {
    const request = { ...REQUEST, path: text, sourceIp: text, query: text };
    const met = patterns.map((pattern) => meetsCondition(conditionOf(pattern, field), request));
    return met.map(Number).join('');
  });
}

function conditionOf(pattern: string, field: Field): Condition {
  if (field !== 'query-string') return { field, values: [pattern] };
  const [key = '', value = ''] = pattern.split('=');
  return { field, values: [{ key, value }] };
}

describe('samples of paths', () => {
  it.each([
    ['a question mark and a letter in its place', ['/v?/u', '/v1/*'], ['10', '01', '11']],
    ['question marks that differ', ['/v?/?1', '/?1/2?'], ['10', '01']],
    ['question marks that agree', ['/v?/?', '/?1/2'], ['10', '01', '11']],
    ['a star whose usual texts are taken', ['/a/', '/a/x', '/a/*'], ['101', '011', '001']],
    ['a star before a question mark', ['/1?', '/1*'], ['11', '01']],
    ['two stars', ['/a/*', '*.png'], ['10', '01', '11']],
    ['a star within a text', ['/a*c', '/abc'], ['10', '11']],
  ])('meet each alone and both together, with %s', (_, patterns, expected) => {
    expect(listMet(patterns, 'path-pattern')).toEqual(expect.arrayContaining(expected));
  });

  it('meet both also where their cases differ', () => {
    const sampling = { filler: 'x', effort: new Effort(), until: 1 };
    expect(sampleField('host-header', ['A.*', '*.b'], sampling)).toContain('A..b');
    expect(sampleField('host-header', ['A.?', 'a.b'], sampling)).toContain('a.b');
  });
});

it('samples of many patterns with several stars take no more effort than they may', () => {
  const patterns = Array.from({ length: 128 }, (_, at) => `*${'a'.repeat(60)}${at}*b*${at % 3}*`);
  const effort = new Effort();
  sampleField('path-pattern', patterns, { filler: 'x', effort, until: 0.05 });
  expect(effort.spent).toBeLessThan(effort.most * 0.1);
});

describe('samples of address blocks', () => {
  it.each([
    ['of IPv6 that begin with the same address', ['2001:db8:1::/64', '2001:db8:1::/56']],
    ['of IPv4 that begin with the same address', ['10.0.0.0/16', '10.0.0.0/8']],
    ['not written as AWS echoes them', ['10.0.2.3/16', '10.0.0.9/8']],
  ])('meet the wider one alone, and both, with two %s', (_, blocks) => {
    expect(new Set(listMet(blocks, 'source-ip'))).toEqual(new Set(['01', '11', '00']));
  });

  it('meet a block whose ends are in two others', () => {
    const blocks = ['10.0.0.0/16', '10.255.0.0/16', '10.0.0.0/8'];
    expect(listMet(blocks, 'source-ip')).toContain('001');
  });
});

describe('samples of query strings', () => {
  it('take an escaped star for what it is', () => {
    const sampling = { filler: 'y', effort: new Effort(), until: 1 };
    expect(sampleField('query ', ['k=a\\*'], sampling)).toContain('k=a*');
  });

  it('meet a value whatever its key', () => {
    expect(listMet(['k=a', '*=a'], 'query-string')).toContain('01');
  });
});
