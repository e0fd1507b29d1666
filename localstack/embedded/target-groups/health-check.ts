import { invalidConfiguration, notModelled, validationError } from '../http/aws-fault.ts';
import { type Input, textOf } from '../input-fields.ts';
import {
  booleanOf,
  checkedEnum,
  checkLength,
  integerBetween,
  structureOf,
} from '../traffic/checked-input.ts';
import type { HealthCheck, TargetGroupSettings } from './target-group.ts';

type Version = Pick<TargetGroupSettings, 'protocolVersion'>;

const MAX_PATH_LENGTH = 1024;

/**
 * AWS's API text says 6 s for the timeout of HTTP; guide and the API's own example say 5.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/application/target-group-health-checks.html
 */
function defaultsOf({ protocolVersion }: Version): HealthCheck {
  const isGrpc = protocolVersion === 'GRPC';
  return {
    protocol: 'HTTP',
    port: 'traffic-port',
    path: isGrpc ? '/AWS.ALB/healthcheck' : '/',
    intervalSeconds: 30,
    timeoutSeconds: 5,
    healthyThreshold: 5,
    unhealthyThreshold: 2,
    matcher: isGrpc ? '12' : '200',
  };
}

/**
 * The health check that the input asks for; what it leaves out stays as in `before`, or gets its
 * default. Throws ValidationError or InvalidConfigurationRequest.
 */
export function readHealthCheck(
  input: Input,
  group: Version & { readonly healthCheck?: HealthCheck },
): HealthCheck {
  const before = group.healthCheck ?? defaultsOf(group);
  checkEnabled(input);
  const check: HealthCheck = {
    protocol: readProtocol(input) ?? before.protocol,
    port: readPort(input) ?? before.port,
    path: readPath(input) ?? before.path,
    intervalSeconds:
      integerBetween(input, 'HealthCheckIntervalSeconds', [5, 300]) ?? before.intervalSeconds,
    timeoutSeconds:
      integerBetween(input, 'HealthCheckTimeoutSeconds', [2, 120]) ?? before.timeoutSeconds,
    healthyThreshold:
      integerBetween(input, 'HealthyThresholdCount', [2, 10]) ?? before.healthyThreshold,
    unhealthyThreshold:
      integerBetween(input, 'UnhealthyThresholdCount', [2, 10]) ?? before.unhealthyThreshold,
    matcher: readMatcher(input, group) ?? before.matcher,
  };
  checkTimeout(check);
  return check;
}

/** https://github.com/hashicorp/terraform-provider-aws/issues/2366 */
function checkTimeout({ timeoutSeconds, intervalSeconds }: HealthCheck): void {
  if (timeoutSeconds < intervalSeconds) return;
  throw validationError(
    `Health check timeout '${timeoutSeconds}' must be smaller than the interval '${intervalSeconds}'`,
  );
}

export function describeHealthCheck(
  check: HealthCheck,
  { protocolVersion }: Version,
): Record<string, unknown> {
  return {
    HealthCheckProtocol: check.protocol,
    HealthCheckPort: check.port,
    HealthCheckEnabled: true,
    HealthCheckIntervalSeconds: check.intervalSeconds,
    HealthCheckTimeoutSeconds: check.timeoutSeconds,
    HealthyThresholdCount: check.healthyThreshold,
    UnhealthyThresholdCount: check.unhealthyThreshold,
    HealthCheckPath: check.path,
    Matcher: protocolVersion === 'GRPC' ? { GrpcCode: check.matcher } : { HttpCode: check.matcher },
  };
}

/** Always on for instances and addresses; the code and the words of the refusal are unverified. */
function checkEnabled(input: Input): void {
  if (booleanOf(input, 'HealthCheckEnabled') === false) {
    throw invalidConfiguration('Health checks cannot be disabled for this target type');
  }
}

function readProtocol(input: Input): HealthCheck['protocol'] | undefined {
  const known = ['HTTP', 'HTTPS', 'TCP', 'TLS', 'UDP', 'TCP_UDP', 'GENEVE', 'QUIC', 'TCP_QUIC'];
  const protocol = checkedEnum(input, 'HealthCheckProtocol', known);
  if (protocol === undefined || protocol === 'HTTP' || protocol === 'HTTPS') return protocol;
  throw notModelled(`health check protocol '${protocol}'`);
}

function readPort(input: Input): string | undefined {
  const port = textOf(input, 'HealthCheckPort');
  const isNumber = /^[1-9]\d{0,4}$/.test(port ?? '') && Number(port) <= 65_535;
  if (port === undefined || port === 'traffic-port' || isNumber) return port;
  throw validationError(`Health check port '${port}' must be 'traffic-port' or a port number`);
}

function readPath(input: Input): string | undefined {
  const path = textOf(input, 'HealthCheckPath');
  if (path === undefined) return undefined;
  checkLength('healthCheckPath', path, MAX_PATH_LENGTH);
  if (path.startsWith('/')) return path;
  throw validationError(`Health check path '${path}' must begin with '/'`);
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_Matcher.html */
function readMatcher(input: Input, { protocolVersion }: Version): string | undefined {
  const matcher = structureOf(input, 'Matcher');
  if (matcher === undefined) return undefined;
  const [field, other, min, max] =
    protocolVersion === 'GRPC'
      ? (['GrpcCode', 'HttpCode', 0, 99] as const)
      : (['HttpCode', 'GrpcCode', 200, 499] as const);
  const codes = textOf(matcher, field);
  if (codes === undefined || matcher[other] !== undefined) {
    throw validationError(
      `A matcher of protocol version '${protocolVersion}' must have ${field} only`,
    );
  }
  const isGood = codes.split(',').every((part) => isCodes(part, min, max));
  if (!isGood)
    throw validationError(`Health check matcher codes '${codes}' must be within '${min}-${max}'`);
  return codes;
}

function isCodes(part: string, min: number, max: number): boolean {
  const match = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(part);
  if (match === null) return false;
  const [from, to] = [Number(match[1]), Number(match[2] ?? match[1])];
  return from >= min && to <= max && from <= to;
}
