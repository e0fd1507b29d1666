import type { AwsWorld, ReadableWorld } from '../aws-world.ts';
import { validationError } from '../http/aws-fault.ts';
import type { Input } from '../input-fields.ts';
import { attributesAnswer, readAttributes } from '../traffic/attribute-input.ts';
import { checkLength } from '../traffic/checked-input.ts';
import { listenerOf } from '../traffic/traffic-arns.ts';
import type { ListenerProtocol } from './listener.ts';

const SERVER = 'routing.http.response.server.enabled';

const REQUEST_HEADERS: Readonly<Record<string, string>> = {
  x_amzn_mtls_clientcert_serial_number: 'X-Amzn-Mtls-Clientcert-Serial-Number',
  x_amzn_mtls_clientcert_issuer: 'X-Amzn-Mtls-Clientcert-Issuer',
  x_amzn_mtls_clientcert_subject: 'X-Amzn-Mtls-Clientcert-Subject',
  x_amzn_mtls_clientcert_validity: 'X-Amzn-Mtls-Clientcert-Validity',
  x_amzn_mtls_clientcert_leaf: 'X-Amzn-Mtls-Clientcert-Leaf',
  x_amzn_mtls_clientcert: 'X-Amzn-Mtls-Clientcert',
  x_amzn_tls_version: 'X-Amzn-Tls-Version',
  x_amzn_tls_cipher_suite: 'X-Amzn-Tls-Cipher-Suite',
};

const RESPONSE_HEADERS = [
  'strict_transport_security',
  'access_control_allow_origin',
  'access_control_allow_methods',
  'access_control_allow_headers',
  'access_control_allow_credentials',
  'access_control_expose_headers',
  'access_control_max_age',
  'content_security_policy',
  'x_content_type_options',
  'x_frame_options',
];

/**
 * Attributes of a listener of an Application Load Balancer; those of requests are about TLS. That
 * the API shows them with these defaults is unverified.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ListenerAttribute.html
 */
export function defaultListenerAttributes(protocol: ListenerProtocol): ReadonlyMap<string, string> {
  const requests = Object.entries(REQUEST_HEADERS).map(
    ([name, header]) => [`routing.http.request.${name}.header_name`, header] as const,
  );
  const responses = RESPONSE_HEADERS.map(
    (name) => [`routing.http.response.${name}.header_value`, ''] as const,
  );
  return new Map([...(protocol === 'HTTPS' ? requests : []), [SERVER, 'true'], ...responses]);
}

/** https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_DescribeListenerAttributes.html */
export function describeListenerAttributes(world: ReadableWorld, input: Input): unknown {
  return attributesAnswer(listenerOf(world, input).attributes);
}

/** All or nothing. https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ModifyListenerAttributes.html */
export function modifyListenerAttributes(world: AwsWorld, input: Input): unknown {
  const listener = listenerOf(world, input);
  const known = defaultListenerAttributes(listener.protocol);
  const changes = readAttributes(input, 'Listener', (key, value) => {
    if (!known.has(key)) throw validationError(`Listener attribute key '${key}' is not recognized`);
    checkValue(key, value);
  });
  const attributes = new Map([...listener.attributes, ...changes]);
  world.traffic.listeners.put({ ...listener, attributes }, world.clock.now());
  return attributesAnswer(attributes);
}

function checkValue(key: string, value: string): void {
  checkLength('value', value, 1024);
  const isName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,40}$/.test(value);
  const isFit =
    key === SERVER
      ? value === 'true' || value === 'false'
      : key.endsWith('.header_value') || isName;
  if (isFit) return;
  throw validationError(`Listener attribute '${key}' with value '${value}' is not valid`);
}
