import { type Difference, inMoto } from './difference.ts';

const GUIDE = 'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/';
const NO_DATA_PLANE = 'has no data plane';

/** Rows of the table about what balancers do with requests. */
export const dataPlaneDifferences = {
  'data-plane': {
    aws: 'listeners take requests at the DNS name of the balancer, and health checks decide which targets get them',
    source: `${GUIDE}introduction.html`,
    instead: {
      embedded: 'at a loopback address, listed by GET /_embedded/listeners',
      ...inMoto('nothing listens, and every target is healthy at once'),
    },
  },
  'balancing-algorithms': {
    aws: 'requests are balanced by round robin, least outstanding requests or weighted at random, with a slow start on request',
    source: `${GUIDE}edit-target-group-attributes.html`,
    instead: { embedded: 'takes turns, whatever is set', ...inMoto(NO_DATA_PLANE) },
  },
  stickiness: {
    aws: 'cookies keep a client at a target, or at a target group',
    source: `${GUIDE}edit-target-group-attributes.html#sticky-sessions`,
    instead: {
      embedded: 'has the cookies of the balancer, AWSALB and AWSALBTG, not those of an application',
      ...inMoto(NO_DATA_PLANE),
    },
  },
  'http2-and-grpc': {
    aws: 'HTTPS listeners speak HTTP/2, and target groups can be for HTTP/2 and gRPC; a connection ends after 10,000 requests',
    source: `${GUIDE}load-balancer-target-groups.html#target-group-protocol-version`,
    instead: {
      embedded: 'ends no connection so',
      ...inMoto(NO_DATA_PLANE),
    },
  },
  'regular-expressions': {
    aws: 'rules match by regular expressions, and rewrite hosts and URLs',
    source: `${GUIDE}rule-transforms.html`,
    instead: inMoto(NO_DATA_PLANE),
    unverified:
      'that expressions of headers regard case, that only the first match is replaced, and that a replacement names groups of its expression only',
  },
  'node-per-zone': {
    aws: 'a node in each zone checks every target, and prefers those of its zone where cross-zone balancing is off',
    source: `${GUIDE}target-group-health-checks.html`,
    instead: { embedded: 'one node does it for all zones', ...inMoto(NO_DATA_PLANE) },
  },
  'tls-policies': {
    aws: 'the security policy decides about protocols and ciphers of TLS; clients may have to show certificates, which a trust store verifies',
    source: `${GUIDE}describe-ssl-policies.html`,
    instead: {
      embedded:
        'speaks TLS 1.2 and 1.3 as Node does, and asks no client for a certificate; trust stores are names set by PUT /_embedded/trust-stores',
      ...inMoto(NO_DATA_PLANE),
    },
  },
  'ambiguous-requests': {
    aws: 'a request with Transfer-Encoding and Content-Length is forwarded, and its connection closed (desync mode defensive)',
    source: `${GUIDE}edit-load-balancer-attributes.html#desync-mitigation-mode`,
    instead: { embedded: 'answers 400', ...inMoto(NO_DATA_PLANE) },
  },
  'first-check-pending': {
    aws: 'a target gets no request before it has passed one health check',
    source: `${GUIDE}target-group-health-checks.html#target-health-states`,
    instead: inMoto(NO_DATA_PLANE),
    unverified: 'that a group with nothing but such targets answers 503, and does not fail open',
  },
} satisfies Readonly<Record<string, Difference>>;
