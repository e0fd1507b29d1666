import type { Clock } from '../../core/ports/clock.ts';
import type { AwsCall, Payer } from '../client/aws-call.ts';
import { createUnreadableError } from '../client/aws-errors.ts';
import { Batch } from '../inventory/batch.ts';
import type { WriteLedger } from '../inventory/write-ledger.ts';
import {
  type Answers,
  type Calls,
  describeSubject,
  MOST_ARNS,
  readEach,
} from './load-balancer-reader.ts';
import type { Tags } from './load-balancers.ts';
import type { ResourceTags } from './traffic.ts';

/** Reads tags by ARN, 20 a call; undefined: AWS answered that the resource does not exist. */
export function createTagsBatch(call: AwsCall, clock: Clock): Batch<Tags | undefined> {
  return new Batch({
    clock,
    mostKeys: MOST_ARNS,
    load: (arns, signal, findPayer) => readTags({ call, findPayer }, arns, signal),
  });
}

/** ResourceTags over AWS; every write is entered in the ledger that the inventory goes by. */
export function createResourceTags(
  call: AwsCall,
  batch: Batch<Tags | undefined>,
  { ledger, payer = {} }: { readonly ledger: WriteLedger; readonly payer?: Payer },
): ResourceTags {
  return {
    read: (arn, signal) => batch.ask(arn, signal, payer),
    async add(arns, tags) {
      if (Object.keys(tags).length === 0) return;
      const input = { ResourceArns: [...arns], Tags: toPairs(tags) };
      await ledger.duringAll(arns, () =>
        call('AddTags', input, { subject: describeSubject(arns) }),
      );
    },
    async remove(arns, keys) {
      if (keys.length === 0) return;
      const input = { ResourceArns: [...arns], TagKeys: [...keys] };
      await ledger.duringAll(arns, () =>
        call('RemoveTags', input, { subject: describeSubject(arns) }),
      );
    },
  };
}

/** Up to 20. */
export function readTags(
  { call, findPayer }: Calls,
  arns: readonly string[],
  signal: AbortSignal,
): Promise<Answers<Tags>> {
  return readEach('DescribeTags', arns, async (asked) => {
    const input = { ResourceArns: [...asked] };
    const subject = describeSubject(asked);
    const answer = await call('DescribeTags', input, { subject, signal, ...findPayer?.(asked) });
    const read = new Map(
      (answer.TagDescriptions ?? []).flatMap(({ ResourceArn, Tags: tags }) =>
        ResourceArn ? [[ResourceArn, shapePairs(tags ?? [])] as const] : [],
      ),
    );
    const [only = ''] = asked;
    if (asked.length > 1 || read.has(only)) return read;
    throw createUnreadableError(
      { operation: 'DescribeTags', subject },
      'the answer lacks the load balancer',
    );
  });
}

/** A list of tags or attributes as a record; entries without a key are none. */
export function shapePairs(
  pairs: readonly { readonly Key?: string | undefined; readonly Value?: string | undefined }[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(pairs.flatMap(({ Key, Value }) => (Key ? [[Key, Value ?? '']] : [])));
}

export function toPairs(
  record: Readonly<Record<string, string>>,
): { readonly Key: string; readonly Value: string }[] {
  return Object.entries(record).map(([Key, Value]) => ({ Key, Value }));
}
