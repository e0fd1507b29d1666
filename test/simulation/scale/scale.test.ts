import { describe, expect, it } from 'vitest';
import type { Call } from '../../../localstack/embedded/faults/call-log.ts';
import { choosePageSize } from '../../../src/aws/client/pages.ts';
import { LargeAccount, MINUTE_MS, WITH_ATTRIBUTES } from './large-account.ts';

const CHUNK = 20;
/** Of both tests together, by the wall clock. */
const LONGEST_MS = 600_000;
/** Of one balancer: its pass asks for them, an hour after the last time. */
const ATTRIBUTES = 'DescribeLoadBalancerAttributes';
const QUIET_SCANS = 3;
const OUTAGE_MS = MINUTE_MS;
const SCAN_INTERVAL_MS = 5 * MINUTE_MS;
/** Half of what the operator allows itself, as long as passes want the other half. */
const SCAN_CALLS_PER_SECOND = 4;
/** A failed scan is tried again after 30 s and a tenth; no hold after an outage is longer than 12 s. */
const RETRY_MS = 33_000 + 12_000;

let spentMs = 0;

describe.each([2000, 5000])('an account with %i balancers, at its buckets for an hour', (count) => {
  const calls = Math.ceil(count / choosePageSize(count)) + Math.ceil(count / CHUNK);
  const scanMs = (calls / SCAN_CALLS_PER_SECOND) * 1000;
  const recoveryMs = RETRY_MS + scanMs + 20_000;

  it('never doubts a healthy object, and recovers from outages and a restart by itself', async () => {
    const startedMs = performance.now();
    const account = new LargeAccount(count);
    await account.fill();
    const hourFromMs = account.clock.now();
    const said: string[] = [];

    // AWS does not answer when the operator starts, and somebody has meddled meanwhile.
    const first = namesFrom(0, 10);
    for (const name of first) account.meddle(name);
    account.breakFor(OUTAGE_MS);
    account.start();
    await account.pass(OUTAGE_MS);
    const afterStart = await account.msUntil(() => account.areRepaired(first), recoveryMs);
    said.push(`repaired ${seconds(afterStart)} s after the outage at the start`);

    // Quiet scans; the first two of a process also list the target groups.
    await nextScan(account);
    await account.pass(scanMs);
    const quietFromMs = account.clock.now();
    for (let scan = 0; scan < QUIET_SCANS; scan++) {
      await nextScan(account);
      await account.pass(scanMs);
    }
    const quiet = account.callsSince(quietFromMs);
    const scans = scansIn(quiet);
    const longestMs = Math.max(...scans.map(durationOf));
    said.push(`${scans.length} scans: ${calls} calls each, within ${seconds(longestMs)} s`);
    expect(scans.map(({ length }) => length)).toEqual(Array(QUIET_SCANS).fill(calls));
    const ofAttributes = quiet.filter(({ operation }) => operation === ATTRIBUTES);
    expect(ofAttributes.length).toBeLessThan(count / WITH_ATTRIBUTES);
    expect(longestMs).toBeLessThan(scanMs);

    // Sixty edits at once: each is looked at twice at most, and nothing is refused.
    const editFromMs = account.clock.now();
    const edited = namesFrom(100, 60);
    for (const name of edited) account.edit(name, { tags: { team: 'web' } });
    const forEdits = await account.msUntil(() => edited.every((n) => account.isReady(n)), 120_000);
    const ofEdits = account.callsSince(editFromMs).filter(({ operation }) => isRead(operation));
    said.push(`60 edits done after ${seconds(forEdits)} s, ${ofEdits.length} reads`);

    // The outage comes in the middle of a scan.
    const second = namesFrom(200, 10);
    await nextScan(account);
    for (const name of second) account.meddle(name);
    account.breakFor(OUTAGE_MS);
    await account.pass(OUTAGE_MS);
    const inMiddle = await account.msUntil(() => account.areRepaired(second), recoveryMs);
    said.push(`repaired ${seconds(inMiddle)} s after the outage in a scan`);

    // A restart, and a create while its first scan is under way.
    account.kill();
    const restartedAtMs = account.clock.now();
    const third = namesFrom(count - 10, 10);
    for (const name of third) account.meddle(name);
    account.start();
    await account.pass(3_000);
    const postedAtMs = account.clock.now();
    const [scan = [], ...more] = scansIn(account.callsSince(restartedAtMs));
    expect(more).toEqual([]);
    expect(scan.length).toBeGreaterThan(0);
    expect(scan.length).toBeLessThan(calls);
    account.post(`lb-${count}`);
    const isCreated = (): boolean =>
      account.callsSince(postedAtMs).some(({ operation }) => operation === 'CreateLoadBalancer');
    const forCreate = await account.msUntil(isCreated, 5_000);
    said.push(`a create in a scan arrives after ${seconds(forCreate)} s`);
    const afterRestart = await account.msUntil(() => account.areRepaired(third), scanMs + 20_000);
    said.push(`repaired ${seconds(afterRestart)} s after the restart`);

    await account.pass(Math.max(0, hourFromMs + 60 * MINUTE_MS - account.clock.now()));
    const lastedMs = performance.now() - startedMs;
    spentMs += lastedMs;
    said.push(`an hour within ${seconds(lastedMs)} s`);
    process.stdout.write(`${count} balancers: ${said.join('; ')}\n`);
    const sent = account.callsSince(hourFromMs);
    expect(spentMs).toBeLessThan(LONGEST_MS);
    expect(account.doubted).toEqual([]);
    expect(sent.filter(({ outcome }) => /Throttling|RequestLimitExceeded/.test(outcome))).toEqual(
      [],
    );
    const all = namesFrom(0, count + 1);
    expect(all.filter((name) => !account.isReady(name))).toEqual([]);
    expect(ofEdits.length).toBeLessThanOrEqual(4 * edited.length + calls);
    // All that an hour of scans costs, failed ones included, and the attributes of one in ten.
    const most = 17 * calls + 1.2 * (count / WITH_ATTRIBUTES) + 4 * 100;
    expect(sent.filter(({ operation }) => isRead(operation)).length).toBeLessThan(most);
  });
});

function namesFrom(first: number, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `lb-${first + i}`);
}

/** Until a few calls of the next scan are through. */
async function nextScan(account: LargeAccount): Promise<void> {
  const fromMs = account.clock.now();
  const isUnderWay = (): boolean => scansIn(account.callsSince(fromMs)).length > 0;
  await account.msUntil(isUnderWay, 2 * SCAN_INTERVAL_MS);
  await account.pass(2_000);
}

/** Every read from the first page of the whole account to the next one, but those of one balancer's attributes: passes' own. */
function scansIn(calls: readonly Call[]): readonly (readonly Call[])[] {
  const scans: Call[][] = [];
  for (const call of calls) {
    const { LoadBalancerArns, Names, Marker } = call.input;
    const isListing = call.operation === 'DescribeLoadBalancers' && !LoadBalancerArns && !Names;
    if (isListing && !Marker) scans.push([]);
    if (isRead(call.operation) && call.operation !== ATTRIBUTES) scans.at(-1)?.push(call);
  }
  return scans;
}

function durationOf(calls: readonly Call[]): number {
  return (calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0);
}

function isRead(operation: string): boolean {
  return operation.startsWith('Describe');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
