import { describe, expect, it } from 'vitest';
import {
  configMonitorMetrics,
  MAX_SOURCES,
  SourceMetrics,
} from '../../../../../src/controllers/config-monitor/reports/source-metrics.ts';
import { RecordingMetrics } from '../../../../fakes/recording-metrics.ts';

const { blocked, failures, restarted, waiting } = configMonitorMetrics;
const SETTINGS = { namespace: 'web', source: 'ConfigMap/settings' };
const OTHER = { namespace: '', source: 'other' };

function begin(): { readonly metrics: RecordingMetrics; readonly sources: SourceMetrics } {
  const metrics = new RecordingMetrics();
  return { metrics, sources: new SourceMetrics(metrics) };
}

describe('the metrics of a source', () => {
  it('begin at zero, so that the first increase shows', () => {
    const { metrics, sources } = begin();
    sources.track('web/one', ['ConfigMap/settings'], 0);
    const all = [restarted, failures, blocked, waiting];
    expect(all.map((metric) => metrics.valueOf(metric, SETTINGS))).toEqual([0, 0, 0, 0]);
  });

  it('count for each source that is named', () => {
    const { metrics, sources } = begin();
    sources.track('web/one', ['ConfigMap/settings', 'Secret/db'], 0);
    sources.attribute('web/one', ['ConfigMap/settings']);
    sources.count('web/one', { restarted: 3 });
    sources.attribute('web/one', ['Secret/unknown']);
    sources.count('web/one', { blocked: 1 });
    expect(metrics.valueOf(restarted, SETTINGS)).toBe(3);
    expect(metrics.valueOf(restarted, { source: 'Secret/db' })).toBe(0);
    expect(metrics.valueOf(blocked)).toBe(0);
  });

  it('count what a restart does before anything was reported', () => {
    const { metrics, sources } = begin();
    sources.attribute('web/one', ['ConfigMap/settings']);
    sources.count('web/one', { restarted: 3 });
    sources.track('web/one', ['ConfigMap/settings'], 5);
    expect(metrics.valueOf(restarted, SETTINGS)).toBe(3);
    sources.forget('web/one');
    expect(metrics.valueOf(restarted, SETTINGS)).toBeUndefined();
  });

  it('add up what waits for two objects', () => {
    const { metrics, sources } = begin();
    sources.track('web/one', ['ConfigMap/settings'], 4);
    sources.track('web/two', ['ConfigMap/settings'], 3);
    sources.track('web/one', ['ConfigMap/settings'], 1);
    expect(metrics.valueOf(waiting, SETTINGS)).toBe(4);
  });

  it('end with the last object that names it', () => {
    const { metrics, sources } = begin();
    sources.track('web/one', ['ConfigMap/settings'], 4);
    sources.track('web/two', ['ConfigMap/settings'], 3);
    sources.forget('web/one');
    expect(metrics.valueOf(waiting, SETTINGS)).toBe(3);
    sources.forget('web/two');
    const all = [restarted, failures, blocked, waiting];
    expect(all.map((metric) => metrics.valueOf(metric))).toEqual(all.map(() => undefined));
  });

  it('end when the object names another source', () => {
    const { metrics, sources } = begin();
    sources.track('web/one', ['ConfigMap/settings'], 4);
    sources.track('web/one', ['ConfigMap/others'], 2);
    expect(metrics.valueOf(waiting, SETTINGS)).toBeUndefined();
    expect(metrics.valueOf(waiting)).toBe(2);
  });

  it('share one series beyond the bound, until there is room', () => {
    const { metrics, sources } = begin();
    for (let n = 0; n < MAX_SOURCES + 2; n++) sources.track(`web/${n}`, [`ConfigMap/${n}`], 1);
    expect(metrics.valueOf(waiting, OTHER)).toBe(2);
    sources.attribute(`web/${MAX_SOURCES}`, [`ConfigMap/${MAX_SOURCES}`]);
    sources.count(`web/${MAX_SOURCES}`, { restarted: 5 });
    expect(metrics.valueOf(restarted, OTHER)).toBe(5);
    for (let n = MAX_SOURCES; n < MAX_SOURCES + 2; n++) sources.forget(`web/${n}`);
    expect(metrics.valueOf(restarted, OTHER)).toBeUndefined();
    sources.forget('web/0');
    sources.track('web/late', ['ConfigMap/late'], 1);
    expect(metrics.valueOf(waiting, { source: 'ConfigMap/late' })).toBe(1);
  });
});
