import { describe, expect, it } from 'vitest';
import { KIND_NAMES } from '../../../src/apis/kind-names.ts';
import { DEFAULT_LIMITS, NO_LIMITS } from '../../../src/aws/budget/budget-limits.ts';
import { type Environment, type OperatorConfig, parseConfig } from '../../../src/config/config.ts';
import { formatSettingsHelp, type Setting, settings } from '../../../src/config/settings.ts';

const STAND_IN = 'http://127.0.0.1:4566';
const files: Readonly<Record<string, string>> = {
  '/etc/limits.json': '{"reads":{"burst":5,"perSecond":1}}',
  '/etc/broken.json': '{"reads":{"burst":0,"perSecond":"x"}}',
};
const surroundings = {
  homeDirectory: '/home/somebody',
  readText: (path: string): string => {
    const text = files[path];
    if (text === undefined) throw new Error('ENOENT');
    return text;
  },
};

function configOf(env: Environment): OperatorConfig {
  const parsed = parseConfig({ AWS_REGION: 'eu-central-1', ...env }, surroundings);
  if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
  return parsed.config;
}

function problemsOf(env: Environment): readonly string[] {
  const parsed = parseConfig(env, surroundings);
  return parsed.kind === 'problems' ? parsed.problems : [];
}

describe('parseConfig', () => {
  it('needs nothing but a region', () => {
    expect(configOf({})).toEqual({
      mode: 'reconcile',
      kinds: KIND_NAMES,
      cluster: {
        servicePort: '443',
        serviceAccountDir: '/var/run/secrets/kubernetes.io/serviceaccount',
        defaultKubeconfig: '/home/somebody/.kube/config',
      },
      aws: { region: 'eu-central-1', budget: DEFAULT_LIMITS, backendSecurityGroups: [] },
      namespaces: [],
      sweepIntervalMs: 300_000,
      readinessGates: false,
      secrets: false,
      concurrency: 16,
      metricsAddress: { port: 8080 },
      healthAddress: { port: 8081 },
      log: { level: 'info', format: 'json' },
      pod: {},
    });
  });

  it('is frozen to the bottom', () => {
    const config = configOf({ ALBRIDGE_NAMESPACES: 'a', ALBRIDGE_CLUSTER_ID: 'x' });
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.namespaces)).toBe(true);
    expect(Object.isFrozen(config.cluster)).toBe(true);
  });

  const accepted: Readonly<Record<string, { env: Environment; means: object; why: string }>> = {
    'the region of other tools': {
      env: { AWS_REGION: '', AWS_DEFAULT_REGION: 'us-gov-west-1' },
      means: { aws: { region: 'us-gov-west-1', budget: DEFAULT_LIMITS } },
      why: 'AWS_DEFAULT_REGION is what the AWS command line reads',
    },
    'a stand-in for AWS': {
      env: { AWS_ENDPOINT_URL: STAND_IN },
      means: { aws: { endpoint: STAND_IN, ec2Endpoint: STAND_IN, acmEndpoint: STAND_IN } },
      why: 'LocalStack and the embedded one are reached so',
    },
    'the endpoint of each service': {
      env: {
        AWS_ENDPOINT_URL: 'http://all',
        AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: 'https://elb',
        AWS_ENDPOINT_URL_EC2: 'https://ec2',
      },
      means: { aws: { endpoint: 'https://elb', ec2Endpoint: 'https://ec2' } },
      why: 'the more special setting wins, as in the SDK',
    },
    'security groups that pods admit': {
      env: { ALBRIDGE_BACKEND_SECURITY_GROUPS: 'sg-0123456789abcdef0, sg-abc,sg-abc' },
      means: { aws: { backendSecurityGroups: ['sg-0123456789abcdef0', 'sg-abc'] } },
      why: 'on EKS it is the group of the cluster, which its nodes and pods have',
    },
    'a proxy, with a password': {
      env: { HTTPS_PROXY: 'https://me:pw@proxy:3128', NO_PROXY: '.vpce.amazonaws.com,10.0.0.0/8' },
      means: {
        aws: {
          proxy: { url: 'https://me:pw@proxy:3128', except: '.vpce.amazonaws.com,10.0.0.0/8' },
        },
      },
      why: 'nodes that reach AWS only so have it in their environment',
    },
    'a proxy without scheme': {
      env: { HTTPS_PROXY: 'proxy:3128' },
      means: { aws: { proxy: { url: 'http://proxy:3128', except: '' } } },
      why: 'Go and curl take it for http',
    },
    'a compound duration': {
      env: { ALBRIDGE_SWEEP_INTERVAL: '1h30m' },
      means: { sweepIntervalMs: 5_400_000 },
      why: 'durations are written as in Go',
    },
    'blanks round a value': {
      env: { ALBRIDGE_CONCURRENCY: ' 4 ' },
      means: { concurrency: 4 },
      why: 'files of KEY=VALUE lines often end in blanks',
    },
    'no budget': {
      env: { ALBRIDGE_AWS_BUDGET: 'off' },
      means: { aws: { budget: NO_LIMITS } },
      why: 'a stand-in needs no limits',
    },
    'a budget of its own': {
      env: { ALBRIDGE_AWS_BUDGET: '/etc/limits.json' },
      means: { aws: { budget: { reads: { burst: 5, perSecond: 1 } } } },
      why: 'an account may have raised limits',
    },
    'some namespaces': {
      env: { ALBRIDGE_NAMESPACES: 'web, shop,web,', ALBRIDGE_CLUSTER_ID: 'prod-1' },
      means: { namespaces: ['web', 'shop'], clusterId: 'prod-1' },
      why: 'lists are written by hand',
    },
    'one kind, without AWS': {
      env: { AWS_REGION: '', ALBRIDGE_KINDS: ' webapp,', ALBRIDGE_NAMESPACES: 'web' },
      means: { kinds: ['webapp'], namespaces: ['web'] },
      why: 'only MyIngress has load balancers, and tags that name the cluster',
    },
    'some kinds': {
      env: { ALBRIDGE_KINDS: 'configmap-annotation,configmonitor, myingress' },
      means: { kinds: ['myingress', 'configmonitor', 'configmap-annotation'] },
      why: 'the order does not matter',
    },
    'an address on one interface': {
      env: { ALBRIDGE_METRICS_ADDRESS: '127.0.0.1:0' },
      means: { metricsAddress: { host: '127.0.0.1', port: 0 } },
      why: 'the demo takes any free port',
    },
    'health on another port': {
      env: { ALBRIDGE_HEALTH_ADDRESS: ':9091' },
      means: { metricsAddress: { port: 8080 }, healthAddress: { port: 9091 } },
      why: 'a flood on the metrics port does not keep the kubelet out',
    },
    'an IPv6 address': {
      env: { ALBRIDGE_METRICS_ADDRESS: '[::1]:8080' },
      means: { metricsAddress: { host: '::1', port: 8080 } },
      why: 'IPv6 clusters exist',
    },
    observing: {
      env: { ALBRIDGE_MODE: 'observe' },
      means: { mode: 'observe', leaderElection: false },
      why: 'read-only rights have no Lease, and another albridge may hold it',
    },
    'leader election without a cluster': {
      env: { ALBRIDGE_LEADER_ELECTION: 'on' },
      means: { leaderElection: true },
      why: 'two processes on one laptop are a way to try it',
    },
    'a pod': {
      env: {
        KUBERNETES_SERVICE_HOST: '10.0.0.1',
        KUBERNETES_SERVICE_PORT: '6443',
        ALBRIDGE_SERVICE_ACCOUNT_DIR: '/sa',
        POD_NAME: 'albridge-0',
        POD_NAMESPACE: 'albridge-system',
      },
      means: {
        cluster: { serviceHost: '10.0.0.1', servicePort: '6443', serviceAccountDir: '/sa' },
        pod: { name: 'albridge-0', namespace: 'albridge-system' },
      },
      why: 'the way it runs in production',
    },
    'environment that Kubernetes adds for a Service called albridge-metrics': {
      env: {
        ALBRIDGE_METRICS_SERVICE_HOST: '10.0.0.9',
        ALBRIDGE_METRICS_SERVICE_PORT: '8080',
        ALBRIDGE_METRICS_SERVICE_PORT_HTTP: '8080',
        ALBRIDGE_METRICS_PORT: 'tcp://10.0.0.9:8080',
        ALBRIDGE_METRICS_PORT_8080_TCP: 'tcp://10.0.0.9:8080',
        ALBRIDGE_METRICS_PORT_8080_TCP_ADDR: '10.0.0.9',
        ALBRIDGE_SERVICE_HOST: '10.0.0.9',
      },
      means: { metricsAddress: { port: 8080 } },
      why: 'nobody set these, and the operator must start beside its own Service',
    },
    'what the seed script and the sandbox print': {
      env: { ALBRIDGE_SUBNETS: 'subnet-a,subnet-b', ALBRIDGE_CERTIFICATES: 'arn:aws:acm:a,arn:b' },
      means: { concurrency: 16 },
      why: "a sandbox's file of settings is read into the operator's environment as it is",
    },
  };
  it.each(Object.entries(accepted))('accepts %s', (_name, { env, means }) => {
    expect(configOf(env)).toMatchObject(means);
  });

  it('asks for nothing of AWS where no kind needs it', () => {
    expect(configOf({ ALBRIDGE_KINDS: 'webapp' })).not.toHaveProperty('aws');
  });

  it('asks EC2 at its own address where that of Elastic Load Balancing alone is another', () => {
    const { aws } = configOf({ AWS_ENDPOINT_URL_ELASTIC_LOAD_BALANCING_V2: 'https://elb' });
    expect(aws?.endpoint).toBe('https://elb');
    expect(aws).not.toHaveProperty('ec2Endpoint');
  });

  it('serves neither metrics nor health where their addresses are off', () => {
    expect(configOf({ ALBRIDGE_METRICS_ADDRESS: 'off' })).not.toHaveProperty('metricsAddress');
    expect(configOf({ ALBRIDGE_METRICS_ADDRESS: '0' })).not.toHaveProperty('metricsAddress');
    expect(configOf({ ALBRIDGE_HEALTH_ADDRESS: 'off' })).not.toHaveProperty('healthAddress');
  });

  it('leaves leader election to the kind of cluster by default', () => {
    expect(configOf({})).not.toHaveProperty('leaderElection');
  });

  const refused: Readonly<Record<string, { env: Environment; says: RegExp; why: string }>> = {
    'a region that is none': {
      env: { AWS_REGION: 'Frankfurt' },
      says: /^AWS_REGION="Frankfurt": expected an AWS region such as eu-central-1$/,
      why: 'the SDK would look for a host that does not exist',
    },
    'an endpoint without scheme': {
      env: { AWS_ENDPOINT_URL: 'localhost:4566' },
      says: /^AWS_ENDPOINT_URL="localhost:4566": expected an http or https address/,
      why: 'localhost: parses as a scheme',
    },
    'a password in an endpoint': {
      env: { AWS_ENDPOINT_URL: 'http://me:pw@host' },
      says: /without name and password/,
      why: 'it would be logged',
    },
    'a password in an endpoint that is broken beside': {
      env: { AWS_ENDPOINT_URL: 'htp://me:pw#1/@host' },
      says: /^AWS_ENDPOINT_URL="htp:\/\/\*\*\*@host": expected/,
      why: 'the problem is logged too',
    },
    'a password in the endpoint of EC2': {
      env: { AWS_ENDPOINT_URL_EC2: 'http://me:pw@host' },
      says: /^AWS_ENDPOINT_URL_EC2="http:\/\/\*\*\*@host": expected .* without name and password/,
      why: 'it would be logged',
    },
    'the name of a security group': {
      env: { ALBRIDGE_BACKEND_SECURITY_GROUPS: 'sg-abc,nodes' },
      says: /^ALBRIDGE_BACKEND_SECURITY_GROUPS="sg-abc,nodes": expected up to 15 ids/,
      why: 'AWS would refuse it on every load balancer',
    },
    'no security group': {
      env: { ALBRIDGE_BACKEND_SECURITY_GROUPS: ',' },
      says: /expected up to 15 ids of security groups/,
      why: 'a slip, and balancers would reach no pod',
    },
    '16 security groups': {
      env: {
        ALBRIDGE_BACKEND_SECURITY_GROUPS: Array.from({ length: 16 }, (_, n) => `sg-${n}`).join(),
      },
      says: /expected up to 15 ids of security groups/,
      why: 'the managed one would be the 17th, and AWS takes 16',
    },
    'a proxy with a bare percent sign in its password': {
      env: { HTTPS_PROXY: 'http://me:100%@proxy:3128' },
      says: /^HTTPS_PROXY="http:\/\/\*\*\*@proxy:3128": expected .* percent-encoded/,
      why: 'undici decodes it, and throws while the operator starts',
    },
    'a proxy of another kind': {
      env: { HTTPS_PROXY: 'socks5://me:pw@proxy:1080' },
      says: /^HTTPS_PROXY="socks5:\/\/\*\*\*@proxy:1080": expected the address of an http or https/,
      why: 'it would be asked in a language that it does not speak',
    },
    'a duration without unit': {
      env: { ALBRIDGE_SWEEP_INTERVAL: '300' },
      says: /^ALBRIDGE_SWEEP_INTERVAL="300": expected a duration from 1s to 24h/,
      why: 'seconds or milliseconds?',
    },
    'a duration that hammers': {
      env: { ALBRIDGE_SWEEP_INTERVAL: '10ms' },
      says: /expected a duration from 1s/,
      why: 'a sweep lists every balancer of the account',
    },
    'no concurrency': {
      env: { ALBRIDGE_CONCURRENCY: '0' },
      says: /^ALBRIDGE_CONCURRENCY="0": expected a whole number from 1 to 256$/,
      why: 'nothing would ever be worked on',
    },
    'a concurrency with a sign': {
      env: { ALBRIDGE_CONCURRENCY: '1e2' },
      says: /expected a whole number/,
      why: 'Number() takes forms that people do not mean',
    },
    'a port beyond the last': {
      env: { ALBRIDGE_METRICS_ADDRESS: ':65536' },
      says: /^ALBRIDGE_METRICS_ADDRESS=":65536": expected an address such as :8080/,
      why: 'listen would throw later',
    },
    'an address without port': {
      env: { ALBRIDGE_METRICS_ADDRESS: '127.0.0.1' },
      says: /expected an address/,
      why: 'which port?',
    },
    'a namespace that cannot be': {
      env: { ALBRIDGE_NAMESPACES: 'Web', ALBRIDGE_CLUSTER_ID: 'x' },
      says: /^ALBRIDGE_NAMESPACES="Web": expected names of namespaces/,
      why: 'it would be watched for ever without effect',
    },
    'a list of no namespace': {
      env: { ALBRIDGE_NAMESPACES: ',', ALBRIDGE_CLUSTER_ID: 'x' },
      says: /expected names of namespaces/,
      why: 'it must not mean all of them',
    },
    'namespaces without a cluster id': {
      env: { ALBRIDGE_NAMESPACES: 'web' },
      says: /^ALBRIDGE_NAMESPACES is set, ALBRIDGE_CLUSTER_ID is not/,
      why: 'the namespace kube-system cannot be read there',
    },
    'a cluster id that AWS would not take': {
      env: { ALBRIDGE_CLUSTER_ID: 'a,b' },
      says: /^ALBRIDGE_CLUSTER_ID="a,b": expected up to 256/,
      why: 'it becomes the value of a tag',
    },
    'a budget file that is not there': {
      env: { ALBRIDGE_AWS_BUDGET: 'of' },
      says: /^ALBRIDGE_AWS_BUDGET="of": expected aws, off, or the path of a file of limits/,
      why: 'a slip of off reads as a path',
    },
    'a budget file with bad limits': {
      env: { ALBRIDGE_AWS_BUDGET: '/etc/broken.json' },
      says: /^ALBRIDGE_AWS_BUDGET="\/etc\/broken.json": "reads.burst" must be at least 1$/,
      why: 'it would grant nothing',
    },
    'a level that pino has and we do not': {
      env: { LOG_LEVEL: 'warn' },
      says: /^LOG_LEVEL="warn": expected debug, info or error$/,
      why: 'there are three levels',
    },
    'a form of log that is none': {
      env: { LOG_FORMAT: 'text' },
      says: /^LOG_FORMAT="text": expected json or pretty$/,
      why: 'silently logging JSON would be a surprise',
    },
    'an unsure election': {
      env: { ALBRIDGE_LEADER_ELECTION: 'maybe' },
      says: /^ALBRIDGE_LEADER_ELECTION="maybe": expected on or off$/,
      why: 'two leaders are worse than a refused start',
    },
    'a kind that there is not': {
      env: { ALBRIDGE_KINDS: 'myingress,configmonitors' },
      says: /^ALBRIDGE_KINDS="myingress,configmonitors": expected some of .*: myingress, configmonitor, configmap-annotation, immortalcontainer, myapp, webapp$/,
      why: 'its objects would stay without a controller',
    },
    'no kind': {
      env: { ALBRIDGE_KINDS: ',' },
      says: /^ALBRIDGE_KINDS=",": expected some of/,
      why: 'it must not mean all of them',
    },
    'annotated ConfigMaps without ConfigMonitor': {
      env: { ALBRIDGE_KINDS: 'configmap-annotation' },
      says: /^ALBRIDGE_KINDS has configmap-annotation without configmonitor: add configmonitor/,
      why: 'each gets a ConfigMonitor, which nobody would reconcile',
    },
    'a slip in a name': {
      env: { ALBRIDGE_NAMESPACE: 'web' },
      says: /^ALBRIDGE_NAMESPACE is not a setting of albridge; --help lists the settings$/,
      why: 'the operator would serve every namespace',
    },
    'an unknown setting': {
      env: { ALBRIDGE_METRICS_PORT: '9090' },
      says: /^ALBRIDGE_METRICS_PORT is not a setting of albridge/,
      why: 'only the form that Kubernetes itself adds is let pass',
    },
  };
  it.each(Object.entries(refused))('refuses %s', (_name, { env, says }) => {
    const problems = problemsOf({ AWS_REGION: 'eu-central-1', ...env });
    expect(problems).toContainEqual(expect.stringMatching(says));
  });

  it('says what to set where there is no region', () => {
    expect(problemsOf({})).toEqual([
      'AWS_REGION is not set: set it to an AWS region such as eu-central-1',
    ]);
  });

  it('reports everything that is wrong at once', () => {
    const problems = problemsOf({
      AWS_REGION: 'x',
      ALBRIDGE_CONCURRENCY: '-1',
      ALBRIDGE_NAMESPACES: 'web',
      ALBRIDGE_SWEEP: '5m',
    });
    expect(problems).toHaveLength(4);
  });
});

describe('settings', () => {
  const rows = Object.values<Setting>(settings);

  it('have defaults that they themselves accept', () => {
    for (const { name, parse, default: value } of rows) {
      if (value !== undefined) expect(parse(value), name).toBeDefined();
    }
  });

  it('each say what they are and what happens without them', () => {
    for (const row of rows) {
      expect(row.what, row.name).not.toBe('');
      expect(row.default ?? row.otherwise, row.name).toBeTruthy();
    }
  });

  it('are all shown by the help', () => {
    for (const { name } of rows) expect(formatSettingsHelp()).toContain(`  ${name}\n`);
  });

  it('have one spelling each', () => {
    expect(new Set(rows.map((row) => row.name)).size).toBe(rows.length);
  });
});
