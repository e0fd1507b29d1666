import { AwsFault, validationError } from '../http/aws-fault.ts';
import { type Input, requiredText, textOf } from '../input-fields.ts';
import { checkedEnum, checkLength } from '../traffic/checked-input.ts';
import type { ActionPlace, RedirectAction } from './rule.ts';

type Part = 'protocol' | 'port' | 'host' | 'path' | 'query';

/** The meaning of a part that is left out, and its echo. */
const UNCHANGED: Readonly<Record<Part, string>> = {
  protocol: '#{protocol}',
  port: '#{port}',
  host: '#{host}',
  path: '/#{path}',
  query: '#{query}',
};

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-listeners.html#redirect-actions */
const PLACEHOLDERS: Readonly<Record<Part, readonly string[]>> = {
  protocol: ['protocol'],
  port: ['port'],
  host: ['host'],
  path: ['host', 'path', 'port'],
  query: ['protocol', 'host', 'port', 'path', 'query'],
};

const MAX_LENGTH = 128;

/**
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RedirectActionConfig.html
 * Codes and words of the refusals are unverified.
 */
export function readRedirect(
  config: Input,
  { protocol, port }: Pick<ActionPlace, 'protocol' | 'port'>,
): RedirectAction {
  requiredText(config, 'StatusCode');
  const statusCode = checkedEnum(config, 'StatusCode', ['HTTP_301', 'HTTP_302']) ?? '';
  const parts = {
    protocol: textOf(config, 'Protocol') ?? UNCHANGED.protocol,
    port: textOf(config, 'Port') ?? UNCHANGED.port,
    host: textOf(config, 'Host') ?? UNCHANGED.host,
    path: textOf(config, 'Path') ?? UNCHANGED.path,
    query: textOf(config, 'Query') ?? UNCHANGED.query,
  };
  checkParts(parts);
  checkPlaceholders(parts);
  if (protocol === 'HTTPS' && parts.protocol === 'HTTP') {
    throw invalidAction('An HTTPS listener cannot redirect to HTTP');
  }
  const own = { ...UNCHANGED, protocol, port: String(port) };
  const isLoop = (['protocol', 'port', 'host', 'path'] as const).every(
    (part) => parts[part] === UNCHANGED[part] || parts[part] === own[part],
  );
  if (isLoop) {
    // https://github.com/kubernetes-sigs/aws-load-balancer-controller/issues/487
    throw invalidAction('The redirect configuration is not valid because it creates a loop.');
  }
  return { kind: 'redirect', ...parts, statusCode };
}

export function describeRedirect(action: RedirectAction): object {
  return {
    Protocol: action.protocol,
    Port: action.port,
    Host: action.host,
    Path: action.path,
    Query: action.query,
    StatusCode: action.statusCode,
  };
}

function checkParts({ protocol, port, host, path, query }: Readonly<Record<Part, string>>): void {
  if (!/^(HTTPS?|#\{protocol\})$/.test(protocol)) {
    throw validationError(`The redirect protocol '${protocol}' is not valid`);
  }
  const isPort = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= 65_535;
  if (port !== UNCHANGED.port && !isPort) {
    throw validationError(`The redirect port '${port}' must be between 1 and 65535 or #{port}`);
  }
  if (!path.startsWith('/'))
    throw validationError(`The redirect path '${path}' must begin with '/'`);
  if (host === '') throw validationError('The redirect host cannot be empty');
  for (const [field, value] of Object.entries({ host, path, query })) {
    checkLength(field, value, MAX_LENGTH);
  }
}

function checkPlaceholders(parts: Readonly<Record<Part, string>>): void {
  for (const [part, allowed] of Object.entries(PLACEHOLDERS)) {
    for (const [, name = ''] of parts[part as Part].matchAll(/#\{([^}]*)\}/g)) {
      if (allowed.includes(name)) continue;
      throw validationError(`The redirect ${part} cannot contain '#{${name}}'`);
    }
  }
}

function invalidAction(message: string): AwsFault {
  return new AwsFault('InvalidLoadBalancerAction', message);
}
