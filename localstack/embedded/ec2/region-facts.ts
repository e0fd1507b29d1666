/**
 * Route 53 hosted zone of Application Load Balancers per region.
 * https://docs.aws.amazon.com/general/latest/gr/elb.html
 */
const HOSTED_ZONES: Readonly<Record<string, string>> = {
  'ap-northeast-1': 'Z14GRHDCWA56QT',
  'ap-northeast-2': 'ZWKZPGTI48KDX',
  'ap-northeast-3': 'Z5LXEXXYW11ES',
  'ap-south-1': 'ZP97RAFLXTNZK',
  'ap-southeast-1': 'Z1LMS91P8CMLE5',
  'ap-southeast-2': 'Z1GM3OXH4ZPM65',
  'ca-central-1': 'ZQSVJUPU6J1EY',
  'eu-central-1': 'Z215JYRZR1TBD5',
  'eu-north-1': 'Z23TAZ6LKFMNIO',
  'eu-west-1': 'Z32O12XQLNTSW2',
  'eu-west-2': 'ZHURV8PSTC4K8',
  'eu-west-3': 'Z3Q77PNBQS71R4',
  'sa-east-1': 'Z2P70J7HTTTPLU',
  'us-east-1': 'Z35SXDOTRQ7X7K',
  'us-east-2': 'Z3AADJGX6KTTL2',
  'us-west-1': 'Z368ELLRRE2KJ0',
  'us-west-2': 'Z1H1FL5HABSF5',
};

const REGION = /^[a-z]{2}(-[a-z]+)+-\d$/;

/** Facts that follow from a region's name alone. */
export interface RegionFacts {
  readonly region: string;
  /** First part of every ARN: aws, aws-cn or aws-us-gov. */
  readonly partition: string;
  /** Last labels of a balancer's DNS name. */
  readonly dnsSuffix: string;
  readonly hostedZoneId: string;
  readonly zones: readonly AvailabilityZoneFacts[];
}

export interface AvailabilityZoneFacts {
  /** us-east-1a */
  readonly name: string;
  /** use1-az1 */
  readonly id: string;
}

/** Throws a RangeError for what is no region name. Every region has three zones here. */
export function regionFacts(region: string): RegionFacts {
  if (!REGION.test(region)) throw new RangeError(`"${region}" is not the name of an AWS region`);
  return {
    region,
    partition: partitionOf(region),
    dnsSuffix: `${region}.elb.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`,
    // A region missing in the table gets an id that nobody can mistake for a real zone.
    hostedZoneId: HOSTED_ZONES[region] ?? 'Z000000EXAMPLE',
    zones: ['a', 'b', 'c'].map((letter, index) => ({
      name: `${region}${letter}`,
      id: `${shortName(region)}-az${index + 1}`,
    })),
  };
}

function partitionOf(region: string): string {
  if (region.startsWith('cn-')) return 'aws-cn';
  return region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws';
}

/** eu-central-1 -> euc1. Zone ids are opaque; AWS's own abbreviations differ for some regions. */
function shortName(region: string): string {
  const [area = '', ...rest] = region.split('-');
  return area + rest.map((part) => part[0]).join('');
}
