import { KIND_NAMES } from '../apis/kind-names.ts';
import * as values from './values.ts';

/** One environment variable. An empty value counts as not set. */
export interface Setting {
  readonly name: string;
  readonly what: string;
  /** Ends the sentence "NAME=value: expected ...". */
  readonly accepts: string;
  /** The value that counts where none is set. */
  readonly default?: string;
  /** Describes the default in words where no value can. */
  readonly otherwise?: string;
  readonly parse: values.Parser<unknown>;
}

/** Every setting of the operator; the docs and `--help` show this table. */
export const settings = {
  kubeconfig: {
    name: 'KUBECONFIG',
    what: 'kubeconfig of the cluster, if albridge runs outside of it; a list of files as for kubectl',
    accepts: 'the path of a kubeconfig',
    otherwise: 'in a pod its service account, elsewhere ~/.kube/config',
    parse: values.parseText,
  },
  serviceHost: {
    name: 'KUBERNETES_SERVICE_HOST',
    what: 'the API server as pods see it; set by Kubernetes',
    accepts: 'a host name or an address',
    otherwise: 'not in a cluster',
    parse: values.parseMatching(/^[\w.:-]+$/),
  },
  servicePort: {
    name: 'KUBERNETES_SERVICE_PORT',
    what: "the API server's port as pods see it; set by Kubernetes",
    accepts: 'a port',
    default: '443',
    parse: values.parseWholeNumber(1, 65_535),
  },
  serviceAccountDir: {
    name: 'ALBRIDGE_SERVICE_ACCOUNT_DIR',
    what: 'directory of token, ca.crt and namespace',
    accepts: 'the path of a directory',
    default: '/var/run/secrets/kubernetes.io/serviceaccount',
    parse: values.parseText,
  },
  region: {
    name: 'AWS_REGION',
    what: 'region of the load balancers',
    accepts: 'an AWS region such as eu-central-1',
    otherwise: 'AWS_DEFAULT_REGION; one of them is required for myingress',
    parse: values.parseMatching(/^[a-z]{2,4}(-[a-z]+)+-\d+$/),
  },
  defaultRegion: {
    name: 'AWS_DEFAULT_REGION',
    what: 'region of the load balancers if AWS_REGION is not set',
    accepts: 'an AWS region such as eu-central-1',
    otherwise: 'AWS_REGION',
    parse: values.parseMatching(/^[a-z]{2,4}(-[a-z]+)+-\d+$/),
  },
  elbEndpoint: {
    name: 'AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2',
    what: 'address of Elastic Load Balancing, such as a stand-in for AWS',
    accepts: 'an http or https address without name and password in it',
    otherwise: 'AWS_ENDPOINT_URL',
    parse: values.parsePlainUrl,
  },
  ec2Endpoint: {
    name: 'AWS_ENDPOINT_URL_EC2',
    what: 'address of EC2, for subnets and security groups',
    accepts: 'an http or https address without name and password in it',
    otherwise: 'AWS_ENDPOINT_URL',
    parse: values.parsePlainUrl,
  },
  acmEndpoint: {
    name: 'AWS_ENDPOINT_URL_ACM',
    what: 'address of AWS Certificate Manager, where a listener names no certificates',
    accepts: 'an http or https address without name and password in it',
    otherwise: 'AWS_ENDPOINT_URL',
    parse: values.parsePlainUrl,
  },
  endpoint: {
    name: 'AWS_ENDPOINT_URL',
    what: 'address of all AWS services, such as a stand-in for AWS',
    accepts: 'an http or https address without name and password in it',
    otherwise: "AWS's own for the region",
    parse: values.parsePlainUrl,
  },
  proxy: {
    name: 'HTTPS_PROXY',
    what: 'proxy for https addresses of AWS; never used for this machine or the cluster',
    accepts: 'the address of an http or https proxy; name and password in it percent-encoded',
    otherwise: 'no proxy',
    parse: values.parseProxyUrl,
  },
  noProxy: {
    name: 'NO_PROXY',
    what: 'AWS hosts that are reached without the proxy: names or suffixes such as .amazonaws.com between commas, or *',
    accepts: 'any text; address ranges have no effect',
    otherwise: 'none',
    parse: values.parseText,
  },
  budget: {
    name: 'ALBRIDGE_AWS_BUDGET',
    what: 'limits for calls to AWS by this process: 80 % of what AWS documents, none, or a JSON file',
    accepts: 'aws, off, or the path of a file of limits',
    default: 'aws',
    parse: values.parseText,
  },
  backendSecurityGroups: {
    name: 'ALBRIDGE_BACKEND_SECURITY_GROUPS',
    what: "security groups that load balancers get in addition to the one that albridge manages, so that pods admit them; on EKS the cluster's own",
    accepts: 'up to 15 ids of security groups between commas, such as sg-0123456789abcdef0',
    otherwise: 'none',
    parse: values.parseSecurityGroups,
  },
  clusterName: {
    name: 'ALBRIDGE_CLUSTER_NAME',
    what: 'name of this cluster in the tags kubernetes.io/cluster/<name>, by which subnets of other clusters are left out where a MyIngress names no subnets; on EKS its name there',
    accepts: 'up to 106 of the characters A-Z a-z 0-9 _ . -',
    otherwise: "the cluster's id, as of ALBRIDGE_CLUSTER_ID",
    parse: values.parseMatching(/^[A-Za-z0-9_.-]{1,106}$/),
  },
  vpcId: {
    name: 'ALBRIDGE_VPC_ID',
    what: 'VPC of load balancers where a MyIngress names no subnets',
    accepts: 'the id of a VPC, such as vpc-0123456789abcdef0',
    otherwise: 'the only VPC with subnets that are tagged for load balancers',
    parse: values.parseMatching(/^vpc-[0-9A-Za-z-]{1,60}$/),
  },
  mode: {
    name: 'ALBRIDGE_MODE',
    what: 'whether albridge reconciles, or only writes status, such as the plan of a MyIngress',
    accepts: 'reconcile or observe',
    default: 'reconcile',
    parse: values.parseOneOf('reconcile', 'observe'),
  },
  kinds: {
    name: 'ALBRIDGE_KINDS',
    what: 'kinds to reconcile; configmap-annotation needs configmonitor, and only myingress needs AWS',
    accepts: `some of these names, between commas: ${KIND_NAMES.join(', ')}`,
    otherwise: 'all of them',
    parse: values.parseSomeOf(KIND_NAMES),
  },
  clusterId: {
    name: 'ALBRIDGE_CLUSTER_ID',
    what: 'identifies this cluster in the tags of its load balancers; never change it',
    accepts: 'up to 256 of the characters A-Z a-z 0-9 _ . : / = + - @',
    otherwise: 'the UID of the namespace kube-system',
    parse: values.parseMatching(/^[A-Za-z0-9_.:/=+@-]{1,256}$/),
  },
  namespaces: {
    name: 'ALBRIDGE_NAMESPACES',
    what: 'namespaces to serve, between commas, each of which it must have the right to watch: after a restart it serves none before it may watch all of them; needs ALBRIDGE_CLUSTER_ID, and excludes backends with targetType instance, since nodes are cluster-scoped',
    accepts: 'names of namespaces between commas',
    otherwise: 'all of them',
    parse: values.parseNamespaces,
  },
  sweepInterval: {
    name: 'ALBRIDGE_SWEEP_INTERVAL',
    what: 'time between two drift scans',
    accepts: 'a duration from 1s to 24h, such as 30s, 5m or 1h30m',
    default: '5m',
    parse: values.parseDurationMs(1000, 24 * 3_600_000),
  },
  concurrency: {
    name: 'ALBRIDGE_CONCURRENCY',
    what: 'objects of a kind that are reconciled at the same time',
    accepts: 'a whole number from 1 to 256',
    default: '16',
    parse: values.parseWholeNumber(1, 256),
  },
  metricsAddress: {
    name: 'ALBRIDGE_METRICS_ADDRESS',
    what: 'where /metrics is served, or off',
    accepts: 'an address such as :8080, 127.0.0.1:0 or [::1]:8080, or off',
    default: ':8080',
    parse: values.parseListenAddress,
  },
  healthAddress: {
    name: 'ALBRIDGE_HEALTH_ADDRESS',
    what: 'where /healthz and /readyz are served, on another port than /metrics, or off',
    accepts: 'an address such as :8081, 127.0.0.1:0 or [::1]:8081, or off',
    default: ':8081',
    parse: values.parseListenAddress,
  },
  leaderElection: {
    name: 'ALBRIDGE_LEADER_ELECTION',
    what: 'whether replicas elect the active one by a Lease',
    accepts: 'on or off',
    otherwise: 'on in a cluster, off with a kubeconfig and in mode observe',
    parse: values.parseFlag,
  },
  readinessGates: {
    name: 'ALBRIDGE_READINESS_GATES',
    what: 'whether pods with the readiness gate albridge.io/targets-healthy are watched, and their gates opened, and whether WebApps behind a load balancer get it; needs the rights of deploy/components/readiness-gates, which alone sets it: in the ConfigMap it is ignored',
    accepts: 'on or off',
    default: 'off',
    parse: values.parseFlag,
  },
  secrets: {
    name: 'ALBRIDGE_SECRETS',
    what: 'whether Secrets are watched, for ConfigMonitors that name one; needs the rights of deploy/components/secrets, which alone sets it: in the ConfigMap it is ignored',
    accepts: 'on or off',
    default: 'off',
    parse: values.parseFlag,
  },
  logLevel: {
    name: 'LOG_LEVEL',
    what: 'lowest level that is logged',
    accepts: 'debug, info or error',
    default: 'info',
    parse: values.parseOneOf('debug', 'info', 'error'),
  },
  logFormat: {
    name: 'LOG_FORMAT',
    what: 'format of the log; pretty in development only',
    accepts: 'json or pretty',
    default: 'json',
    parse: values.parseOneOf('json', 'pretty'),
  },
  podName: {
    name: 'POD_NAME',
    what: 'identity of this replica in the Lease and in events; from the Downward API',
    accepts: 'a name',
    otherwise: 'the host name',
    parse: values.parseText,
  },
  podNamespace: {
    name: 'POD_NAMESPACE',
    what: 'namespace of the Lease; from the Downward API',
    accepts: 'the name of a namespace',
    otherwise: "the service account's or the kubeconfig's",
    parse: values.parseMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/),
  },
} as const satisfies Readonly<Record<string, Setting>>;

/** The settings as `--help` shows them. */
export function formatSettingsHelp(): string {
  const rows: readonly Setting[] = Object.values(settings);
  const lines = rows.flatMap((row) => [
    `  ${row.name}`,
    `      ${row.what}`,
    `      ${row.accepts}; ${row.default ? `default ${row.default}` : `not set: ${row.otherwise}`}`,
  ]);
  return `albridge is configured by its environment:\n\n${lines.join('\n')}\n`;
}
