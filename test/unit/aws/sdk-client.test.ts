import { expect, it } from 'vitest';
import { createSdkClient } from '../../../src/aws/sdk-client.ts';

it('leaves in the SDK what makes up a request, and the place of its retries', () => {
  const leadership = { isLeader: () => true };
  const { middlewareStack } = createSdkClient({ region: 'us-east-1', leadership, version: '0' });
  const names = middlewareStack.identify().map((entry) => entry.split(' ', 1)[0]);
  expect(names).toEqual([
    'serializerMiddleware',
    'contentLengthMiddleware',
    'getUserAgentMiddleware',
    'hostHeaderMiddleware',
    'retryMiddleware',
    'httpSigningMiddleware',
    'deserializerMiddleware',
    'refuseWritesWithoutLease',
  ]);
});
