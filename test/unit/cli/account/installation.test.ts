import { describe, expect, it } from 'vitest';
import { decideInstallation, type ReadSettings } from '../../../../src/cli/account/installation.ts';

const REGION = { AWS_REGION: 'eu-central-1' };
const UID = 'f2c1';

function decide(
  read: Partial<ReadSettings>,
  env: Readonly<Record<string, string>> = {},
): ReturnType<typeof decideInstallation> {
  return decideInstallation({ operators: [], systemUid: UID, ...read }, { ...REGION, ...env });
}

describe('the id of the cluster', () => {
  it('is the UID of kube-system where nobody says otherwise', () => {
    expect(decide({})).toMatchObject({ clusterId: UID, isProven: true });
    expect(decide({ operators: [{}] })).toMatchObject({ clusterId: UID, isProven: true });
  });

  it('is that of the operator, and counts as proved only if the caller names it too', () => {
    const operators = [{ ALBRIDGE_CLUSTER_ID: 'blue' }];
    expect(decide({ operators })).toMatchObject({ clusterId: 'blue', isProven: false });
    const env = { ALBRIDGE_CLUSTER_ID: 'blue' };
    expect(decide({ operators }, env)).toMatchObject({ clusterId: 'blue', isProven: true });
  });

  it('is not proved by the caller alone', () => {
    const env = { ALBRIDGE_CLUSTER_ID: 'green' };
    expect(decide({}, env)).toMatchObject({ clusterId: 'green', isProven: false });
    const operators = [{ ALBRIDGE_CLUSTER_ID: 'blue' }];
    expect(decide({ operators }, env)).toMatchObject({ clusterId: 'green', isProven: false });
  });

  it('is asked for where operators differ, or nothing can be read', () => {
    const operators = [{ ALBRIDGE_CLUSTER_ID: 'blue' }, { ALBRIDGE_CLUSTER_ID: 'green' }];
    expect(() => decide({ operators })).toThrow(
      'operators of this cluster have different ids (blue, green): set ALBRIDGE_CLUSTER_ID to one of them',
    );
    expect(() => decide({ systemUid: undefined })).toThrow(
      /cannot be read: set ALBRIDGE_CLUSTER_ID/,
    );
  });
});

describe('the settings of AWS', () => {
  const operator = {
    AWS_REGION: 'us-east-1',
    ALBRIDGE_VPC_ID: 'vpc-1',
    AWS_ENDPOINT_URL: 'https://elsewhere.example',
    HTTPS_PROXY: 'http://proxy.example:3128',
  };

  it('are those of the operator, but for endpoints and proxies', () => {
    const read = { operators: [operator], systemUid: UID };
    const { aws, warnings } = decideInstallation(read, {});
    expect(aws).toMatchObject({ region: 'us-east-1', vpcId: 'vpc-1' });
    expect([aws.endpoint, aws.proxy]).toEqual([undefined, undefined]);
    expect(warnings).toEqual([]);
  });

  it("are the caller's first, who is warned of another region", () => {
    const { aws, warnings } = decide({ operators: [operator] }, { ALBRIDGE_VPC_ID: 'vpc-2' });
    expect(aws).toMatchObject({ region: 'eu-central-1', vpcId: 'vpc-2' });
    expect(warnings).toEqual(['AWS_REGION is eu-central-1, the operator works in us-east-1']);
    const other = decide(
      { operators: [operator] },
      { AWS_REGION: '', AWS_DEFAULT_REGION: 'us-west-2' },
    );
    expect(other.aws.region).toBe('us-west-2');
  });

  it('name what is missing or wrong', () => {
    expect(() => decide({}, { AWS_REGION: '' })).toThrow('AWS_REGION is not set: set it to');
    expect(() => decide({}, { AWS_REGION: 'mars' })).toThrow('AWS_REGION="mars": expected');
  });
});
