import { beforeAll, describe, expect, inject, it } from 'vitest';
import { makeCertificate } from '../fakes/certificate.ts';
import { importCertificate } from '../surroundings/certificates.ts';
import { type CommandLineRun, runAlbridge } from '../surroundings/command-line.ts';
import { arnOf } from '../surroundings/my-ingresses.ts';
import { shippedPolicy } from '../surroundings/shipped-policy.ts';
import { until } from '../surroundings/until.ts';
import { sharedPlace } from './setup-place.ts';

const { awsEnvironment, controlPlane } = inject('surroundings');
const place = sharedPlace();

const READER = 'reader';

/** With credentials to which AWS denies every write. */
function albridge(args: readonly string[], input = ''): Promise<CommandLineRun> {
  const { kubeconfigPath } = controlPlane;
  const environment = { AWS_ACCESS_KEY_ID: READER };
  return runAlbridge(args, { kubeconfigPath, awsEnvironment, environment, input });
}

beforeAll(async () => {
  const policy = shippedPolicy(await place.clusterId());
  const named = ['Look', 'ElbAsksEc2', 'FindCertificates'];
  const reads = policy.Statement.filter(({ Sid }) => named.includes(Sid));
  await place.standIn.setPolicy(READER, { ...policy, Statement: reads });
});

const IDLE = 'idle_timeout.timeout_seconds';

function writeManifest(name: string, spec: object, annotations: object = {}): string {
  const [apiVersion, kind] = ['demo.rtfm.co.ua/v1', 'MyIngress'];
  return JSON.stringify({ apiVersion, kind, metadata: { name, annotations }, spec });
}

/** Each command is a process of its own, and a busy machine takes seconds to start one. */
const PATIENT = { timeout: 180_000 } as const;

describe('albridge plan', PATIENT, () => {
  it('prints the plan of an object in plan mode, and says how to get one of another', async () => {
    const objects = await place.createNamespace('cli-plan');
    const { namespace } = objects;
    const subnets = place.network.articleSubnets;
    await objects.create('shop', { subnets }, { 'albridge.io/mode': 'plan' });
    await objects.create('live', { subnets });
    await objects.whenReason('shop', 'Planned');

    const shop = await albridge(['plan', 'shop', '-n', namespace]);
    expect(shop).toEqual({
      exitCode: 2,
      stdout: expect.stringContaining(
        `MyIngress ${namespace}/shop: 1 step\n  create load-balancer  (not there)\n`,
      ),
      stderr: '',
    });

    const all = await albridge(['plan', '-A', '-o', 'json']);
    const plans = JSON.parse(all.stdout) as readonly { readonly namespace: string }[];
    expect(plans.filter((plan) => plan.namespace === namespace)).toEqual([
      expect.objectContaining({ name: 'shop', plan: expect.objectContaining({ generation: 1 }) }),
    ]);

    expect(await albridge(['plan', 'live', '-n', namespace])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `albridge: MyIngress ${namespace}/live: it is not in plan mode: kubectl annotate myingress live -n ${namespace} albridge.io/mode=plan\n`,
    });
    const missing = await albridge(['plan', 'nobody', '-n', namespace]);
    expect(missing.exitCode).toBe(1);
    expect(missing.stderr).toMatch(
      /^albridge: there is no MyIngress "nobody" in the namespace .*\n$/,
    );
  });

  it('computes the plan of a file that the operator then carries out', async () => {
    const objects = await place.createNamespace('cli-file');
    const { namespace } = objects;
    const subnets = place.network.articleSubnets;
    const spec = { subnets, backends: [{ name: 'web', service: { name: 'web', port: 80 } }] };
    const plan = (text: string): Promise<CommandLineRun> =>
      albridge(['plan', '-f', '-', '-n', namespace], text);

    const created = await plan(writeManifest('shop', spec));
    expect(created.stderr).toBe('');
    expect(created.exitCode).toBe(2);
    expect(created.stdout).toContain('  create load-balancer  (not there)\n');
    expect(created.stdout).toContain('  create target-group/spec/web  (not there)\n');
    expect(await objects.exists('shop')).toBe(false);
    expect(await place.standIn.balancersOf(namespace)).toEqual([]);

    await place.kubectl(['apply', '-n', namespace, '-f', '-'], writeManifest('shop', spec));
    const arn = arnOf(
      await objects.when('shop', ({ status }) => (status.listeners ?? []).length > 0),
    );
    await objects.when('shop', ({ status }) => status.alb?.state === 'active');
    expect(await plan(writeManifest('shop', spec))).toEqual({
      exitCode: 0,
      stdout: `MyIngress ${namespace}/shop: nothing would change\n`,
      stderr: '',
    });

    const edited = { ...spec, attributes: { [IDLE]: '120' } };
    const edit = await plan(writeManifest('shop', edited));
    expect(edit.exitCode).toBe(2);
    expect(edit.stdout).toBe(
      `MyIngress ${namespace}/shop: 1 step\n` +
        `  set attributes of load-balancer  (attribute ${IDLE}: observed 60, desired 120)\n`,
    );

    await place.kubectl(['apply', '-n', namespace, '-f', '-'], writeManifest('shop', edited));
    await until('the plan is carried out', async () => {
      return (await place.standIn.balancer(arn))?.attributes[IDLE] === '120';
    });
  });

  it('finds the certificates of a listener that names none', async () => {
    const { namespace } = await place.createNamespace('cli-https');
    const host = 'cli-plan.example.com';
    await importCertificate(awsEnvironment, await makeCertificate([host], { algorithm: 'ECDSA' }));
    const spec = {
      subnets: place.network.articleSubnets,
      listeners: [{ port: 443, protocol: 'HTTPS' }],
      rules: [{ name: 'all', hosts: [host], fixedResponse: { statusCode: 200 } }],
    };
    const run = await albridge(['plan', '-f', '-', '-n', namespace], writeManifest('secure', spec));
    expect(run).toMatchObject({ stderr: '', exitCode: 2 });
    expect(run.stdout).toContain('  create listener/443  (not there)\n');
  });

  it('names what is wrong with a file in one sentence', async () => {
    const { namespace } = await place.createNamespace('cli-wrong');
    const wrong: Readonly<Record<string, RegExp>> = {
      [writeManifest('shop', { scheme: 'public' })]:
        /spec.scheme: Unsupported value: "public".*: correct what is named\n$/,
      [writeManifest('shop', { subnet: [] })]: /unknown field "spec.subnet".*\n$/,
      [writeManifest('shop', { name: 'other-alb-01234567' })]:
        /it cannot be planned: .*other-alb-01234567.* delete this one/,
      'kind: Service': /^albridge: standard input has only Service: give a file with a MyIngress/,
      '{': /^albridge: standard input is not valid YAML: .*; correct it\n$/,
    };
    for (const [text, says] of Object.entries(wrong)) {
      const { exitCode, stderr } = await albridge(['plan', '-f', '-', '-n', namespace], text);
      expect(stderr).toMatch(says);
      expect(stderr.split('\n')).toHaveLength(2);
      expect(exitCode).toBe(1);
    }
    const gone = await albridge(['plan', '-f', '/nowhere.yaml']);
    expect(gone.stderr).toBe(
      'albridge: /nowhere.yaml cannot be read (ENOENT): give the path of a file with manifests, or -\n',
    );
  });
});
