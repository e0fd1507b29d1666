import { describe, expect, it } from 'vitest';
import { awsMetrics } from '../../../../src/aws/client/aws-metrics.ts';
import { READ_METRICS, readFigures } from '../../../../src/cli/leader/figures.ts';
import { MOST_TEXT, parseMetrics } from '../../../../src/cli/leader/metrics-text.ts';
import { OUR_KINDS } from '../../../../src/cli/objects/kinds.ts';
import { configMonitorMetrics } from '../../../../src/controllers/config-monitor/reports/source-metrics.ts';
import { driftScanMetrics } from '../../../../src/controllers/my-ingress/drift-scan.ts';
import { ControllerMetrics } from '../../../../src/core/controller/controller-metrics.ts';
import { metricDefinitions } from '../../../../src/setup/metrics.ts';
import { PrometheusMetrics } from '../../../../src/telemetry/metrics.ts';

const wanted = new Set(['wanted', 'other_wanted']);

function parse(text: string): readonly unknown[] | undefined {
  return parseMetrics(text, wanted)?.map(({ labels, ...rest }) => {
    return { ...rest, labels: Object.fromEntries(labels) };
  });
}

describe('the text of metrics', () => {
  it('has the series that are asked for, with labels, escapes, exponents and timestamps', () => {
    const text = [
      '# HELP wanted { " \\',
      'wanted 1',
      'wanted{a="1",b="x\\"y\\\\z\\n{}, ="} 2.5e3 1700000000000',
      'wanted{a="1",} -.5\r',
      'other_wanted +Inf',
      'another{anything goes} 1',
      '',
    ].join('\n');
    expect(parse(text)).toEqual([
      { name: 'wanted', labels: {}, value: 1 },
      { name: 'wanted', labels: { a: '1', b: 'x"y\\z\n{}, =' }, value: 2500 },
      { name: 'wanted', labels: { a: '1' }, value: -0.5 },
      { name: 'other_wanted', labels: {}, value: Number.POSITIVE_INFINITY },
    ]);
  });

  it.each([
    ['HTML', '<html><body>hello</body></html>'],
    ['JSON', '{"kind":"Status"}'],
    ['a line without a value', 'wanted'],
    ['a number that is none', 'wanted 0x10'],
    ['an inherited word as a number', 'wanted constructor'],
    ['labels without quotes', 'wanted{a=1} 1'],
    ['a quote that does not end', 'wanted{a="1} 1'],
    ['an unknown escape', 'wanted{a="\\x"} 1'],
    ['text after the labels', 'wanted{a="1"x} 1'],
    ['a long line', `wanted{a="${'x'.repeat(5000)}"} 1`],
    ['too many series', 'wanted 1\n'.repeat(5001)],
    ['a long text', 'a 1\n'.repeat(MOST_TEXT / 4 + 1)],
  ])('is refused whole with %s', (_, text) => {
    expect(parseMetrics(`wanted 1\n${text}`, wanted)).toBeUndefined();
  });

  it('takes no name of an object for a label', () => {
    const [series] = parseMetrics('wanted{__proto__="x",constructor="y"} 1', wanted) ?? [];
    expect([...(series?.labels ?? [])]).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});

describe('what is read of the metrics', () => {
  it('is what the operator has written', async () => {
    const metrics = new PrometheusMetrics(metricDefinitions.flatMap((one) => Object.values(one)));
    const source = 'ConfigMap/a"b\\c\nd';
    metrics.gauge(awsMetrics.budgetTokens, { bucket: 'writes' }, 3.5);
    metrics.gauge(awsMetrics.budgetTurns, { bucket: 'writes' }, 4);
    const outcome = { service: 'ELBv2', operation: 'x', status_code: '400', error_code: 'T' };
    metrics.count(awsMetrics.throttled, outcome, 2);
    metrics.gauge(driftScanMetrics.completedAt, {}, 1_700_000_000.25);
    metrics.gauge(driftScanMetrics.interval, {}, 300);
    for (const namespace of ['shop', 'other']) {
      const labels = { namespace, source };
      metrics.gauge(configMonitorMetrics.waiting, labels, 1);
      metrics.count(configMonitorMetrics.restarted, labels, 7);
    }
    metrics.count(configMonitorMetrics.failures, { namespace: 'shop', source: 'Secret/b' }, 2);
    for (const { kind } of OUR_KINDS) new ControllerMetrics(metrics, kind.toLowerCase(), 4);
    const { text } = await metrics.collect();
    expect(readFigures(parseMetrics(text, READ_METRICS) ?? [], 'shop')).toEqual({
      buckets: [{ name: 'writes', tokens: 3.5, waiting: 4 }],
      throttled: 2,
      scan: { atMs: 1_700_000_000_250, everyMs: 300_000 },
      restarts: [
        { namespace: 'shop', source, waiting: 1, restarted: 7, stuck: 0 },
        { namespace: 'shop', source: 'Secret/b', waiting: 0, restarted: 0, stuck: 2 },
      ],
      controllers: ['myingress', 'configmonitor', 'immortalcontainer', 'myapp', 'webapp'],
    });
    expect(readFigures(parseMetrics(text, READ_METRICS) ?? [], undefined).restarts).toHaveLength(3);
  });

  it('leaves out what is no number', () => {
    const text =
      'albridge_aws_budget_tokens{bucket="a"} NaN\nalbridge_drift_scan_timestamp_seconds +Inf';
    const figures = readFigures(parseMetrics(text, READ_METRICS) ?? [], undefined);
    const nothing = { buckets: [], throttled: 0, scan: undefined, restarts: [], controllers: [] };
    expect(figures).toEqual(nothing);
  });
});
