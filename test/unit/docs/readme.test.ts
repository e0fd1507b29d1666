import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readNumbers } from '../../../docs/charts.ts';
import { choosePageSize } from '../../../src/aws/client/pages.ts';
import { MOST_ARNS } from '../../../src/aws/elbv2/load-balancer-reader.ts';
import { type BinaryName, binaries } from '../../control-plane/binaries.ts';
import { findRelease } from '../../control-plane/releases.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const README = read('README.md');
const controlPlaneRow =
  README.split('\n').find((line) => line.startsWith('| control plane |')) ?? '';

/** The measured column of a row of docs/performance.md. */
function findMeasured(figure: string): string {
  const row = read('docs/performance.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${figure}`));
  return row?.split(' | ')[2] ?? `no row ${figure}`;
}

describe('the README', () => {
  it('is read in one go', () => {
    expect(README.split('\n').length).toBeLessThanOrEqual(150);
  });

  it('says on its first screen what this is, for whom, and what it needs', () => {
    const sections = [
      '$ curl',
      '```mermaid',
      '**For whom:**',
      '| --- | --- | --- |',
      '| Node |',
      '| network, once |',
    ];
    const places = sections.map((text) => README.indexOf(text));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
  });

  it('has the figures that were measured', () => {
    expect(findMeasured('AWS calls for one create until Ready')).toBe('1 write, 3 reads');
    expect(README).toContain('takes 1 write and 3 reads');
    const calls = Math.ceil(400 / choosePageSize(400)) + Math.ceil(400 / MOST_ARNS);
    expect(findMeasured('AWS calls of a drift scan over 400')).toBe(String(calls / 400));
    expect(README).toContain(`a drift scan ${calls / 400} calls`);
    expect(README).toContain(`(${calls} calls for 400 balancers)`);
    const eviction = findMeasured('ConfigMap edited -> first eviction');
    expect(README).toContain(`the first ${eviction} after the quiet period`);
  });

  it('describes its chart by the numbers of the chart', () => {
    const [, path = '', words = ''] = /<img src="([^"]+)"[^>]* alt="([^"]+)">/.exec(README) ?? [];
    const [, ours, controller, limit] = readNumbers(read(path)).rows.at(-1) ?? [];
    expect(words).toContain(`about ${ours} as a share`);
    expect(words).toContain(`${controller} by a pass of the controller`);
    const spentAt = (1000 * Number(limit)) / Number(controller);
    expect(words).toContain(
      `more than AWS's limit allows every 5 minutes beyond ${spentAt} objects`,
    );
  });

  it('counts the steps of the demo as its recording does', () => {
    const [, steps = ''] = /all (\d+) steps passed/.exec(read('docs/demo.svg')) ?? [];
    expect(README).toContain(`recorded: ${steps} steps`);
  });

  it('requires the Go version that builds the control plane', () => {
    const kubernetes = read('test/control-plane/modules/kubernetes/go.mod');
    const [, version = 'none'] = /^go (\d+\.\d+)/m.exec(kubernetes) ?? [];
    expect(controlPlaneRow.match(/\bGo \d+\.\d+/g)).toEqual([`Go ${version}`, `Go ${version}`]);
  });

  it('names each host from which a control plane is downloaded', () => {
    const releases = (Object.keys(binaries) as BinaryName[])
      .filter((name) => name !== 'helm')
      .flatMap((name) => findRelease(name, { os: 'linux', arch: 'amd64' }) ?? []);
    const urls = releases.flatMap(({ url, checksumUrl }) => [url, checksumUrl]);
    const hosts = new Set(urls.map((url) => new URL(url).host));
    expect(hosts.size).toBeGreaterThan(2);
    const [, linux = ''] =
      /or access to ([^|(]+) \(and to where they redirect\) \|/.exec(controlPlaneRow) ?? [];
    expect(linux.split(/, | and /).toSorted()).toEqual([...hosts].toSorted());
  });
});
