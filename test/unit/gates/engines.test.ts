import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

interface Locked {
  readonly engines?: { readonly node?: string };
  readonly deprecated?: string;
  readonly hasInstallScript?: boolean;
}

const { packages } = JSON.parse(readFileSync(`${root}/package-lock.json`, 'utf8')) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** The ranges of npm that the lockfile has: `>=A`, `^A`, `A`, `*`, joined by `||`. */
function accepts(range: string, version: string): boolean {
  return range.split('||').some((part) => {
    const [, sign, wanted = ''] = /^(>=|\^|)\s*([\d.x]+|\*)$/.exec(part.trim()) ?? [];
    if (wanted === '') throw new Error(`a range that this test does not know: ${range}`);
    const [least, given] = [toNumbers(wanted), toNumbers(version)];
    if (sign !== '>=' && wanted !== '*' && least[0] !== given[0]) return false;
    return compare(given, least) >= 0;
  });
}

function toNumbers(version: string): readonly number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10) || 0);
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = [0, 1, 2].find((at) => (one[at] ?? 0) !== (other[at] ?? 0)) ?? 0;
  return (one[index] ?? 0) - (other[index] ?? 0);
}

function listComplaints(version: string): readonly string[] {
  return Object.entries(packages).flatMap(([path, { engines }]) =>
    accepts(engines?.node ?? '*', version) ? [] : [path],
  );
}

describe('npm ci', () => {
  it('compares versions as npm does', () => {
    expect(accepts('^20.19.0 || >=22.12.0', '22.11.9')).toBe(false);
    expect(accepts('^20.19.0 || >=22.12.0', '22.12.0')).toBe(true);
    expect(accepts('^22 || ^24 || >=26', '25.1.0')).toBe(false);
    expect(accepts('>= 10.x', '24.0.0')).toBe(true);
  });

  it.each(['22.19.0', '24.0.0', '26.0.0'])('has no warning of an engine for Node %s', (version) => {
    expect(listComplaints(version)).toEqual([]);
  });

  it.each(['20.19.0', '23.11.0', '25.1.0'])('has one for %s, as README says', (version) => {
    expect(listComplaints(version)).not.toEqual([]);
    const [, named = ''] =
      /On ([^`]+) `npm ci` prints warnings/.exec(readFileSync(`${root}/README.md`, 'utf8')) ?? [];
    expect(named).toContain(version.slice(0, 2));
  });

  it('has no warning of a deprecated package, or of a script that it has not been allowed', () => {
    const locked = Object.entries(packages);
    expect(locked.filter(([, { deprecated }]) => deprecated !== undefined)).toEqual([]);
    const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript);
    expect(scripts.map(([path]) => path)).toEqual(['node_modules/esbuild']);
  });
});
