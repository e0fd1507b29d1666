type Strings = Readonly<Record<string, string>>;

const REQUEST_HEADERS = [
  'X-Amzn-Mtls-Clientcert-Serial-Number',
  'X-Amzn-Mtls-Clientcert-Issuer',
  'X-Amzn-Mtls-Clientcert-Subject',
  'X-Amzn-Mtls-Clientcert-Validity',
  'X-Amzn-Mtls-Clientcert-Leaf',
  'X-Amzn-Mtls-Clientcert',
  'X-Amzn-Tls-Version',
  'X-Amzn-Tls-Cipher-Suite',
];

const RESPONSE_HEADERS = [
  ...['strict_transport_security', 'content_security_policy', 'x_content_type_options'],
  ...['x_frame_options', 'access_control_allow_origin', 'access_control_allow_methods'],
  ...['access_control_allow_headers', 'access_control_allow_credentials'],
  ...['access_control_expose_headers', 'access_control_max_age'],
];

const OF_HTTP: Strings = {
  'routing.http.response.server.enabled': 'true',
  ...Object.fromEntries(
    RESPONSE_HEADERS.map((name) => [`routing.http.response.${name}.header_value`, '']),
  ),
};

const OF_HTTPS: Strings = {
  ...OF_HTTP,
  ...Object.fromEntries(
    REQUEST_HEADERS.map((header) => {
      const name = header.toLowerCase().replaceAll('-', '_');
      return [`routing.http.request.${name}.header_name`, header];
    }),
  ),
};

/**
 * AWS's attributes of a new listener of an Application Load Balancer: headers of requests by their own names, no headers
 * of answers.
 * https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_ListenerAttribute.html
 */
export function listListenerDefaults(protocol: string): Strings {
  return protocol === 'HTTPS' ? OF_HTTPS : OF_HTTP;
}
