import { afterEach, beforeEach, vi } from 'vitest';

/** Gives each test of the file the AWS credentials of nobody, and the stand-in to send requests to, if any. */
export function stubCaller(findEndpoint: () => string | undefined): void {
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'nobody');
    vi.stubEnv('AWS_ENDPOINT_URL', findEndpoint());
  });
  afterEach(() => void vi.unstubAllEnvs());
}
