import { describe, expect, it } from 'vitest';
import { timeline } from '../../simulation/timeline.ts';

const POD = 'web/frontend-5d9c-x1';
const BALANCER = 'arn:aws:elasticloadbalancing:us-east-1:1:loadbalancer/app/shop-alb-1/2';

const TRACE = [
  '0.000 replica-0_1 begins',
  '0.000 replica-0_1 kube WATCH pods from the start',
  '0.010 replica-0_1  info controller started',
  '0.020 replica-0_1  info became leader',
  '0.523 people {"atMs":523,"config":{"do":"deploy","at":"web/frontend","replicas":6}}',
  '0.523 user ADDED Deployment web/frontend@95 generation 1 []',
  '0.523   user POST /apis/apps/v1/namespaces/web/deployments: 201',
  '0.600 people {"atMs":600,"myIngress":{"do":"create","at":"web/shop","spec":{}}}',
  `0.700 replica-0_1 aws AddTags {"ResourceArns":["${BALANCER}"]}`,
  '0.800 replica-0_1 aws DescribeTags: Rate exceeded',
  `0.917 controller-manager ADDED Pod ${POD}@97 generation - []`,
  `1.000 kubelet MODIFIED Pod ${POD}@98 generation - []`,
  `1.001 kubelet MODIFIED Pod ${POD}@99 generation - [] Ready=True undefined`,
  `1.002 kubelet MODIFIED Pod ${POD}@99 generation - [] Ready=True undefined`,
  '2.000 fault {"kind":"apiDown","fromMs":2000,"forMs":37012}',
  '3.000 replica-0_1 is stopped',
  '4.000 replica-0_1 web/frontend-watch-0 info Restarting pods',
  '4.000 replica-0_1 web/other-watch-0 info Restarting pods',
  `5.061 replica-0_1 MODIFIED Pod ${POD}@170 generation - [] being deleted Ready=True undefined`,
  `5.061 VIOLATION restarts-once: Pod ${POD} was started with the newest data already`,
];

describe('the timeline of a failed run', () => {
  it('shows who did what to the objects that the violation names, in columns', () => {
    expect(timeline(TRACE)).toEqual([
      '      ms  people                  operator                AWS                     cluster',
      '       0                          replica-0_1 begins',
      '      20                          replica-0_1 info became leader',
      '     523  config deploy web/frontend replicas 6',
      '     800                                                  DescribeTags Rate exceeded',
      `     917                                                                          Pod ${POD} added`,
      `    1001                                                                          Pod ${POD} modified Ready=True`,
      '    2000                                                                          fault: apiDown forMs 37012',
      '    3000                          replica-0_1 is stopped',
      '    4000                          web/frontend-watch-0: Restarting pods',
      `    5061                          Pod ${POD} modified being deleted`,
      `    5061  >>> VIOLATION restarts-once: Pod ${POD} was started with the newest data already`,
    ]);
  });

  it('shows the calls to AWS that are about a balancer of the object', () => {
    const lines = timeline([...TRACE.slice(0, -1), '6.000 VIOLATION no-orphan: of web/shop']);
    expect(lines.filter((line) => line.includes('AddTags'))).toHaveLength(1);
    expect(lines.join('\n')).not.toContain('frontend');
  });

  it('is of all objects where the violation names none', () => {
    const lines = timeline([...TRACE.slice(0, -1), '6.000 VIOLATION no-stuck-pass: one hangs']);
    expect(lines.join('\n')).toContain('web/frontend-watch-0: Restarting pods');
    expect(lines.join('\n')).toContain('myIngress create web/shop');
  });

  it('fits a screen, with what people did and the newest of the rest', () => {
    const many = Array.from({ length: 500 }, (_, nth) => {
      return `${(nth / 10 + 10).toFixed(3)} kubelet ADDED Pod ${POD}${nth}@1 generation - []`;
    });
    const lines = timeline([...TRACE.slice(0, -1), ...many, `99.000 VIOLATION x: Pod ${POD}`]);
    expect(lines.length).toBeLessThanOrEqual(43);
    expect(lines.every((line) => line.length <= 150)).toBe(true);
    expect(lines).toContain('     523  config deploy web/frontend replicas 6');
    expect(lines.at(-3)).toContain(`Pod ${POD}499 added`);
    expect(lines.at(-2)).toMatch(/^\d+ events more are in the trace$/);
    expect(lines.at(-1)).toBe(`   99000  >>> VIOLATION x: Pod ${POD}`);
  });
});
