import type { AwsOperation } from '../../../src/aws/client/aws-api.ts';
import type { KubeRequest } from '../../../src/kube/client/kube-transport.ts';

/**
 * One operation of a port, as crash points name it: `kube PATCH myingresses/status apply`,
 * `aws DescribeLoadBalancers by name`.
 */
export type Label = string;

export function kubeLabel(request: KubeRequest): Label {
  const { method, query = {} } = request;
  const { plural, name, subresource } = partsOf(request.path);
  if (query['watch'] === 'true') {
    return `kube WATCH ${plural} ${query['resourceVersion'] === undefined ? 'from the start' : 'on'}`;
  }
  if (query['limit'] === '1') return `kube VERSION ${plural}`;
  if (method === 'GET' && name === undefined) return `kube LIST ${plural}`;
  const what = subresource === undefined ? plural : `${plural}/${subresource}`;
  return `kube ${method} ${what}${patchType(request)}`;
}

function partsOf(path: string): {
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
} {
  const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  const isInNamespace = parts[0] === 'namespaces' && parts.length > 2;
  const [plural = '', name, subresource] = isInNamespace ? parts.slice(2) : parts;
  return { plural, name, subresource };
}

function patchType({ headers = {} }: KubeRequest): string {
  const type = headers['content-type'] ?? '';
  if (type.includes('apply-patch')) return ' apply';
  if (type.includes('json-patch')) return ' json';
  return type.includes('merge-patch') ? ' merge' : '';
}

/** What is read by name, by ARN and as a whole dies at three points. */
const LISTINGS: ReadonlySet<AwsOperation> = new Set([
  'DescribeLoadBalancers',
  'DescribeTargetGroups',
]);

export function awsLabel(operation: AwsOperation, input: object): Label {
  if (!LISTINGS.has(operation)) return `aws ${operation}`;
  if ('Names' in input) return `aws ${operation} by name`;
  const isByArn = ['LoadBalancerArns', 'LoadBalancerArn', 'TargetGroupArns'].some(
    (field) => field in input,
  );
  return `aws ${operation} ${isByArn ? 'by ARN' : 'all'}`;
}
