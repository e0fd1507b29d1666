import * as elbv2 from '@aws-sdk/client-elastic-load-balancing-v2';
import { ElasticLoadBalancingV2Client } from '@aws-sdk/client-elastic-load-balancing-v2';
import { ADMINISTRATOR } from '../surroundings/aws-stand-in.ts';
import { readAwsCommand } from './aws-command.ts';

/** `aws elbv2 …` against the stand-in of AWS_ENDPOINT_URL, as one who may do everything. */

type Commands = Readonly<Record<string, new (input: object) => elbv2.DescribeTagsCommand>>;

const { operation, input } = readAwsCommand(process.argv.slice(2));
const endpoint = process.env['AWS_ENDPOINT_URL'];
if (endpoint === undefined) throw new Error('aws: AWS_ENDPOINT_URL is not set');
const region = process.env['AWS_REGION'] ?? '';
const client = new ElasticLoadBalancingV2Client({ endpoint, region, credentials: ADMINISTRATOR });
const Command = (elbv2 as unknown as Commands)[`${operation}Command`];
if (Command === undefined) throw new Error(`aws: ${operation} is not sent here`);
const { $metadata: _, ...answer } = await client.send(new Command(input));
process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
client.destroy();
