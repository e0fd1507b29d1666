import { describe, expect, it } from 'vitest';
import { layers } from '../../gates/layers.ts';
import { type PlantedProject, plantProject } from './planted-project.ts';

interface Planting {
  readonly file: string;
  /** Reported, on a line of `file`, under the rule's name. */
  readonly bad: string;
  /** Not reported, although it is near. */
  readonly good?: string;
  readonly why: string;
}

const LAYER = 'albridge';

/** Rule -> what is planted against it. */
const plantings: Readonly<Record<string, readonly Planting[]>> = {
  'core-knows-nobody': [
    { file: 'src/core/a.ts', bad: "import '../kube/k.ts';", why: 'an adapter' },
    { file: 'src/core/b.ts', bad: "import type {} from '../apis/p.ts';", why: 'a kind, as a type' },
    { file: 'src/core/c.ts', bad: "import 'pino';", why: 'a package' },
    { file: 'src/core/d.ts', bad: "import 'node:http';", why: 'core knows no HTTP' },
    { file: 'src/core/e.ts', bad: "import 'fs';", why: 'the same without node:' },
    { file: 'src/core/f.ts', bad: "await import('../kube/k.ts');", why: 'imported late' },
    { file: 'src/core/g.ts', bad: "export * from '../kube/k.ts';", why: 'passed on' },
    {
      file: 'src/core/h.ts',
      bad: "export type K = import('../kube/k.ts').K;",
      good: "import 'node:crypto'; import './other.ts';",
      why: 'named inside a type',
    },
  ],
  'engine-is-private': [
    {
      file: 'src/setup/a.ts',
      bad: "import '../core/controller/lifecycle.ts';",
      good: "import '../core/controller/controller.ts';",
      why: 'its inside instead of its entry',
    },
    {
      file: 'src/controllers/my-app/g.ts',
      bad: "import '../../core/controller/lifecycle.ts';",
      why: 'a kind never sees it',
    },
  ],
  'pods-know-only-core': [
    {
      file: 'src/pods/a.ts',
      bad: "import '../kube/k.ts';",
      good: "import '../core/other.ts'; import '../apis/p.ts'; import 'node:crypto';",
      why: 'a port of pods is implemented by an adapter',
    },
  ],
  'apis-are-data': [
    {
      file: 'src/apis/a.ts',
      bad: "import '../core/other.ts';",
      good: "import './p.ts';",
      why: 'what users write needs no machinery',
    },
    { file: 'src/apis/b.ts', bad: "import 'node:crypto';", why: 'data computes nothing' },
  ],
  'routing-is-pure': [
    {
      file: 'src/routing/a.ts',
      bad: "import '../core/other.ts';",
      good: "import './rule.ts';",
      why: 'the command line and a page import it as well',
    },
  ],
  'sdk-stays-in-aws': [
    { file: 'src/kube/a.ts', bad: "import 'p-retry';", why: 'the one retry layer is AWS side' },
    {
      file: 'src/operator.ts',
      bad: "import type {} from '@aws-sdk/client-elastic-load-balancing-v2';",
      why: 'types of the SDK leak as well as code',
    },
    {
      file: 'src/aws/a.ts',
      bad: '',
      good: "import 'p-retry'; import '@aws-sdk/client-elastic-load-balancing-v2';",
      why: 'here it belongs',
    },
  ],
  'client-node-stays-in-kube': [
    {
      file: 'src/aws/b.ts',
      bad: "import type {} from '@kubernetes/client-node';",
      why: 'the other side',
    },
    {
      file: 'src/telemetry/a.ts',
      bad: "import '@kubernetes/client-node/dist/config.js';",
      why: 'a deep import is an import',
    },
    {
      file: 'src/kube/b.ts',
      bad: '',
      good: "import '@kubernetes/client-node';",
      why: 'here it belongs',
    },
  ],
  'undici-stays-in-http': [
    { file: 'src/aws/e.ts', bad: "import 'undici';", why: 'one HTTP client, few places' },
    {
      file: 'src/aws/client/http-handler.ts',
      bad: '',
      good: "import 'undici'; import '../../http/h.ts';",
      why: 'it owns a pool',
    },
  ],
  'http-knows-nobody': [
    { file: 'src/http/a.ts', bad: "import '../core/other.ts';", why: 'a layer below core' },
    { file: 'src/http/b.ts', bad: "import 'node:fs';", why: 'it carries requests' },
    { file: 'src/http/c.ts', bad: '', good: "import 'undici'; import './h.ts';", why: 'its own' },
  ],
  'adapters-do-not-meet': [
    { file: 'src/kube/c.ts', bad: "import '../aws/w.ts';", why: 'kube and aws' },
    { file: 'src/aws/c.ts', bad: "import '../telemetry/t.ts';", why: 'aws and telemetry' },
    {
      file: 'src/telemetry/b.ts',
      bad: "import '../config/config.ts';",
      why: 'settings are handed in',
    },
    {
      file: 'src/kube/d.ts',
      bad: "import '../controllers/my-app/x.ts';",
      good: "import '../core/other.ts'; import '../apis/p.ts'; import './k.ts'; import 'node:http';",
      why: 'an adapter serves every controller',
    },
  ],
  'controllers-are-islands': [
    {
      file: 'src/controllers/my-app/a.ts',
      bad: "import '../web-app/x.ts';",
      good: "import './x.ts';",
      why: 'two kinds',
    },
  ],
  'controllers-use-ports': [
    { file: 'src/controllers/my-app/b.ts', bad: "import '../../kube/k.ts';", why: 'an adapter' },
    { file: 'src/controllers/my-app/c.ts', bad: "import 'pino';", why: 'a package' },
    { file: 'src/controllers/my-app/d.ts', bad: "import 'node:fs';", why: 'an effect past ports' },
    {
      file: 'src/controllers/my-app/e.ts',
      bad: "import '../../config/config.ts';",
      why: 'settings',
    },
    {
      file: 'src/controllers/my-ingress/a.ts',
      bad: "import '../../aws/w.ts';",
      good: "import '../../aws/elbv2/load-balancers.ts'; import '../../core/other.ts'; import 'node:crypto';",
      why: "the adapter's inside instead of its port",
    },
  ],
  'only-traffic-touches-aws': [
    {
      file: 'src/controllers/my-app/f.ts',
      bad: "import type {} from '../../aws/elbv2/load-balancers.ts';",
      why: 'even the port',
    },
    {
      file: 'src/controllers/targets/a.ts',
      bad: '',
      good: "import type {} from '../../aws/elbv2/load-balancers.ts';",
      why: 'it registers targets',
    },
  ],
  'nobody-imports-main': [
    { file: 'src/core/m.ts', bad: "import '../main.ts';", why: 'it would start the operator' },
    { file: 'test/m.test.ts', bad: "import '../src/main.ts';", why: 'tests as well' },
    { file: 'src/cli/m.ts', bad: "import './main.ts';", why: 'it would run a command' },
  ],
  'operator-has-no-cli': [
    { file: 'src/kube/g.ts', bad: "import '../cli/c.ts';", why: 'the operator would load it' },
    { file: 'src/cli/d.ts', bad: '', good: "import './c.ts';", why: 'its own' },
  ],
  'src-never-imports-test': [
    { file: 'src/kube/e.ts', bad: "import '../../test/fakes/f.ts';", why: 'a fake' },
    { file: 'src/aws/d.ts', bad: "import '../../localstack/embedded/e.ts';", why: 'a stand-in' },
    { file: 'src/kube/f.ts', bad: "import 'vitest';", why: 'a development dependency' },
    {
      file: 'src/other.ts',
      bad: "import 'yaml';",
      good: "import manifest from '../package.json' with { type: 'json' }; import 'pino'; export const v = manifest.version;",
      why: 'it is not there where the operator runs',
    },
  ],
};

/** What the planted lines import, so that nothing is reported for a missing file. */
const surroundings: Readonly<Record<string, string>> = {
  'src/core/other.ts': 'export const other = 1;',
  'src/core/controller/controller.ts': 'export const controller = 1;',
  'src/core/controller/lifecycle.ts': 'export const lifecycle = 1;',
  'src/kube/k.ts': 'export interface K { readonly k: 1 }',
  'src/aws/w.ts': 'export const w = 1;',
  'src/http/h.ts': 'export const h = 1;',
  'src/aws/elbv2/load-balancers.ts': 'export interface LoadBalancers { readonly l: 1 }',
  'src/apis/p.ts': 'export interface P { readonly p: 1 }',
  'src/telemetry/t.ts': 'export const t = 1;',
  'src/config/config.ts': 'export const config = 1;',
  'src/main.ts': 'export {};',
  'src/cli/main.ts': 'export {};',
  'src/cli/c.ts': 'export const c = 1;',
  'src/controllers/my-app/x.ts': 'export const x = 1;',
  'src/controllers/web-app/x.ts': 'export const x = 1;',
  'test/fakes/f.ts': 'export const f = 1;',
  'localstack/embedded/e.ts': 'export const e = 1;',
};

const cycles: Readonly<Record<string, string>> = {
  'src/core/ring-a.ts': "import type { B } from './ring-b.ts'; export type A = B | 1;",
  'src/core/ring-b.ts': "import type { C } from './ring-c.ts'; export type B = C | 2;",
  'src/core/ring-c.ts': "import type { A } from './ring-a.ts'; export type C = A | 3;",
};

function plantAll(): PlantedProject {
  const all = Object.values(plantings).flat();
  const planted = all.map(({ file, bad, good = '' }) => [file, `${good}\n${bad}\n`]);
  return plantProject({ ...surroundings, ...cycles, ...Object.fromEntries(planted) });
}

describe('layer rules', () => {
  using project = plantAll();
  const { code, lines } = project.lint();

  it('fail the linter', () => {
    expect(code).toBe(1);
  });

  it('each have a planted violation', () => {
    expect(Object.keys(plantings)).toEqual(Object.keys(layers));
  });

  const cases = Object.entries(plantings).flatMap(([rule, list]) =>
    list.map((planting) => [`${rule}: ${planting.file}, ${planting.why}`, rule, planting] as const),
  );
  it.each(cases)('report %s', (_name, rule, { file, bad }) => {
    const reported = lines
      .filter((line) => line.startsWith(`${file}:`) && line.includes(` ${LAYER}(`))
      .map((line) => /^[^:]+:(\d+):\d+ albridge\(([\w-]+)\)/.exec(line)?.slice(1));
    const expected = bad === '' ? [] : [['2', rule]];
    // another rule may rightly see the same line as well
    expect(reported.filter((it) => it?.[1] === rule)).toEqual(expected);
    expect(reported.filter((it) => it?.[0] === '1')).toEqual([]);
  });

  it.each(Object.keys(cycles))('report no-cycles: %s, of types alone', (file) => {
    expect(lines).toContainEqual(expect.stringMatching(`^${file}:.*import\\(no-cycle\\)`));
  });

  it('report nothing on files without violations', () => {
    for (const file of Object.keys(surroundings)) {
      expect(lines.filter((line) => line.startsWith(`${file}:`))).toEqual([]);
    }
  });
});
