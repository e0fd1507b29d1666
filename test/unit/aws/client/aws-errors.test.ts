import { describe, expect, it } from 'vitest';
import type { AwsOperation } from '../../../../src/aws/client/aws-api.ts';
import { classifyOutcome, translateAwsError } from '../../../../src/aws/client/aws-errors.ts';
import { type AwsReason, awsReasons } from '../../../../src/aws/client/aws-reasons.ts';
import { DeadlineExceeded } from '../../../../src/core/ports/clock.ts';
import { OperatorError } from '../../../../src/core/reconcile/operator-error.ts';
import { awsError, networkError } from './scripted-aws-api.ts';

interface Case {
  readonly why: string;
  readonly thrown: unknown;
  readonly operation?: AwsOperation;
  readonly reason: AwsReason;
}

const common = 'AWS lists it among the common errors';
const modelled = "in the operation's model, so the SDK adds the suffix";

function refusals(codes: readonly string[], reason: AwsReason, why: string): [string, Case][] {
  return codes.map((code) => [code, { why, thrown: awsError(code), reason }]);
}

const cases: Readonly<Record<string, Case>> = {
  ...Object.fromEntries([
    ...refusals(['ValidationError', 'ValidationException'], 'ValidationError', common),
    ...refusals(['InvalidParameterValue', 'MissingParameter'], 'ValidationError', common),
    ...refusals(['InvalidSchemeException'], 'InvalidScheme', modelled),
    ...refusals(['InvalidConfigurationRequestException'], 'InvalidConfigurationRequest', modelled),
    ...refusals(['DuplicateTagKeysException'], 'DuplicateTagKeys', modelled),
    ...refusals(['TooManyTagsException'], 'TooManyTags', modelled),
    ...refusals(['TagLimitExceeded'], 'TooManyTags', 'how EC2 says it of a security group'),
    ...refusals(['SubnetNotFoundException'], 'SubnetNotFound', modelled),
    ...refusals(['InvalidSubnetException'], 'InvalidSubnet', modelled),
    ...refusals(
      ['AvailabilityZoneNotSupportedException'],
      'AvailabilityZoneNotSupported',
      modelled,
    ),
    ...refusals(['InvalidSecurityGroupException'], 'InvalidSecurityGroup', modelled),
    ...refusals(
      ['InvalidGroupId.Malformed', 'InvalidSecurityGroupId.Malformed'],
      'InvalidSecurityGroup',
      'no group has such an id',
    ),
    ...refusals(
      ['InvalidPrefixListID.NotFound', 'InvalidPrefixListId.NotFound'],
      'InvalidPrefixList',
      'EC2 writes it both ways',
    ),
    ...refusals(['InvalidPrefixListId.Malformed'], 'InvalidPrefixList', 'no list has such an id'),
    ...refusals(['TooManyLoadBalancersException'], 'TooManyLoadBalancers', modelled),
    ...refusals(['DuplicateLoadBalancerNameException'], 'DuplicateName', modelled),
    ...refusals(['LoadBalancerNotFoundException'], 'LoadBalancerNotFound', modelled),
    ...refusals(['PriorRequestNotCompleteException'], 'PriorRequestNotComplete', modelled),
    ...refusals(['CapacityReservationPendingException'], 'CapacityReservationPending', modelled),
    ...refusals(['AccessDenied', 'AccessDeniedException'], 'AccessDenied', common),
    ...refusals(['UnauthorizedOperation', 'NotAuthorized'], 'AccessDenied', common),
    ...refusals(['ExpiredToken', 'ExpiredTokenException'], 'CredentialsRefused', common),
    ...refusals(['InvalidClientTokenId'], 'CredentialsRefused', common),
    ...refusals(['UnrecognizedClientException'], 'CredentialsRefused', common),
    ...refusals(['SignatureDoesNotMatch'], 'CredentialsRefused', common),
    ...refusals(['MissingAuthenticationToken'], 'CredentialsRefused', common),
    ...refusals(
      ['IDPCommunicationErrorException', 'InvalidIdentityTokenException'],
      'CredentialsUnavailable',
      'STS could not verify the token of a service account',
    ),
    ...refusals(['Throttling', 'ThrottlingException'], 'Throttled', 'both are seen from ELB'),
    ...refusals(['RequestLimitExceeded'], 'Throttled', 'how EC2 says it'),
    ...refusals(['TooManyRequestsException'], 'Throttled', 'how newer services say it'),
    ...refusals(['ServiceUnavailable', 'InternalFailure'], 'AwsUnavailable', common),
    ...refusals(['InvalidAction'], 'OperationUnsupported', common),
    ...refusals(['OperationNotPermittedException'], 'OperationNotPermitted', modelled),
    ...refusals(['ResourceInUseException'], 'ResourceInUse', modelled),
  ]),
  'OperationNotPermitted on delete': {
    why: 'it is deletion protection',
    thrown: awsError('OperationNotPermittedException'),
    operation: 'DeleteLoadBalancer',
    reason: 'DeletionBlocked',
  },
  'ResourceInUse on delete': {
    why: 'a Network Load Balancer may have it as its target, whatever its protection',
    thrown: awsError('ResourceInUseException'),
    operation: 'DeleteLoadBalancer',
    reason: 'ResourceInUse',
  },
  'no credentials at all': {
    why: 'the SDK throws this before it sends anything',
    thrown: Object.assign(new Error('Could not load credentials from any providers'), {
      name: 'CredentialsProviderError',
    }),
    reason: 'CredentialsUnavailable',
  },
  'an unknown code': {
    why: 'the same request would be refused again, so it is shown and repeated slowly',
    thrown: awsError('BrandNewException'),
    reason: 'AwsError',
  },
  'an unknown code with a 5xx status': {
    why: 'the fault is on the side of AWS',
    thrown: awsError('BrandNewException', 'oops', 503),
    reason: 'AwsUnavailable',
  },
  'an unknown code with status 429': {
    why: 'the status says what the code does not',
    thrown: awsError('BrandNewException', 'slow', 429),
    reason: 'Throttled',
  },
  'an HTML page with status 500': {
    why: 'the SDK names such an error Unknown',
    thrown: Object.assign(new Error('Unknown'), {
      name: 'Unknown',
      $fault: 'server',
      $metadata: { httpStatusCode: 500 },
    }),
    reason: 'AwsUnavailable',
  },
  'an HTML page with status 200': {
    why: 'a proxy or a login page stands between',
    thrown: Object.assign(new Error('XML parse error: mismatched tags <br> and </body>.'), {
      $metadata: { httpStatusCode: 200 },
    }),
    reason: 'AwsUnreadable',
  },
  'an HTML page with status 403': {
    why: 'what refused is a proxy, and the SDK finds neither code nor words in it',
    thrown: Object.assign(new Error('Unknown'), {
      name: 'Unknown',
      $fault: 'client',
      $metadata: { httpStatusCode: 403 },
    }),
    reason: 'AwsUnreadable',
  },
  'an empty answer with status 404': {
    why: 'the endpoint is of something else, and the code is that of the SDK',
    thrown: Object.assign(new Error('Unknown'), {
      name: 'NotFound',
      $fault: 'client',
      $metadata: { httpStatusCode: 404 },
    }),
    reason: 'AwsUnreadable',
  },
  'an empty answer with status 404 in place of JSON': {
    why: 'the SDK has another word for it there',
    thrown: Object.assign(new Error('UnknownError'), {
      name: 'Unknown',
      $fault: 'client',
      $metadata: { httpStatusCode: 404 },
    }),
    reason: 'AwsUnreadable',
  },
  'a refusal in JSON without a code': {
    why: 'gateways and proxies refuse so; AWS has a code',
    thrown: Object.assign(new Error('Forbidden'), {
      name: 'Unknown',
      $fault: 'client',
      $metadata: { httpStatusCode: 403 },
    }),
    reason: 'AwsUnreadable',
  },
  'an unknown code without words': {
    why: 'the code is of AWS',
    thrown: Object.assign(new Error('UnknownError'), {
      name: 'BrandNewException',
      $fault: 'client',
      $metadata: { httpStatusCode: 400 },
    }),
    reason: 'AwsError',
  },
  'an endpoint without the operation': {
    why: 'LocalStack answers 501 InternalFailure for what its licence lacks',
    thrown: awsError('InternalFailure', 'not included in your plan', 501),
    reason: 'OperationUnsupported',
  },
  'a refused connection': {
    why: 'nothing listens at the endpoint',
    thrown: networkError('ECONNREFUSED'),
    reason: 'AwsUnreachable',
  },
  'an unknown host': {
    why: 'a region that does not exist has no endpoint',
    thrown: networkError('ENOTFOUND'),
    reason: 'AwsUnreachable',
  },
  'a server that speaks no TLS': {
    why: "Node has OpenSSL's words as the code",
    thrown: networkError('ERR_SSL_WRONG_VERSION_NUMBER'),
    reason: 'AwsUnreachable',
  },
  'a certificate of the future': {
    why: 'the clock of the node is behind, or the way leads elsewhere',
    thrown: networkError('CERT_NOT_YET_VALID'),
    reason: 'AwsUnreachable',
  },
  'a certificate of a proxy whose own is not for signing': {
    why: "these of OpenSSL's words have a prefix of their own",
    thrown: networkError('INVALID_PURPOSE'),
    reason: 'AwsUnreachable',
  },
  'a connection that the node forbids': {
    why: 'network policies refuse so, and the code alone could be about a file',
    thrown: Object.assign(networkError('EPERM'), { syscall: 'connect' }),
    reason: 'AwsUnreachable',
  },
  'a token file that is not there': {
    why: 'of files only those with credentials are read in a call, and the SDK throws what Node does',
    thrown: Object.assign(new Error("ENOENT: no such file or directory, open '/none/token'"), {
      ...{ code: 'ENOENT', syscall: 'open', $metadata: { attempts: 1 } },
    }),
    reason: 'CredentialsUnavailable',
  },
  'a directory in place of a token file': {
    why: 'kubelet and Docker make one where the file to mount is missing',
    thrown: Object.assign(new Error('EISDIR: illegal operation on a directory, read'), {
      ...{ code: 'EISDIR', syscall: 'read', $metadata: { attempts: 1 } },
    }),
    reason: 'CredentialsUnavailable',
  },
  'a connection broken in the middle': {
    why: 'the fate of the request is unknown',
    thrown: networkError('ECONNRESET', 'TimeoutError'),
    reason: 'AwsUnreachable',
  },
  'a connection that is not made in time': {
    why: 'the SDK says so by a name alone',
    thrown: Object.assign(new Error('connection timed out'), { name: 'TimeoutError' }),
    reason: 'AwsUnreachable',
  },
  'a timeout of our own': {
    why: 'the limit of a whole request aborts with it',
    thrown: new DeadlineExceeded(10_000),
    reason: 'AwsUnreachable',
  },
  'several addresses, none of which answers': {
    why: 'Node wraps the failures of localhost in an AggregateError',
    thrown: Object.assign(new AggregateError([networkError('ECONNREFUSED')]), {
      code: 'ECONNREFUSED',
    }),
    reason: 'AwsUnreachable',
  },
  'a failure with its cause beneath': {
    why: 'the code is on the cause',
    thrown: new Error('fetch failed', { cause: networkError('ECONNREFUSED') }),
    reason: 'AwsUnreachable',
  },
  'something that is no error': {
    why: 'anything can be thrown',
    thrown: 'oops',
    reason: 'AwsError',
  },
};

describe('translateAwsError', () => {
  for (const [name, { why, thrown, operation = 'SetSubnets', reason }] of Object.entries(cases)) {
    it(`reads ${name} as ${reason}, because: ${why}`, () => {
      const error = translateAwsError(thrown, { operation, subject: 'load balancer shop' });
      expect(error.reason).toBe(reason);
      expect(error.healedBy).toBe(awsReasons[reason].healedBy);
      expect(error.cause).toBe(thrown);
      expect(error.message).toMatch(/^(set subnets of|delete) load balancer shop: .+; .+/);
      if (reason !== 'AccessDenied') expect(error.message).toContain(awsReasons[reason].next);
    });
  }

  const user = 'User: arn:aws:sts::111122223333:assumed-role/albridge/albridge';
  const denials: Readonly<Record<string, { readonly said: string; readonly next: RegExp }>> = {
    'the right that ELB needs of another service': {
      said: `${user} is not authorized to perform: ec2:DescribeAccountAttributes`,
      next: /^allow ec2:DescribeAccountAttributes in the IAM policy of the operator's role/,
    },
    'the right to tag in a create, on a long resource': {
      said: `${user} is not authorized to perform: elasticloadbalancing:AddTags on resource: arn:aws:${'x'.repeat(300)} because no identity-based policy allows the elasticloadbalancing:AddTags action.`,
      next: /^allow elasticloadbalancing:AddTags in the IAM policy/,
    },
    'a right that someone denies': {
      said: `${user} is not authorized to perform: elasticloadbalancing:SetSubnets on resource: arn:aws:x with an explicit deny in a service control policy`,
      next: /^have the explicit deny of elasticloadbalancing:SetSubnets removed/,
    },
    "a right that AWS's other words deny": {
      said: `${user} is not authorized to perform: elasticloadbalancing:SetSubnets due to an explicit deny in a Service Control Policy`,
      next: /^have the explicit deny of elasticloadbalancing:SetSubnets removed/,
    },
    'a role that a policy of the organization denies': {
      said: `${user} is not authorized to perform: sts:AssumeRole on resource: arn:aws:x with an explicit deny in a resource control policy`,
      next: /^have the explicit deny of sts:AssumeRole removed/,
    },
    'a role that the way to AWS leaves out': {
      said: `${user} is not authorized to perform: sts:AssumeRole on resource: arn:aws:x because no VPC endpoint policy allows the sts:AssumeRole action`,
      next: /^have sts:AssumeRole allowed by the VPC endpoint policy too: /,
    },
    'a role whose trust policy lacks the caller': {
      said: `${user} is not authorized to perform: sts:AssumeRole on resource: arn:aws:x because no role trust policy allows the sts:AssumeRole action`,
      next: /^correct the trust policy of the operator's role/,
    },
    'a right that a boundary leaves out': {
      said: `${user} is not authorized to perform: elasticloadbalancing:SetSubnets on resource: arn:aws:${'x'.repeat(300)} because no permissions boundary allows the elasticloadbalancing:SetSubnets action`,
      next: /^have elasticloadbalancing:SetSubnets allowed by the permissions boundary too: /,
    },
    'a right that the way to AWS leaves out': {
      said: `You are not authorized to perform this operation. ${user} is not authorized to perform: ec2:DescribeSubnets because no VPC endpoint policy allows the ec2:DescribeSubnets action`,
      next: /^have ec2:DescribeSubnets allowed by the VPC endpoint policy too: /,
    },
    'a role that does not trust the ServiceAccount': {
      said: 'Not authorized to perform sts:AssumeRoleWithWebIdentity',
      next: /^correct the trust policy of the operator's role \(AWS_ROLE_ARN\).+trust-irsa\.json/,
    },
    'no right at all': {
      said: 'You are not authorized to perform this operation',
      next: /^allow elasticloadbalancing:CreateLoadBalancer in the IAM policy/,
    },
  };

  it.each(Object.entries(denials))(
    'says what to allow where AWS denies access and names %s',
    (_, { said, next }) => {
      const step = { operation: 'CreateLoadBalancer', subject: 'load balancer shop' } as const;
      const { message } = translateAwsError(awsError('AccessDenied', said, 403), step);
      expect(message).toMatch(/^create load balancer shop: /);
      expect(message.slice(message.indexOf('; ') + 2)).toMatch(next);
    },
  );

  it.each(['DescribeSubnets', 'ListCertificates'] as const)(
    'names no service that %s is not of',
    (operation) => {
      const failures = [
        awsError('RequestLimitExceeded', '', 503),
        new DeadlineExceeded(10_000),
        Object.assign(new Error('Unknown'), { $metadata: { httpStatusCode: 404 } }),
        awsError('InvalidAction', ''),
      ];
      for (const thrown of failures) {
        const { message, reason } = translateAwsError(thrown, { operation, subject: 'it' });
        const said = `${message} ${awsReasons[reason as 'Throttled'].cause}`;
        expect(said).not.toMatch(/Elastic Load Balancing(?! v2, )/);
      }
    },
  );

  it('ends in the words of a kind where it has some', () => {
    const step = { operation: 'SetSubnets', subject: 'load balancer shop' } as const;
    const texts = { SubnetNotFound: { cause: 'No such subnet', next: 'correct spec.subnets' } };
    const { message } = translateAwsError(awsError('SubnetNotFoundException', ''), step, { texts });
    expect(message).toBe('set subnets of load balancer shop: no such subnet; correct spec.subnets');
  });

  it("keeps AWS's sentence to one line of at most 300 characters", () => {
    const sentence = `first\n  second ${'x'.repeat(5000)}`;
    const { message } = translateAwsError(awsError('ValidationError', sentence), {
      operation: 'SetSubnets',
      subject: 'load balancer shop',
    });
    const said = message.slice(message.indexOf(': ') + 2, message.indexOf('; '));
    expect(said).toMatch(/^first second x+…$/);
    expect(said).toHaveLength(300);
  });

  it('shows a code that is not in the table', () => {
    const thrown = awsError('BrandNewException', 'Something new.');
    const step = { operation: 'SetSubnets', subject: 'load balancer shop' } as const;
    expect(translateAwsError(thrown, step).message).toContain(': BrandNew: Something new; ');
  });

  it('shows nothing of a page that is not from AWS', () => {
    const page = cases['an HTML page with status 200'];
    const step = { operation: 'SetSubnets', subject: 'load balancer shop' } as const;
    const { message } = translateAwsError(page?.thrown, step);
    expect(message).toContain('(HTTP 200)');
    expect(message).not.toContain('<');
  });

  it('leaves an OperatorError as it is', () => {
    const lost = new OperatorError({ reason: 'LeadershipLost', message: 'lost', healedBy: 'time' });
    const step = { operation: 'SetSubnets', subject: 'load balancer shop' } as const;
    expect(translateAwsError(lost, step)).toBe(lost);
  });
});

describe('classifyOutcome', () => {
  it('gives the status and the bare code', () => {
    expect(classifyOutcome(awsError('SubnetNotFoundException'))).toEqual({
      statusCode: 400,
      errorCode: 'SubnetNotFound',
    });
  });

  it('gives status 0 where no answer came', () => {
    expect(classifyOutcome(networkError('ECONNREFUSED'))).toEqual({
      statusCode: 0,
      errorCode: 'ECONNREFUSED',
    });
  });
});
