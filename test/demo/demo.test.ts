import { afterEach, describe, expect, it } from 'vitest';
import { preparePoison } from '../surroundings/poison.ts';
import { discardDemos, NOTHING, startDemo } from './demo-program.ts';

const SCENES = [
  'two applications behind one load balancer: every pod is a target',
  'curl by the DNS name: each path reaches its application',
  'a canary by weight: of 1,000 requests about a tenth reach the next release',
  'a pod is killed: its target goes, its successor answers',
  'ten more pods are healthy, and only then Ready: readiness gates',
  'ConfigMonitor: it finds the ten pods that use a Secret',
  'the Secret is edited, all ten are replaced, AWS is 2 s behind: no request is lost',
  'kubectl delete: balancers, target groups and security groups are gone from AWS',
  'one YAML from an image to a shared load balancer with HTTPS',
  'another team attaches to the same load balancer',
  'a guardrail refuses it the host of the other team',
  'ConfigMonitor: editing a ConfigMap restarts its pods',
  'ImmortalContainer: a deleted pod is recreated',
  "MyApp: its pod's command prints the banner",
  'WebApp: kubectl scale, 3 to 5 pods',
  'deleting the objects removes everything they created',
];

afterEach(discardDemos);

describe('npm run demo', () => {
  it("plays the whole job, far from the caller's own cluster and account", async () => {
    const poison = await preparePoison();
    const program = await startDemo([], poison.environment);
    expect(await program.exited, program.output).toBe(0);

    const { output } = program;
    const ticks = output.split('\n').filter((line) => line.startsWith('✓'));
    for (const tick of ticks) expect(tick).toMatch(/ \(\d+\.\d s\)$/);
    expect(output).toContain(`all ${ticks.length} steps passed`);
    expect(ticks.length).toBeGreaterThanOrEqual(28);
    expect(output).toMatch(/^myapp +internet-facing +provisioning +\S+amazonaws\.com +False /m);
    expect(output).toMatch(/^myapp +internet-facing +active +\S+amazonaws\.com +True +Available/m);
    expect(output).toContain('$ kubectl describe myingress myapp');
    expect(output).toMatch(/CreatedALB .*Created ALB: myapp-alb-/);
    expect(output).toMatch(/DriftRepaired .*tag team: observed somebody-else, desired web/);
    expect(output).toContain('✓ nothing is left in AWS');
    for (const scene of SCENES) expect(output).toContain(`\n✓ ${scene}`);
    expect(output).toMatch(/^store +internet-facing +active +\S+amazonaws\.com +5\/5 +True/m);
    expect(output).toMatch(
      /^\$ curl --connect-to ::127\.0\.0\.1:\d+ http:\/\/store-alb-\S+\/\npod=/m,
    );
    expect(output).toMatch(/^ {2}\d{3,} requests sent, 100 a second; 0 lost$/m);
    for (const [application, host] of [
      ['shop', 'shop.team-a.example.com'],
      ['reports', 'team-b.internal.example.com'],
    ] as const) {
      const curl = new RegExp(
        `^\\$ curl --connect-to \\S+ --insecure https://${host}/\\npod=${application}-`,
        'm',
      );
      expect(output).toMatch(curl);
    }
    expect(output).toMatch(/^ {2}.*shop\.team-a\.example\.com is not allowed/m);
    expect(output).toMatch(/^team-b +reports +team-b\.internal\.example\.com +Attached$/m);
    const names = [...output.matchAll(/^(frontend-\S+) +1\/1 +Running/gm)].map(([, name]) => name);
    expect(new Set(names).size, 'a pod before and another after the edit').toBe(2);
    expect(output).toMatch(/^example-immortalcontainer .*-immortalpod +2 +Running +True/m);
    expect(output).toContain("the nodes are kwok's and run no containers");
    expect(output).toMatch(/^ +This pod was created by MyApp operator 🚀$/m);
    expect(output).toMatch(/^webapp\S+\/demo-app +nginx:1\.25 +5 +5 +True/m);
    expect(output).toMatch(/^deployment\.apps\/demo-app +5\/5/m);
    for (const code of ['\r', '\u001b']) expect(output).not.toContain(code);
    expect(poison.visits()).toBe(0);
    expect(await program.remains()).toEqual(NOTHING);
    await poison.remove();
  });

  it('ends with 1 where a step misses, and says which and why', async () => {
    const program = await startDemo(['--quota', '2']);
    expect(await program.exited).toBe(1);
    expect(program.output).toMatch(/^✗ load balancers become active \(\d+\.\d s\)$/m);
    expect(program.output).toMatch(/^\w+: create load balancer .* raised in Service Quotas$/m);
    expect(program.output).not.toContain('steps passed');
    expect(await program.remains()).toEqual(NOTHING);
  });

  it('knows its flags', async () => {
    const wrong = await startDemo(['--fast']);
    expect(await wrong.exited).toBe(2);
    expect(wrong.output).toContain('run with --help for usage');
    const help = await startDemo(['--help']);
    expect(await help.exited).toBe(0);
    expect(help.output).toContain('Usage: npm run demo');
  });
});
