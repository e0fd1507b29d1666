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
  'listener-headers': {
    aws: 'attributes of a listener set headers of answers, switch off the header Server, and name the headers that tell targets about TLS',
    source: `${GUIDE}header-modification.html`,
    instead: {
      embedded:
        'sets them on answers of targets; its own answers keep Server, and targets are told nothing about TLS',
      ...inMoto(NO_DATA_PLANE),
    },
  },
  'ambiguous-requests': {
    aws: 'a request with Transfer-Encoding and Content-Length is forwarded, and its connection closed (desync mode defensive); Transfer-Encoding may be identity',
    source: `${GUIDE}edit-load-balancer-attributes.html#desync-mitigation-mode`,
    instead: { embedded: 'answers 400', ...inMoto(NO_DATA_PLANE) },
  },
  'size-codes': {
    aws: 'a URL that is too long is 414, a header of more than 16 K or headers of more than 64 K 400 or 413, a redirect to a URL that is too long 507',
    source: `${GUIDE}load-balancer-troubleshooting.html#load-balancer-http-error-codes`,
    instead: {
      embedded:
        'answers neither 413 nor 507; 414 where the request line has more than 16 K, which is unverified',
      ...inMoto(NO_DATA_PLANE),
    },
  },
  'half-closed-clients': {
    aws: 'a client that closes its connection before the answer is 460 in the log, and gets no answer',
    source: `${GUIDE}load-balancer-troubleshooting.html#http-460-issues`,
    instead: inMoto(NO_DATA_PLANE),
    unverified:
      'that this is so for one that closes its half only, and that it gets what the balancer answers itself',
  },
  'short-bodies': {
    aws: 'an answer with fewer bytes than its Content-Length is 504',
    source: `${GUIDE}load-balancer-troubleshooting.html#http-504-issues`,
    instead: {
      embedded: 'has passed on the head by then, and breaks the connection',
      ...inMoto(NO_DATA_PLANE),
    },
  },
  'access-logs': {
    aws: 'each request has a line in the access log, and counts in metrics; 460 stands there alone',
    source: `${GUIDE}load-balancer-access-logs.html`,
    instead: { embedded: 'writes no log', ...inMoto(NO_DATA_PLANE) },
  },
  'authentication-and-waf': {
    aws: 'a rule authenticates users (401, 561, and 500 where that fails), a web ACL refuses requests (403, and 500 where it fails)',
    source: `${GUIDE}load-balancer-troubleshooting.html#http-401-issues`,
    instead: {
      embedded:
        'refuses the actions by their names, and has no web ACLs: none of these codes but 500 for transforms',
      ...inMoto(NO_DATA_PLANE),
    },
  },
  'lambda-targets': {
    aws: 'a target can be a Lambda function: 413 and 502 for more than 1 MB, 502 where it fails, 504 where it is not reached',
    source: `${GUIDE}lambda-functions.html`,
    instead: {
      embedded: 'refuses the target type by its name',
      ...inMoto(NO_DATA_PLANE),
    },
  },
  'first-check-pending': {
    aws: 'a target gets no request before it has passed one health check',
    source: `${GUIDE}target-group-health-checks.html#target-health-states`,
    instead: inMoto(NO_DATA_PLANE),
    unverified: 'that a group with nothing but such targets answers 503, and does not fail open',
  },
} satisfies Readonly<Record<string, Difference>>;
