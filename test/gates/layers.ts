import manifest from '../../package.json' with { type: 'json' };

/**
 * Who may import whom. The linter reports each rule under the name it has here.
 * `from` is the importing module, `to` what it imports: a path from the root of the project, a
 * package's name with its subpath, or `node:` and a name.
 */
export interface Edge {
  readonly from: string;
  readonly to: string;
}

export interface LayerRule {
  readonly teaches: string;
  forbids(edge: Edge): boolean;
}

export const layers: Readonly<Record<string, LayerRule>> = {
  'core-knows-nobody': {
    teaches:
      'src/core imports only itself and what node: can compute; state the need as a port in core and implement it in an adapter',
    forbids: ({ from, to }) =>
      isIn(from, 'src/core/') && !isIn(to, 'src/core/') && !isPureBuiltin(to),
  },
  'engine-is-private': {
    teaches:
      'the engine of src/core/controller is entered by src/core/controller/controller.ts alone; a kind implements src/core/reconcile/reconciler.ts',
    forbids: ({ from, to }) =>
      isIn(from, 'src/') &&
      isIn(to, ENGINE) &&
      !isIn(from, ENGINE) &&
      to !== `${ENGINE}controller.ts`,
  },
  'pods-know-only-core': {
    teaches:
      'src/pods is what several kinds know of pods; it imports src/core, src/apis and itself',
    forbids: ({ from, to }) =>
      isIn(from, 'src/pods/') &&
      !isIn(to, 'src/pods/', 'src/core/', 'src/apis/') &&
      !isPureBuiltin(to),
  },
  'apis-are-data': {
    teaches: 'src/apis holds what users write, as types and constants; it imports only itself',
    forbids: ({ from, to }) => isIn(from, 'src/apis/') && !isIn(to, 'src/apis/'),
  },
  'routing-is-pure': {
    teaches: 'src/routing decides where a request goes, from data alone; it imports only itself',
    forbids: ({ from, to }) => isIn(from, 'src/routing/') && !isIn(to, 'src/routing/'),
  },
  'sdk-stays-in-aws': {
    teaches: 'the AWS SDK and p-retry are known to src/aws alone; ask through one of its ports',
    forbids: ({ from, to }) =>
      isIn(from, 'src/') && !isIn(from, 'src/aws/') && isPackage(to, AWS_PACKAGES),
  },
  'client-node-stays-in-kube': {
    teaches: 'client-node is known to src/kube alone; ask through a port of src/core',
    forbids: ({ from, to }) =>
      isIn(from, 'src/') && !isIn(from, 'src/kube/') && isPackage(to, ['@kubernetes/client-node']),
  },
  'undici-stays-in-http': {
    teaches:
      'undici is known to src/http and to the modules that own a pool; ask through KubeTransport or AwsApi',
    forbids: ({ from, to }) =>
      isIn(from, 'src/') && !isIn(from, 'src/http/', ...POOLS) && isPackage(to, ['undici']),
  },
  'http-knows-nobody': {
    teaches: 'src/http carries requests and does not know whose; it imports undici and itself',
    forbids: ({ from, to }) =>
      isIn(from, 'src/http/') && !isIn(to, 'src/http/') && !isPackage(to, ['undici']),
  },
  'adapters-do-not-meet': {
    teaches:
      'an adapter imports itself, src/core, src/apis, src/pods and src/http; src/main.ts brings adapters together',
    forbids: ({ from, to }) => {
      const adapter = ADAPTERS.find((folder) => isIn(from, folder));
      if (adapter === undefined || !isIn(to, 'src/')) return false;
      return !isIn(to, adapter, 'src/core/', 'src/apis/', 'src/pods/', 'src/http/');
    },
  },
  'controllers-are-islands': {
    teaches:
      'a controller never imports another one; what two need belongs to src/core or src/pods',
    forbids: ({ from, to }) => {
      const [island, other] = [islandOf(from), islandOf(to)];
      return island !== undefined && other !== undefined && island !== other;
    },
  },
  'controllers-use-ports': {
    teaches:
      'a controller has effects only through ports: it imports src/core, src/apis, src/pods, src/routing, the ports of src/aws and what node: can compute',
    forbids: ({ from, to }) =>
      isIn(from, 'src/controllers/') &&
      !isIn(to, 'src/controllers/', 'src/core/', 'src/apis/', 'src/pods/', 'src/routing/') &&
      !PORTS.includes(to) &&
      !isPureBuiltin(to),
  },
  'only-traffic-touches-aws': {
    teaches:
      'of the controllers only src/controllers/my-ingress and src/controllers/targets know that AWS exists',
    forbids: ({ from, to }) =>
      isIn(from, 'src/controllers/') &&
      !isIn(from, 'src/controllers/my-ingress/', 'src/controllers/targets/') &&
      isIn(to, 'src/aws/'),
  },
  'nobody-imports-main': {
    teaches:
      'a main.ts of src runs when it is imported; take what you need from the module that has it',
    forbids: ({ to }) => MAINS.includes(to),
  },
  'operator-has-no-cli': {
    teaches: 'src/cli is a program of its own, and the operator loads none of it',
    forbids: ({ from, to }) =>
      isIn(from, 'src/') && !isIn(from, 'src/cli/') && isIn(to, 'src/cli/'),
  },
  'src-never-imports-test': {
    teaches:
      'what ships imports src, package.json and the dependencies of package.json, never tests, stand-ins or development tools',
    forbids: ({ from, to }) => isIn(from, 'src/') && !isShipped(to),
  },
};

const AWS_PACKAGES = ['@aws-sdk', '@smithy', 'p-retry'];
const SHIPPED_PACKAGES = Object.keys(manifest.dependencies);
const MAINS = ['src/main.ts', 'src/cli/main.ts'];
const ENGINE = 'src/core/controller/';
const ADAPTERS = ['src/kube/', 'src/aws/', 'src/telemetry/'];
/** Each owns its undici pools. */
const POOLS = ['src/kube/client/undici-transport.ts', 'src/aws/client/http-handler.ts'];
/** Interfaces of adapters that a controller may import, and the words for what they give. */
const PORTS = [
  'src/aws/elbv2/load-balancers.ts',
  'src/aws/elbv2/target-health.ts',
  'src/aws/elbv2/traffic.ts',
  'src/aws/ec2/security-groups.ts',
  'src/aws/ec2/subnets.ts',
  'src/aws/acm/certificates.ts',
];

/** Modules of Node that compute and neither read, write, wait nor draw lots. */
const PURE_BUILTINS = ['async_hooks', 'buffer', 'crypto', 'string_decoder', 'url', 'util'];

function isIn(path: string, ...folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(folder));
}

function isPackage(to: string, names: readonly string[]): boolean {
  return names.some((name) => to === name || to.startsWith(`${name}/`));
}

function isPureBuiltin(to: string): boolean {
  return PURE_BUILTINS.some((name) => to === `node:${name}`);
}

function isShipped(to: string): boolean {
  return isIn(to, 'src/', 'node:') || to === 'package.json' || isPackage(to, SHIPPED_PACKAGES);
}

function islandOf(path: string): string | undefined {
  return /^src\/controllers\/([^/]+)\//.exec(path)?.[1];
}
