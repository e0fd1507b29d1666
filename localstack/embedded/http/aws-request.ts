import type { IncomingHttpHeaders } from 'node:http';
import { API_VERSIONS } from '../embedded-aws.ts';
import type { ServiceName } from '../operations.ts';
import { AwsFault } from './aws-fault.ts';

/** The signer, and the service and region that the signature names. */
interface CredentialScope {
  readonly accessKeyId: string;
  readonly region: string;
  readonly service: string;
}

const SERVICES: readonly string[] = Object.keys(API_VERSIONS);

/**
 * The service by the credential scope of the signature, else by `Version`; ELBv2 if neither tells.
 * Decides only in which service's form to answer.
 */
export function serviceOf(headers: IncomingHttpHeaders, params: URLSearchParams): ServiceName {
  const scoped = scopeOf(headers, params)?.service ?? '';
  if (SERVICES.includes(scoped)) return scoped as ServiceName;
  const version = params.get('Version');
  const match = Object.entries(API_VERSIONS).find(([, known]) => known === version);
  return (match?.[0] ?? 'elasticloadbalancing') as ServiceName;
}

/** How far the date of a signature may be from AWS's clock, in minutes. */
const TOLERANCE: Readonly<Record<ServiceName, number>> = {
  // https://github.com/aws/aws-sdk-js/pull/142
  elasticloadbalancing: 5,
  // https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
  ec2: 15,
  // https://github.com/aws/aws-cli/issues/6676
  sts: 15,
  // unverified
  iam: 15,
  // unverified
  acm: 15,
};

/**
 * Signatures are not verified, but there must be one, for this region, a known service and about now.
 * Gives the access key id. Throws MissingAuthenticationToken, IncompleteSignature,
 * SignatureDoesNotMatch, from EC2 RequestExpired.
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/signature-v4-troubleshooting.html
 */
export function checkSignature(
  headers: IncomingHttpHeaders,
  params: URLSearchParams,
  { region, now }: { readonly region: string; now(): number },
): string {
  if (headers.authorization === undefined && !params.has('X-Amz-Credential')) {
    throw new AwsFault('MissingAuthenticationToken', 'Missing Authentication Token', 403);
  }
  const scope = scopeOf(headers, params);
  if (scope === undefined) {
    throw new AwsFault(
      'IncompleteSignature',
      "Authorization header requires 'Credential' parameter with a scope of date/region/service/aws4_request",
    );
  }
  const signed = scope.service === 'iam' ? findRegionOfIam(region) : region;
  if (scope.region !== signed) throw wrongScope(`a valid region, not '${scope.region}'`);
  if (!SERVICES.includes(scope.service))
    throw wrongScope(`a service known here, not '${scope.service}'`);
  const date = headers['x-amz-date'] ?? params.get('X-Amz-Date') ?? '';
  checkDate(String(date), scope.service as ServiceName, now());
  return scope.accessKeyId;
}

/** IAM has one in each partition: https://docs.aws.amazon.com/general/latest/gr/iam-service.html */
function findRegionOfIam(region: string): string {
  if (region.startsWith('cn-')) return 'cn-north-1';
  return region.startsWith('us-gov-') ? 'us-gov-west-1' : 'us-east-1';
}

/** Throws MissingAction. */
export function actionOf(params: URLSearchParams): string {
  const action = params.get('Action');
  if (action !== null && action !== '') return action;
  throw new AwsFault('MissingAction', 'The request is missing the parameter Action');
}

function scopeOf(
  headers: IncomingHttpHeaders,
  params: URLSearchParams,
): CredentialScope | undefined {
  const header = /Credential=([^,\s]+)/.exec(headers.authorization ?? '')?.[1];
  const credential = header ?? params.get('X-Amz-Credential') ?? '';
  const [accessKeyId = '', , region, service, end] = credential.split('/');
  if (region === undefined || service === undefined || end !== 'aws4_request') return undefined;
  return { accessKeyId, region, service };
}

function wrongScope(wanted: string): AwsFault {
  return new AwsFault('SignatureDoesNotMatch', `Credential should be scoped to ${wanted}.`, 403);
}

function checkDate(date: string, service: ServiceName, nowMs: number): void {
  const signedMs = Date.parse(
    date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
  if (Number.isNaN(signedMs)) {
    throw new AwsFault(
      'IncompleteSignature',
      "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' header.",
    );
  }
  const minutes = TOLERANCE[service];
  const toleranceMs = minutes * 60_000;
  if (Math.abs(signedMs - nowMs) <= toleranceMs) return;
  if (service === 'ec2') throw new AwsFault('RequestExpired', 'Request has expired.');
  const now = compact(nowMs);
  throw new AwsFault(
    'SignatureDoesNotMatch',
    signedMs < nowMs
      ? `Signature expired: ${date} is now earlier than ${compact(nowMs - toleranceMs)} (${now} - ${minutes} min.)`
      : `Signature not yet current: ${date} is still later than ${compact(nowMs + toleranceMs)} (${now} + ${minutes} min.)`,
    403,
  );
}

/** 20130730T204752Z */
function compact(atMs: number): string {
  return new Date(atMs).toISOString().replace(/[-:]|\.\d+/g, '');
}
