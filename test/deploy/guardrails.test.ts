import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import type { CommandResult } from '../control-plane/run-command.ts';
import { Program } from '../surroundings/program.ts';
import { until } from '../surroundings/until.ts';
import { blocksOf } from './commands.ts';
import { ACCEPTED, type Attempt, MALFORMED, REFUSED, type Refused } from './guardrail-cases.ts';
import { DeployPlace, ROOT } from './place.ts';
import type { Pod } from './pod-environment.ts';
import { Reader } from './reader.ts';
import { createTenant, DRY_RUN, installGuardrails, patch, readTypeWarnings } from './tenants.ts';

/** deploy/components/guardrails on top of deploy, two tenants, and a user whom the platform team trusts. */

const NAMESPACES = ['team-a', 'team-a-dev', 'team-b', 'lab'] as const;
const EXAMPLE = resolve(ROOT, 'examples/guardrails-01-two-tenants.yaml');
const COMPONENT = resolve(ROOT, 'deploy/components/guardrails');
const PARAMETERS = ['-n', 'albridge-guardrails'];

let place: DeployPlace;
let directory: string;
let example: string;
let binding: string;

beforeAll(async () => {
  place = await DeployPlace.start();
  example = await readFile(EXAMPLE, 'utf8');
  directory = await installGuardrails(place);
  for (const namespace of NAMESPACES) await createTenant(place, namespace);
  const get = ['get', 'validatingadmissionpolicybinding', 'albridge-guardrails-tenants'];
  binding = await place.kubectl([...get, '-o', 'yaml']);
  const internet = REFUSED['is internet-facing in a namespace of no tenant'] as Attempt;
  await until('the guardrails', async () =>
    (await attempt(internet)).stderr.includes('not allowed'),
  );
  await until(
    'the rights',
    async () => (await attempt(admitted('adopts with the right'))).code === 0,
  );
});
afterAll(() => place?.stop());

function admitted(name: string): Attempt {
  return ACCEPTED[name] as Attempt;
}

function myIngress(spec: object, metadata: object = { name: 'shop' }): string {
  return JSON.stringify({ apiVersion: 'demo.rtfm.co.ua/v1', kind: 'MyIngress', metadata, spec });
}

function attempt({ namespace, spec, isTrusted }: Attempt): Promise<CommandResult> {
  const as = `--as=${isTrusted ? 'trusted' : 'tenant'}`;
  const args = ['-n', namespace, as, 'create', '-f', '-', DRY_RUN];
  return place.cluster.kubectl(args, { input: myIngress(spec) });
}

function asTenant(args: readonly string[], input?: string): Promise<CommandResult> {
  return place.cluster.kubectl(['--as=tenant', ...args], { ...(input !== undefined && { input }) });
}

async function setParameters(data: object): Promise<void> {
  const metadata = { name: 'tenants', namespace: 'albridge-guardrails' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  await place.kubectl(['replace', '-f', '-'], JSON.stringify(object));
}

const exampleData = (): Record<string, string> => parse(example).data;

describe('a tenant’s MyIngress', () => {
  it.concurrent.each(Object.entries(REFUSED))('never %s', async (_name, write) => {
    const { code, stderr } = await attempt(write);
    expect(stderr).toContain(write.refusal);
    expect(code).not.toBe(0);
  });

  it.concurrent.each(Object.entries(ACCEPTED))('%s', async (_name, write) => {
    const { code, stderr } = await attempt(write);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  });

  it('is refused where it is too large to be judged', async () => {
    const large = admitted('is as large as AWS allows');
    const rules = (large.spec['rules'] as readonly { hosts: readonly string[] }[]).map((rule) => ({
      ...rule,
      hosts: Array.from({ length: 20 }, (_, index) => `x-${index}.${rule.hosts[0]}`),
    }));
    const hosts = Array.from({ length: 30 }, (_, index) => `*.zone-${index}.example.com`);
    await setParameters({
      ...exampleData(),
      'team-a.hosts': `${hosts.join(' ')} *.team-a.example.com`,
    });
    await until('refusal', async () => {
      const { code } = await attempt({ ...large, spec: { ...large.spec, rules } });
      return code !== 0;
    });
    await setParameters(exampleData());
    await until('the example', async () => (await attempt(large)).code === 0);
  });
});

describe('the parameters', () => {
  it.concurrent.each(Object.entries(MALFORMED))('cannot have %s', async (_name, { data, says }) => {
    const write = patch('configmap tenants', { data }, [...PARAMETERS, DRY_RUN]);
    const { code, stderr } = await place.cluster.kubectl(write);
    expect(stderr).toContain(says);
    expect(code).not.toBe(0);
  });

  it('cannot be deleted while there are policies', async () => {
    const remove = [...PARAMETERS, 'delete', 'configmap', 'tenants', DRY_RUN];
    const { stderr } = await place.cluster.kubectl(remove);
    expect(stderr).toContain('delete the ValidatingAdmissionPolicies albridge-guardrails-* first');
  });

  it('cannot be read or written by a tenant', async () => {
    for (const verb of ['get', 'update', 'patch', 'delete', 'create']) {
      const can = await asTenant([...PARAMETERS, 'auth', 'can-i', verb, 'configmaps/tenants']);
      expect(can.stdout.trim(), verb).toBe('no');
    }
  });
});

/** The policy that keeps the parameters well-formed, gone for a while. */
async function withoutTheirPolicy(work: () => Promise<void>): Promise<void> {
  const name = 'albridge-guardrails-tenants';
  await place.kubectl(['delete', 'validatingadmissionpolicybinding', name]);
  const remove = [...PARAMETERS, 'delete', 'configmap', 'tenants', DRY_RUN];
  await until('it is off', async () => (await place.cluster.kubectl(remove)).code === 0);
  try {
    await work();
  } finally {
    const { metadata, ...rest } = parse(binding);
    const object = { ...rest, metadata: { name: metadata.name, labels: metadata.labels } };
    await place.kubectl(['apply', '--server-side', '--force-conflicts', '-f', EXAMPLE]);
    await setParameters(exampleData());
    await place.kubectl(['apply', '--server-side', '-f', '-'], JSON.stringify(object));
    await until('it is on', async () => (await place.cluster.kubectl(remove)).code !== 0);
    await until('the example', async () => (await attempt(admitted('is internal'))).code === 0);
  }
}

describe('parameters that were written before their policy', () => {
  beforeAll(async () => {
    const metadata = { namespace: 'team-b', name: 'kept', finalizers: ['example.com/held'] };
    const create = ['create', '-f', '-'];
    await place.kubectl(create, myIngress(admitted('is internal').spec, metadata));
  });

  it.each([
    [
      'team-b.inbound',
      '10.20.0.0/16, everybody',
      /is malformed: "everybody" in team-b[.]inbound is not a range in CIDR notation/,
    ],
    ['team-b.host', 'shop.example.com', /is malformed: team-b[.]host is not the key of a list/],
    [
      'team-c.namespaces',
      'team-*',
      /is malformed: the tenants team-[bc] and team-[bc] have the same namespace; until/,
    ],
  ])(
    'and are malformed at %s refuse what is new, say so, and lock nothing',
    async (key, text, says) => {
      await withoutTheirPolicy(async () => {
        await setParameters({ ...exampleData(), [key]: text });
        const write = admitted('is internal');
        await until('refusal', async () => (await attempt(write)).code !== 0);
        const { stderr } = await attempt(write);
        expect(stderr).toMatch(says);
        const label = { metadata: { labels: { key: key.replace('.', '-') }, finalizers: null } };
        const edit = ['-n', 'team-b', ...patch('myingress kept', label)];
        expect(await asTenant(edit)).toMatchObject({ stderr: '' });
      });
    },
  );

  it('and are missing refuse what is new', async () => {
    await withoutTheirPolicy(async () => {
      await place.kubectl([...PARAMETERS, 'delete', 'configmap', 'tenants']);
      await until('refusal', async () => (await attempt(admitted('is internal'))).code !== 0);
      const { stderr } = await attempt(admitted('is internal'));
      expect(stderr).toContain('no params found');
    });
  });
});

describe('the object of a tenant whose limits were tightened afterwards', () => {
  const OLD = { namespace: 'team-b', name: 'old', finalizers: ['example.com/held'] };
  const edit = (change: object): Promise<CommandResult> => {
    return asTenant(['-n', 'team-b', ...patch('myingress old', change)]);
  };
  const backends = [{ name: 'web', service: { name: 'web', port: 80 } }];

  beforeAll(async () => {
    const wide = {
      ...exampleData(),
      'team-b.hosts': '*',
      'team-b.inbound': '*',
      'team-b.schemes': 'internet-facing',
    };
    await setParameters({ ...wide, 'team-b.subnets': '*', 'team-b.certificates': '*' });
    const spec = {
      subnets: ['subnet-other', 'subnet-def'],
      backends,
      defaultAction: { forward: [{ backend: 'web' }] },
      listeners: [
        {
          port: 443,
          protocol: 'HTTPS',
          certificates: ['arn:aws:acm:us-east-1:999999999999:certificate/a'],
        },
      ],
      rules: [
        { name: 'shop', hosts: ['shop.example.com'], forward: [{ backend: 'web' }] },
        { name: 'all', paths: ['/*'], forward: [{ backend: 'web' }] },
      ],
    };
    await until(
      'it is created',
      async () => (await asTenant(['create', '-f', '-'], myIngress(spec, OLD))).code === 0,
    );
    await setParameters({ ...exampleData(), 'team-b.hosts': 'team-b.internal.example.com' });
    const internet = REFUSED['is internet-facing where only internal is allowed'] as Attempt;
    await until('refusal', async () => (await attempt(internet)).code !== 0);
  });
  afterAll(() => setParameters(exampleData()));

  it('can have its metadata, its status and other fields edited', async () => {
    expect(await edit({ metadata: { labels: { team: 'b' } } })).toMatchObject({ stderr: '' });
    const status = { status: { observedGeneration: 1 } };
    const write = ['-n', 'team-b', ...patch('myingress old', status, ['--subresource=status'])];
    expect(await asTenant(write)).toMatchObject({ stderr: '' });
    expect(await edit({ spec: { tags: { team: 'b' } } })).toMatchObject({ stderr: '' });
    expect(await edit({ spec: { subnets: ['subnet-other', 'subnet-abc'] } })).toMatchObject({
      stderr: '',
    });
  });

  it.each([
    ['subnet', { subnets: ['subnet-other', 'subnet-private'] }, 'spec.subnets subnet-private'],
    [
      'host',
      {
        rules: [
          { name: 'shop', hosts: ['shop.example.com', 'evil.com'], forward: [{ backend: 'web' }] },
        ],
      },
      'evil.com',
    ],
    ['source', { inbound: { cidrs: ['192.168.0.0/16'] } }, 'spec.inbound 192.168.0.0/16'],
    [
      'rule without hosts',
      { rules: [{ name: 'new', paths: ['/*'], forward: [{ backend: 'web' }] }] },
      'spec.rules[new] without hosts',
    ],
  ])('can get no other %s that is not allowed', async (_what, spec, refusal) => {
    const { code, stderr } = await edit({ spec });
    expect(stderr).toContain(refusal);
    expect(code).not.toBe(0);
  });

  it('can lose its finalizer, and be deleted', async () => {
    const remove = ['-n', 'team-b', 'delete', 'myingress', 'old', '--wait=false'];
    expect(await asTenant(remove)).toMatchObject({ stderr: '' });
    expect(await edit({ metadata: { finalizers: null } })).toMatchObject({ stderr: '' });
    await place.kubectl(['-n', 'team-b', 'wait', '--for=delete', 'myingress/old', '--timeout=20s']);
  });
});

describe('the annotation for restarts', () => {
  const annotated = (user: string): Promise<CommandResult> => {
    const metadata = {
      name: 'settings',
      annotations: { 'magalix.com/podDeleteMatch': 'app=shop' },
    };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
    const args = ['-n', 'team-a', `--as=${user}`, 'create', '-f', '-', DRY_RUN];
    return place.cluster.kubectl(args, { input: JSON.stringify(object) });
  };

  it('is refused to a tenant without the right, who may evict pods', async () => {
    const { stderr } = await annotated('tenant');
    expect(stderr).toContain(
      'the annotation magalix.com/podDeleteMatch is not allowed to you: it needs the right to use annotations.guardrails.albridge.io in namespace team-a',
    );
  });

  it('is set with the right', async () => {
    expect(await annotated('trusted')).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('what a tenant leaves to discovery', () => {
  const discover = (namespace: 'team-a' | 'team-b'): Promise<CommandResult> =>
    attempt({ why: '', namespace, spec: { scheme: 'internal' } });

  it('is never the subnets', async () => {
    const { stderr } = await discover('team-a');
    expect(stderr).toContain(
      'spec.subnets left out (discovered) is not allowed in namespace team-a',
    );
  });

  it('is what the lists allow', async () => {
    const { refusal: _says, ...bare } = REFUSED['leaves its certificates to discovery'] as Refused;
    const lists = ['team-b.subnets', 'team-a.certificates'];
    const discovered = Object.fromEntries(lists.map((list) => [list, 'discovered']));
    await setParameters({ ...exampleData(), ...discovered });
    await until('subnets are allowed', async () => (await discover('team-b')).code === 0);
    await until('certificates are allowed', async () => (await attempt(bare)).code === 0);
    const named = admitted('has a certificate of the own account');
    expect((await attempt(named)).stderr).toContain('allowed: discovered');
    await setParameters(exampleData());
    await until('it is not', async () => (await discover('team-b')).code !== 0);
  });
});

describe('the operator under guardrails', () => {
  it('creates, reports and deletes what is allowed', async () => {
    const [pod] = await place.pods();
    await place.work(pod as Pod);
    const { spec } = admitted('is internal');
    const create = ['-n', 'team-b', 'create', '-f', '-'];
    expect(
      await asTenant(create, myIngress({ ...spec, backends: undefined, inbound: undefined })),
    ).toMatchObject({ code: 0 });
    await place.kubectl([
      '-n',
      'team-b',
      'wait',
      '--for=condition=Ready',
      'myingress/shop',
      '--timeout=60s',
    ]);
    expect(
      await asTenant(['-n', 'team-b', 'delete', 'myingress', 'shop', '--timeout=60s']),
    ).toMatchObject({ code: 0 });
  });
});

describe('parameters that allow everything', () => {
  it('let the articles and all examples through', async () => {
    const lists = ['schemes', 'subnets', 'securityGroups', 'certificates', 'hosts', 'inbound'];
    await setParameters(
      Object.fromEntries(
        lists.map((list) => [
          `default.${list}`,
          list === 'schemes' ? 'internal, internet-facing' : '*',
        ]),
      ),
    );
    const examples = resolve(ROOT, 'examples');
    const files = (await readdir(examples)).filter(
      (name) => name.endsWith('.yaml') && !name.startsWith('guardrails'),
    );
    // A dry run creates none of those that a file begins with.
    await place.cluster.kubectl(['create', 'namespace', 'platform']);
    const apply = (file: string): Promise<CommandResult> =>
      place.cluster.kubectl(['apply', '-f', join(examples, file), DRY_RUN]);
    await until('they are in force', async () => (await apply('01-article.yaml')).code === 0);
    for (const file of files) expect(await apply(file), file).toMatchObject({ code: 0 });
    expect(files.length).toBeGreaterThan(15);
  });
});

it('the policies have expressions of which the API server knows every type', async () => {
  const text = await readFile(join(COMPONENT, 'policy.yaml'), 'utf8');
  const objects = parseAllDocuments(text).map((one) => one.toJS());
  const own = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy');
  const names = own.map(({ metadata }) => metadata.name);
  expect(await readTypeWarnings(place, names)).toEqual([]);
});

it('the commands of docs/security.md remove the guardrails alone', async () => {
  const blocks = await blocksOf('docs/security.md');
  const [text = ''] = blocks
    .filter(({ section }) => section === 'Remove it')
    .map((block) => block.text);
  await (await Reader.in(place, ROOT)).paste(text);
  const all = 'namespaces,validatingadmissionpolicies,validatingadmissionpolicybindings';
  const left = await place.kubectl(['get', all, '-o', 'name']);
  expect(left).not.toContain('albridge-guardrails');
  expect(left).toContain('namespace/albridge-system');
  await place.kubectl(['apply', '--server-side', '-k', directory]);
});

it('undeploy removes the guardrails, whose parameters go with their namespace', async () => {
  const program = await Program.start('deploy/undeploy.ts', ['--kustomization', directory], {
    KUBECONFIG: place.cluster.kubeconfigPath,
    KUBECTL: place.cluster.kubectlPath,
  });
  expect(await program.exited, program.output).toBe(0);
  expect(program.output).toContain('removed the policies of the guardrails: 10 objects');
  await program.discard();
  const left = await place.kubectl(['get', 'namespaces,validatingadmissionpolicies', '-o', 'name']);
  expect(left).not.toContain('albridge');
});
