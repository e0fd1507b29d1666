import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { confirmDeletion } from '../../../../src/cli/orphans/confirm.ts';
import {
  createAuditLog,
  type Deletion,
  deleteOrphans,
  type OrphanPorts,
} from '../../../../src/cli/orphans/delete-orphans.ts';
import type { Objects, Orphan, OwnedKind } from '../../../../src/cli/orphans/find-orphans.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { ManualClock } from '../../../fakes/manual-clock.ts';
import { draftOf } from '../../controllers/my-ingress/drafts.ts';

const TAGS = {
  'albridge.io/cluster': 'blue',
  'albridge.io/namespace': 'web',
  'albridge.io/name': 'shop',
  'albridge.io/uid': 'u1',
  'albridge.io/resource': 'x',
};

function orphanOf(kind: OwnedKind): Orphan {
  return { kind, id: kind, tags: TAGS, key: 'web/shop', isAdopted: false };
}

const ORPHANS = (['load-balancer', 'target-group', 'security-group'] as const).map(orphanOf);

class Place {
  readonly clock = new ManualClock();
  readonly deleted: string[] = [];
  readonly said: string[] = [];
  tags: Readonly<Record<string, Orphan['tags'] | undefined>> = {};
  objects: Objects['byKey'] = new Map();
  /** By id. */
  failures: Readonly<Record<string, () => OperatorError | undefined>> = {};

  run(signal = new AbortController().signal, orphans = ORPHANS): Promise<readonly Deletion[]> {
    return deleteOrphans(orphans, this.#createPorts(), signal);
  }

  #createPorts(): OrphanPorts {
    const remove = (id: string): Promise<void> => {
      const failure = this.failures[id]?.();
      if (failure !== undefined) return Promise.reject(failure);
      this.deleted.push(id);
      return Promise.resolve();
    };
    return {
      clock: this.clock,
      readTags: ({ id }) => Promise.resolve(id in this.tags ? this.tags[id] : TAGS),
      readObjects: () => Promise.resolve({ cluster: 'blue', byKey: this.objects }),
      delete: { 'load-balancer': remove, 'target-group': remove, 'security-group': remove },
      say: (line) => void this.said.push(line),
    };
  }
}

function failWith(reason: string): OperatorError {
  return new OperatorError({ reason, message: `no: ${reason}`, healedBy: 'time' });
}

describe('the deletion of orphans', () => {
  it('leaves a balancer that its owner has lent to albridge', async () => {
    const place = new Place();
    place.tags = { 'load-balancer': { ...TAGS, 'albridge.io/adopt': 'web/shop' } };
    await expect(place.run()).rejects.toThrow(/its tags have changed/);
    expect(place.deleted).toEqual([]);
  });

  it('is in their order, and leaves out what is gone', async () => {
    const place = new Place();
    place.tags = { 'target-group': undefined };
    const done = await place.run();
    expect(place.deleted).toEqual(['load-balancer', 'security-group']);
    expect(done.map(({ result }) => result)).toEqual(['deleted', 'gone', 'deleted']);
  });

  it('stops where the tags have changed since', async () => {
    const place = new Place();
    place.tags = { 'target-group': { ...TAGS, 'albridge.io/name': 'other' } };
    await expect(place.run()).rejects.toThrow(
      /^stopped at target-group target-group: it is no longer an orphan.*; 1 of 3 are deleted, the rest is as it was$/,
    );
    expect(place.deleted).toEqual(['load-balancer']);
  });

  it('stops where the object has come back', async () => {
    const place = new Place();
    place.objects = new Map([['web/shop', draftOf('shop', { adopt: { arn: 'load-balancer' } })]]);
    await expect(place.run()).rejects.toThrow(/its object exists again/);
    expect(place.deleted).toEqual([]);
  });

  it('stops at the first refusal', async () => {
    const place = new Place();
    place.failures = { 'target-group': () => failWith('AccessDenied') };
    await expect(place.run()).rejects.toThrow(/no: AccessDenied; 1 of 3 are deleted/);
    expect(place.deleted).toEqual(['load-balancer']);
  });

  it.each(['AwsUnreachable', 'AwsUnavailable', 'AwsUnreadable', 'AwsError'])(
    'says what is not known after the failure %s, which is no refusal',
    async (reason) => {
      const place = new Place();
      place.failures = { 'target-group': () => failWith(reason) };
      await expect(place.run()).rejects.toThrow(
        /; 1 of 3 are deleted, and whether this one was is not known: run albridge orphans again$/,
      );
    },
  );

  it('knows that a refusal with an unknown code changed nothing', async () => {
    const place = new Place();
    const cause = { $metadata: { httpStatusCode: 400 } };
    place.failures = {
      'target-group': () =>
        new OperatorError({ reason: 'AwsError', message: 'no', healedBy: 'time', cause }),
    };
    await expect(place.run()).rejects.toThrow(/; 1 of 3 are deleted, the rest is as it was$/);
  });

  it('says at an interruption how many are deleted', async () => {
    const place = new Place();
    const interrupted = new AbortController();
    place.failures = {
      'target-group': () => {
        interrupted.abort(new Error('interrupted'));
        return undefined;
      },
    };
    await expect(place.run(interrupted.signal)).rejects.toThrow('interrupted');
    expect(place.said).toEqual([
      'interrupted at target-group target-group; 1 of 3 are deleted, and whether this one was is not known: run albridge orphans again',
    ]);
  });

  it('says at an interruption between two deletions that the rest is as it was', async () => {
    const place = new Place();
    place.failures = { 'security-group': () => failWith('DependencyViolation') };
    const interrupted = new AbortController();
    const failed = expect(place.run(interrupted.signal)).rejects.toThrow('interrupted');
    await place.clock.advance(1_000);
    interrupted.abort(new Error('interrupted'));
    await failed;
    expect(place.said.at(-1)).toBe(
      'interrupted at security-group security-group; 2 of 3 are deleted, the rest is as it was',
    );
  });

  it('escapes the ids in what it says', async () => {
    const place = new Place();
    const id = 'sg\u202e';
    place.failures = { [id]: () => failWith('DependencyViolation') };
    const interrupted = new AbortController();
    const run = place.run(interrupted.signal, [{ ...orphanOf('security-group'), id }]);
    const failed = expect(run).rejects.toThrow('interrupted');
    await place.clock.advance(1_000);
    interrupted.abort(new Error('interrupted'));
    await failed;
    const where = expect.stringContaining('security-group sg\\u202e');
    expect(place.said).toEqual([where, where]);
  });

  it('reports what is still in use, waits, and tries again', async () => {
    const place = new Place();
    let refusals = 2;
    place.failures = {
      'security-group': () => (refusals-- > 0 ? failWith('DependencyViolation') : undefined),
    };
    const running = place.run();
    await place.clock.advance(20_000);
    expect((await running).map(({ result }) => result)).toEqual(['deleted', 'deleted', 'deleted']);
    expect(place.said).toHaveLength(2);
  });

  it('moves no cursor by an id that it waits for', async () => {
    const place = new Place();
    const id = 'sg-\u001b[2J';
    let refusals = 1;
    place.failures = {
      [id]: () => (refusals-- > 0 ? failWith('DependencyViolation') : undefined),
    };
    const running = place.run(undefined, [{ ...orphanOf('security-group'), id }]);
    await place.clock.advance(10_000);
    await running;
    expect(place.said).toEqual([expect.stringContaining('sg-\\u001b[2J is in use')]);
  });

  it('gives up after five minutes, and goes on with the next one', async () => {
    const place = new Place();
    place.failures = { 'security-group': () => failWith('DependencyViolation') };
    const running = place.run(undefined, [
      ...ORPHANS,
      { ...orphanOf('security-group'), id: 'sg-2' },
    ]);
    await place.clock.advance(310_000);
    expect((await running).map(({ result }) => result)).toEqual([
      ...['deleted', 'deleted', 'in use', 'deleted'],
    ]);
    expect(place.said.at(-1)).toBe(
      'security-group security-group is in use and stays: remove what uses it or refers to it, then run albridge orphans --delete again',
    );
  });

  it('does not wait for what the adopted balancer of its object uses, and names the way out', async () => {
    const place = new Place();
    place.failures = {
      'target-group': () => failWith('StillInUse'),
      'security-group': () => failWith('DependencyViolation'),
    };
    const beside = ORPHANS.slice(1).map((orphan) => ({ ...orphan, adopted: 'arn:lent' }));
    const other = { ...orphanOf('security-group'), id: 'sg-2' };
    const done = await place.run(undefined, [...beside, other]);
    expect(done.map(({ result }) => result)).toEqual(['in use', 'in use', 'deleted']);
    expect(place.said).toEqual([
      'target-group target-group is in use and stays: delete the listeners and rules of the adopted load balancer arn:lent that name it, then run albridge orphans --delete again',
      'security-group security-group is in use and stays: give the adopted load balancer arn:lent other security groups, then run albridge orphans --delete again',
    ]);
  });

  it('does not wait for a target group whose balancer it has not deleted', async () => {
    const place = new Place();
    place.failures = { 'target-group': () => failWith('StillInUse') };
    const done = await place.run(undefined, ORPHANS.slice(1));
    expect(done.map(({ result }) => result)).toEqual(['in use', 'deleted']);
  });

  it('counts nothing that stays as deleted', async () => {
    const place = new Place();
    place.failures = {
      'target-group': () => failWith('StillInUse'),
      'security-group': () => failWith('AccessDenied'),
    };
    await expect(place.run(undefined, ORPHANS.slice(1))).rejects.toThrow(
      /; 0 of 2 are deleted, the rest is as it was$/,
    );
  });
});

describe('the confirmation', () => {
  function ask(
    count: number,
    {
      typed,
      isTerminal = true,
      input = '',
    }: { typed?: string; isTerminal?: boolean; input?: string },
  ): { readonly asked: string[]; readonly answer: Promise<void> } {
    const asked: string[] = [];
    const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
    stdin.end(input);
    const stderr = { write: (text: string) => void asked.push(text) };
    const { signal } = new AbortController();
    const terminal = { stdin: stdin as unknown as NodeJS.ReadStream, stderr, signal };
    return { asked, answer: confirmDeletion(count, typed, terminal) };
  }

  it('takes the number that is typed on a terminal', async () => {
    const { asked, answer } = ask(3, { input: '3\n' });
    await answer;
    expect(asked).toEqual(['Type 3 to delete these resources: ']);
  });

  it.each(['yes\n', '\n', '13\n', ''])('takes nothing else: %j', async (input) => {
    await expect(ask(3, { input }).answer).rejects.toThrow(/nothing was deleted/);
  });

  it('takes the number of the option, and only that number', async () => {
    await ask(3, { typed: '3', isTerminal: false }).answer;
    await expect(ask(3, { typed: '2', isTerminal: false }).answer).rejects.toThrow(
      'nothing was deleted: 3 resources can be deleted and "2" was given; compare the list, then give its number',
    );
  });

  it('is not asked for where there is nothing to delete, and takes no other number then', async () => {
    const { asked, answer } = ask(0, {});
    await answer;
    expect(asked).toEqual([]);
    await ask(0, { typed: '0' }).answer;
    await expect(ask(0, { typed: '3' }).answer).rejects.toThrow(
      'nothing was deleted: 0 resources can be deleted and "3" was given; check that cluster and account are those that you mean',
    );
  });

  it('is not asked for without a terminal', async () => {
    await expect(ask(3, { isTerminal: false, input: '3\n' }).answer).rejects.toThrow(
      'nothing was deleted: without a terminal give the number of resources too, --delete --yes-delete 3',
    );
  });
});

describe('the audit log', () => {
  it('has one line for each write, and nothing else', () => {
    const lines: string[] = [];
    const log = createAuditLog({ now: () => 0 }, { write: (text) => void lines.push(text) });
    log.info('write to AWS', {
      operation: 'DeleteTargetGroup',
      input: { TargetGroupArn: 'a\u001b\u202e' },
    });
    log.info('something else');
    log.debug('plan', { operation: 'x' });
    expect(lines).toEqual([
      '1970-01-01T00:00:00.000Z DeleteTargetGroup {"TargetGroupArn":"a\\u001b\\u202e"}\n',
    ]);
  });
});
