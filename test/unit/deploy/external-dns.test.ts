import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const ROOT = resolve(import.meta.dirname, '../../..');
const COMPONENT = resolve(ROOT, 'deploy/components/external-dns');
const WEBAPPS = resolve(ROOT, 'deploy/components/external-dns-webapps');

/** https://github.com/kubernetes-sigs/external-dns/blob/v0.23.0/docs/flags.md: those of the component, with their values. */
const FLAGS: Readonly<Record<string, RegExp>> = {
  provider: /^aws$/,
  'domain-filter': /./,
  'txt-owner-id': /./,
  registry: /^(?:aws-sd|crd|dynamodb|noop|txt)$/,
  policy: /^(?:sync|upsert-only|create-only)$/,
  source: /^unstructured$/,
  // resource.version.group
  'unstructured-resource': /^[a-z]+\.v\d+\.[a-z.]+$/,
  'fqdn-target-template': /^\{\{.*\}\}$/,
  'annotation-filter': /^![a-z./-]+(?:,![a-z./-]+)*$/,
};

/** https://github.com/kubernetes-sigs/external-dns/blob/v0.23.0/docs/advanced/fqdn-templating.md, and those of Go. */
const FUNCTIONS = new Set([
  'contains',
  'trimPrefix',
  'toLower',
  'with',
  'range',
  'if',
  'not',
  'or',
  'end',
]);

/** Of a JSON patch. */
interface Operation {
  readonly path: string;
  readonly value: unknown;
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
}

async function readContainer(): Promise<Container> {
  const text = await readFile(resolve(COMPONENT, 'deployment.yaml'), 'utf8');
  return parse(text).spec.template.spec.containers[0];
}

async function readArguments(): Promise<ReadonlyMap<string, string>> {
  const { args } = await readContainer();
  return new Map(
    args.map((one) => [one.slice(2, one.indexOf('=')), one.slice(one.indexOf('=') + 1)]),
  );
}

describe('external-dns', () => {
  it('has arguments that its release knows, each once', async () => {
    const { image, args } = await readContainer();
    expect(image).toBe('registry.k8s.io/external-dns/external-dns:v0.23.0');
    const given = await readArguments();
    expect(args.every((one) => one.startsWith('--'))).toBe(true);
    expect([...given.keys()].sort()).toEqual(Object.keys(FLAGS).sort());
    expect(given.size).toBe(args.length);
    for (const [name, value] of given) expect(value, name).toMatch(FLAGS[name] as RegExp);
  });

  it('reads the kind that the CRD defines, by fields that it has', async () => {
    const given = await readArguments();
    const crd = parse(
      await readFile(resolve(ROOT, 'crds/myingresses.demo.rtfm.co.ua/crd.yaml'), 'utf8'),
    );
    const [version] = crd.spec.versions;
    const named = `${crd.spec.names.plural}.${version.name}.${crd.spec.group}`;
    expect(given.get('unstructured-resource')).toBe(named);
    const { spec, status } = version.schema.openAPIV3Schema.properties;
    expect(spec.properties.rules.items.properties.hosts.items.type).toBe('string');
    expect(status.properties.alb.properties.dns.type).toBe('string');
    const template = given.get('fqdn-target-template') ?? '';
    const fields = [...template.matchAll(/\.([A-Za-z]+)/g)].map(([, field]) => field);
    expect(fields).toEqual(['Status', 'alb', 'dns', 'Spec', 'rules', 'hosts']);
    const words = template.replaceAll(/"[^"]*"|[.$][A-Za-z.]*/g, ' ').match(/[A-Za-z]+/g) ?? [];
    expect(words.filter((word) => !FUNCTIONS.has(word))).toEqual([]);
    expect(words.filter((word) => word === 'end')).toHaveLength(6);
  });

  it('takes neither names from annotations nor a second pair from a status', async () => {
    const given = await readArguments();
    const prefixes = ['external-dns.kubernetes.io', 'external-dns.alpha.kubernetes.io'];
    expect(given.get('annotation-filter')).toBe(prefixes.map((one) => `!${one}/hostname`).join());
    expect(given.get('fqdn-target-template')).toContain('{{with .dns}}{{if not (contains . ",")}}');
  });

  it('knows WebApps by the component for them, and only those that are attached to one MyIngress', async () => {
    const text = await readFile(resolve(WEBAPPS, 'arguments.yaml'), 'utf8');
    const [env, resource, template] = parse(text) as readonly Operation[];
    const { args } = await readContainer();
    expect(args[Number(template?.path.split('/').at(-1))]).toMatch(/^--fqdn-target-template=/);
    expect(resource).toMatchObject({ op: 'add', path: expect.stringMatching(/\/args\/-$/) });
    const crd = parse(
      await readFile(resolve(ROOT, 'crds/webapps.apps.example.com/crd.yaml'), 'utf8'),
    );
    const { group, names, versions } = crd.spec;
    const named = `${names.plural}.${versions[0].name}.${group}`;
    expect(resource?.value).toBe(`--unstructured-resource=${named}`);
    const written = String(template?.value);
    const [, ofWebApp = '', ofMyIngress] =
      /^--fqdn-target-template=\{\{if eq \.Kind "WebApp"\}\}(.*)\{\{else\}\}(.*)\{\{end\}\}$/.exec(
        written,
      ) ?? [];
    expect(ofMyIngress).toBe((await readArguments()).get('fqdn-target-template'));
    const { expose } = versions[0].schema.openAPIV3Schema.properties.spec.properties;
    expect(Object.keys(expose.properties)).toEqual(expect.arrayContaining(['hosts', 'ingress']));
    expect(ofWebApp).toContain(
      '(eq .type "Exposed") (or (eq .status "True") (eq .reason "Attaching") (eq .reason "LoadBalancerNotActive"))',
    );
    const variables = ((env?.value ?? []) as readonly { readonly name: string }[]).map(
      ({ name }) => name,
    );
    const used = [...ofWebApp.matchAll(/\$\(([A-Z_]+)\)/g)].map(([, name]) => name);
    expect(used).toEqual(variables);
    const opened = ofWebApp.match(/\{\{(?:with|if|range) /g) ?? [];
    expect(ofWebApp.match(/\{\{end\}\}/g)).toHaveLength(opened.length);
  });

  it('may read MyIngresses and nothing else', async () => {
    const text = await readFile(resolve(COMPONENT, 'rights.yaml'), 'utf8');
    const objects = parseAllDocuments(text).map((one) => one.toJS());
    const roles = objects.filter(({ kind }) => kind.endsWith('Role'));
    const verbs = ['get', 'list', 'watch'];
    expect(roles.map(({ rules }) => rules)).toEqual([
      [{ apiGroups: ['demo.rtfm.co.ua'], resources: ['myingresses'], verbs }],
    ]);
  });
});
