import { describe, expect, it } from 'vitest';
import type { AwsApi, AwsOperation } from '../../../../src/aws/client/aws-api.ts';
import { restrictWrites } from '../../../../src/aws/client/aws-api.ts';
import { isWrite, operations } from '../../../../src/aws/client/operations.ts';

const ALL = Object.keys(operations) as AwsOperation[];

async function sendAll(allowed: readonly AwsOperation[]): Promise<readonly AwsOperation[]> {
  const sent: AwsOperation[] = [];
  const api: AwsApi = {
    send: (operation) => {
      sent.push(operation);
      return Promise.resolve({});
    },
  };
  const restricted = restrictWrites(api, allowed);
  for (const operation of ALL) await restricted.send(operation, {}).catch(() => undefined);
  return sent;
}

describe('an API with restricted writes', () => {
  it('sends every read of the operation table and none of its writes', async () => {
    const sent = await sendAll([]);
    expect(sent).toEqual(ALL.filter((operation) => !isWrite(operation)));
    expect(
      sent.every(
        (operation) =>
          operation.startsWith('Describe') ||
          operation.startsWith('List') ||
          operation.startsWith('Get'),
      ),
    ).toBe(true);
  });

  it('sends the writes that are allowed, and no others', async () => {
    const sent = await sendAll(['DeleteTargetGroup']);
    expect(sent.filter(isWrite)).toEqual(['DeleteTargetGroup']);
  });

  it('says which write it refused', async () => {
    const api = restrictWrites({ send: () => Promise.resolve({} as never) }, []);
    await expect(api.send('DeleteRule', { RuleArn: 'x' })).rejects.toThrow(
      'DeleteRule is a write that this process may not send',
    );
  });
});
