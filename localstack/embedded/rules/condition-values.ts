import { isIPv4, isIPv6 } from 'node:net';
import { validationError } from '../http/aws-fault.ts';
import { compileRegex } from './regex.ts';

/**
 * Checks of the values of each kind of condition. Each throws ValidationError; the limits are those of
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_RuleCondition.html, the
 * words unverified except where moto 5.2 has them.
 */
const MAX_LENGTH = 128;
const MAX_NAME_LENGTH = 40;

/** At least one dot, and letters only behind the last. */
export function checkHost(value: string): void {
  checkSize('host-header', value, MAX_LENGTH);
  if (/^[A-Za-z0-9.*?-]+\.[A-Za-z]+$/.test(value)) return;
  throw validationError(`The 'host-header' value '${value}' is not valid`);
}

export function checkPath(value: string): void {
  checkSize('path-pattern', value, MAX_LENGTH);
  if (/^[A-Za-z0-9_.$/~"'@:+&*?-]+$/.test(value)) return;
  throw validationError(`The 'path-pattern' value '${value}' is not valid`);
}

/** Visible characters of ASCII. */
export function checkText(field: string, value: string): void {
  checkSize(field, value, MAX_LENGTH);
  if (/^[\x20-\x7e]+$/.test(value)) return;
  throw validationError(`The '${field}' value '${value}' is not valid`);
}

/** A token of RFC 7230; hosts have a condition of their own. */
export function checkHeaderName(name: string): void {
  checkSize('HttpHeaderName', name, MAX_NAME_LENGTH);
  if (/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name) && name.toLowerCase() !== 'host') return;
  throw validationError(`The 'HttpHeaderName' value '${name}' is not valid`);
}

export function checkMethod(value: string): void {
  checkSize('http-request-method', value, MAX_NAME_LENGTH);
  if (/^[A-Z_-]+$/.test(value)) return;
  throw validationError(
    "The 'http-request-method' value is invalid; the allowed characters are A-Z, hyphen and underscore",
  );
}

/** A block; the limited broadcast address is refused. */
export function checkSourceIp(value: string): void {
  const [address = '', prefix = '', ...rest] = value.split('/');
  const longest = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  const isBlock = rest.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= longest;
  if (isBlock && value !== '255.255.255.255/32') return;
  throw validationError(`The 'source-ip' value '${value}' must be in CIDR format`);
}

export function checkRegex(field: string, value: string): void {
  checkSize(field, value, MAX_LENGTH);
  if (compileRegex(value) !== undefined) return;
  throw validationError(`The '${field}' regular expression '${value}' is not valid`);
}

function checkSize(field: string, value: string, max: number): void {
  if (value.length > max) {
    throw validationError(`The '${field}' value is too long; the limit is '${max}'`);
  }
}
