import { describe, expect, it } from 'vitest';
import { READ_METRICS, readFigures } from '../../../../src/cli/leader/figures.ts';
import { MOST_TEXT, parseMetrics } from '../../../../src/cli/leader/metrics-text.ts';
import { metricDefinitions } from '../../../../src/setup/metrics.ts';
import { PrometheusMetrics } from '../../../../src/telemetry/metrics.ts';

const METRICS = metricDefinitions.flatMap((one) => Object.values(one));
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
  it('is defined by the operator, with the labels that it has', () => {
    const defined = new Map(METRICS.map((one) => [one.name, one.labels.toSorted().join()]));
    const labels = [...READ_METRICS].map((name) => [name, defined.get(name)]);
    expect(Object.fromEntries(labels)).toEqual({
      albridge_aws_budget_tokens: 'bucket',
      albridge_aws_budget_waiting_turns: 'bucket',
      aws_api_call_throttled_errors_total: 'error_code,operation,service,status_code',
      albridge_drift_scan_timestamp_seconds: '',
      albridge_drift_scan_interval_seconds: '',
      albridge_configmonitor_waiting_pods: 'namespace,source',
      albridge_configmonitor_restarted_pods_total: 'namespace,source',
      albridge_configmonitor_restart_failures_total: 'namespace,source',
    });
  });

  it('is what the operator has written', async () => {
    const metrics = new PrometheusMetrics(METRICS);
    const find = (name: string): (typeof METRICS)[number] => {
      const found = METRICS.find((one) => one.name === name);
      if (found === undefined) throw new Error(name);
      return found;
    };
    const source = 'ConfigMap/a"b\\c\nd';
    metrics.gauge(find('albridge_aws_budget_tokens'), { bucket: 'writes' }, 3.5);
    metrics.gauge(find('albridge_aws_budget_waiting_turns'), { bucket: 'writes' }, 4);
    const outcome = { service: 'ELBv2', operation: 'x', status_code: '400', error_code: 'T' };
    metrics.count(find('aws_api_call_throttled_errors_total'), outcome, 2);
    metrics.gauge(find('albridge_drift_scan_timestamp_seconds'), {}, 1_700_000_000.25);
    metrics.gauge(find('albridge_drift_scan_interval_seconds'), {}, 300);
    for (const namespace of ['shop', 'other']) {
      const labels = { namespace, source };
      metrics.gauge(find('albridge_configmonitor_waiting_pods'), labels, 1);
      metrics.count(find('albridge_configmonitor_restarted_pods_total'), labels, 7);
    }
    const { text } = await metrics.collect();
    expect(readFigures(parseMetrics(text, READ_METRICS) ?? [], 'shop')).toEqual({
      buckets: [{ name: 'writes', tokens: 3.5, waiting: 4 }],
      throttled: 2,
      scan: { atMs: 1_700_000_000_250, everyMs: 300_000 },
      restarts: [{ namespace: 'shop', source, waiting: 1, restarted: 7, stuck: 0 }],
    });
    expect(readFigures(parseMetrics(text, READ_METRICS) ?? [], undefined).restarts).toHaveLength(2);
  });

  it('leaves out what is no number', () => {
    const text =
      'albridge_aws_budget_tokens{bucket="a"} NaN\nalbridge_drift_scan_timestamp_seconds +Inf';
    const figures = readFigures(parseMetrics(text, READ_METRICS) ?? [], undefined);
    expect(figures).toEqual({ buckets: [], throttled: 0, scan: undefined, restarts: [] });
  });
});
