import { EC2Client } from '@aws-sdk/client-ec2';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import {
  type EmbeddedAwsServer,
  startEmbeddedAws,
} from '../../../../localstack/embedded/http/server.ts';
import { type SeededNetwork, seedNetwork } from '../../../../localstack/seed.ts';

const CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test' };

/** A served stand-in with its SDK clients and a seeded network, set up for one test file. */
export interface ServedAws {
  readonly server: EmbeddedAwsServer;
  readonly elb: ElasticLoadBalancingV2Client;
  readonly ec2: EC2Client;
  readonly network: SeededNetwork;
  /** For other clients. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Starts before the file's tests, is emptied of balancers before each, stops after the last. */
export function serveAwsForTests(): ServedAws {
  const parts: { -readonly [Part in keyof ServedAws]?: ServedAws[Part] } = {};
  beforeAll(async () => {
    parts.server = await startEmbeddedAws({ settings: { budget: 'off', provisioningMs: 0 } });
    parts.network = await seedNetwork({ endpoint: parts.server.url, credentials: CREDENTIALS });
    const client = {
      endpoint: parts.server.url,
      region: 'us-east-1',
      credentials: CREDENTIALS,
      maxAttempts: 1,
    };
    parts.elb = new ElasticLoadBalancingV2Client(client);
    parts.ec2 = new EC2Client(client);
  });
  beforeEach(() => parts.server?.control.reset({ keepNetwork: true }));
  afterAll(async () => {
    parts.elb?.destroy();
    parts.ec2?.destroy();
    await parts.server?.stop();
  });
  return {
    get server() {
      return started(parts.server);
    },
    get elb() {
      return started(parts.elb);
    },
    get ec2() {
      return started(parts.ec2);
    },
    get network() {
      return started(parts.network);
    },
    get environment() {
      const { url, region } = started(parts.server);
      return { AWS_ENDPOINT_URL: url, AWS_REGION: region };
    },
  };
}

/** Headers that only have to look like a signature. */
export function signed(
  service = 'elasticloadbalancing',
  region = 'us-east-1',
  atMs = Date.now(),
): { readonly authorization: string; readonly 'x-amz-date': string } {
  const scope = `test/20260101/${region}/${service}/aws4_request`;
  return {
    authorization: `AWS4-HMAC-SHA256 Credential=${scope}, SignedHeaders=host, Signature=0`,
    'x-amz-date': new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, ''),
  };
}

function started<Part>(part: Part | undefined): Part {
  if (part === undefined) throw new Error('used outside a test');
  return part;
}
