import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { RULE_OBJECT, RULES, renderRuleObject } from '../../../deploy/alerts.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const PAGE = resolve(ROOT, 'docs/alerts.md');
const page = readFileSync(PAGE, 'utf8');
const rules = readFileSync(RULES, 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}

interface Groups {
  readonly groups: readonly { readonly rules: readonly Alert[] }[];
}

const { groups } = parse(rules) as Groups;
const alerts = groups.flatMap((group) => group.rules);

/** The sections of the page by their anchors, as GitHub makes them of one word. */
function readSections(): ReadonlyMap<string, string> {
  const parts = page.split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.split('\n', 1)[0]?.toLowerCase() ?? '', part]));
}

describe('deploy/components/alerts/rule.yaml', () => {
  it('is what npm run gen writes, and has the same groups', () => {
    const text = readFileSync(RULE_OBJECT, 'utf8');
    expect(text).toBe(renderRuleObject(rules));
    expect((parse(text) as { readonly spec: Groups }).spec).toEqual(parse(rules));
  });
});

describe('each alert', () => {
  it.each(alerts.map((alert) => [alert.alert, alert] as const))('%s is complete', (name, alert) => {
    expect(name).toMatch(/^Albridge[A-Z]\w+$/);
    expect(alert.for).toMatch(/^\d+m$/);
    const [, severity] = /^\*(\w+)\.\*$/m.exec(readSections().get(name.toLowerCase()) ?? '') ?? [];
    expect(alert.labels.severity).toBe(severity?.toLowerCase());
    expect(alert.annotations.summary).toMatch(/\S/);
    expect(alert.annotations.runbook).toBe(`docs/alerts.md#${name.toLowerCase()}`);
  });

  it.each(alerts.map(({ alert }) => alert))(
    '%s has a runbook: meaning, three commands, causes',
    (name) => {
      const section = readSections().get(name.toLowerCase()) ?? '';
      expect(section.split('\n\n')[1]).toMatch(/^\*(Critical|Warning|Info)\.\*\n[A-Z].{60,}/s);
      const [, commands = ''] = /```sh\n([\s\S]*?)\n```/.exec(section) ?? [];
      expect(commands.split('\n')).toHaveLength(3);
      expect(section).toMatch(/\n- \S/);
    },
  );
});

describe('AlbridgeObjectNotReady', () => {
  const { expr = '' } = alerts.find(({ alert }) => alert === 'AlbridgeObjectNotReady') ?? {};
  const [, left = ''] = /reason!~"([\w|]+)"/.exec(expr) ?? [];

  it.each(['Suspended', 'MinInterval', 'RolloutStarted', 'WaitingForReady'])(
    'does not fire for %s, which the spec of a ConfigMonitor may make last for hours',
    (reason) => expect(left.split('|')).toContain(reason),
  );

  it('names no reason that does not exist', () => {
    const reasons = readFileSync(resolve(ROOT, 'docs/reasons.md'), 'utf8');
    for (const reason of left.split('|')) expect(reasons).toContain(`| \`${reason}\` |`);
  });
});

it('the pages have the ranges of the rules', () => {
  const used = new Set(rules.match(/increase\(albridge_\w+\[\w+\]\)/g));
  const names = ['configmonitor', 'monitoring', 'alerts', 'troubleshooting'];
  const texts = names.map((name) => readFileSync(resolve(ROOT, `docs/${name}.md`), 'utf8'));
  const shown = texts.join('\n').match(/increase\(albridge_\w+\[\w+\]\)/g) ?? [];
  expect(shown.length).toBeGreaterThan(0);
  expect(shown.filter((query) => !used.has(query))).toEqual([]);
});

describe('docs/alerts.md', () => {
  it('has the minutes that an alert waits where it says for how long something is so', () => {
    const said = alerts.flatMap((alert) => {
      const text = readSections().get(alert.alert.toLowerCase())?.split('\n\n')[1] ?? '';
      const [, minutes] = /\bfor\s(\d+) minutes/i.exec(text) ?? [];
      return minutes === undefined ? [] : [[alert.alert, `${minutes}m`, alert.for]];
    });
    expect(said).toHaveLength(7);
    for (const [name, page, rule] of said) expect(rule, name).toBe(page);
  });

  it('has a section for each alert and no other', () => {
    const names = alerts.map(({ alert }) => alert.toLowerCase());
    expect([...readSections().keys()]).toEqual(names);
  });
});
