import { expect, it } from 'vitest';
import { createSdkClient } from '../../../../src/aws/client/sdk-api.ts';

it('leaves in the SDK what makes up a request, and the place of its retries', () => {
  const { middlewareStack } = createSdkClient({ region: 'us-east-1', userAgent: 'albridge/0' });
  const names = middlewareStack.identify().map((entry) => entry.split(' ', 1)[0]);
  expect(names).toEqual([
    'serializerMiddleware',
    'contentLengthMiddleware',
    'hostHeaderMiddleware',
    'getUserAgentMiddleware',
    'retryMiddleware',
    'httpSigningMiddleware',
    'deserializerMiddleware',
  ]);
});
