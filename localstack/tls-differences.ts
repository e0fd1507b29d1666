import { type Difference, inMoto } from './difference.ts';

const API = 'https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_';
const ACM = 'https://docs.aws.amazon.com/acm/latest/APIReference/API_';

/** Rows of the table about calls for HTTPS listeners and their certificates, and for ACM. */
export const tlsDifferences = {
  'https-certificate': {
    aws: 'an HTTPS listener without a certificate: ValidationError',
    source: `${API}CreateListener.html`,
    instead: inMoto('accepts it'),
    unverified: 'the code',
  },
  'certificates-per-call': {
    aws: 'more than one certificate in a call: TooManyCertificates',
    source: `${API}AddListenerCertificates.html`,
    instead: inMoto('takes them all, or in CreateListener the first'),
    unverified: 'the code',
  },
  'certificate-is-default': {
    aws: 'a certificate with IsDefault in a call: ValidationError',
    source: `${API}CreateListener.html`,
    instead: inMoto('accepts it'),
    unverified: 'the refusal: the source says not to set it',
  },
  'security-policy-exists': {
    aws: 'a security policy that does not exist: SSLPolicyNotFound',
    source: `${API}CreateListener.html`,
    instead: inMoto('stores it in CreateListener'),
  },
  'tls-of-http': {
    aws: 'an HTTP listener has neither certificates nor a security policy, and with either is refused: ValidationError',
    source: 'https://github.com/theopensystemslab/planx-new/pull/1051',
    instead: inMoto(
      'stores and shows both, and gives it the policy of 2016; keeps both where HTTPS becomes HTTP',
    ),
  },
  'https-needs-both': {
    aws: 'a listener that becomes HTTPS needs a security policy and a certificate: ValidationError',
    source: `${API}ModifyListener.html`,
    instead: inMoto('keeps what it had, or answers InvalidConfigurationRequest'),
    unverified: 'the code',
  },
  'added-certificate-exists': {
    aws: 'adding a certificate that does not exist: CertificateNotFound',
    source: `${API}AddListenerCertificates.html`,
    instead: inMoto('accepts it'),
  },
  'certificates-of-http': {
    aws: 'Add-, Remove- and DescribeListenerCertificates are for HTTPS listeners: else ValidationError',
    source: `${API}AddListenerCertificates.html`,
    instead: inMoto('serves them for HTTP listeners'),
    unverified: 'the code',
  },
  'default-certificate': {
    aws: 'removing the default certificate: OperationNotPermitted',
    source: `${API}RemoveListenerCertificates.html`,
    instead: inMoto('removes it'),
  },
  'certificate-list': {
    aws: 'a listener has a default certificate, which alone DescribeListeners shows, and a list of others, each of them once',
    source: `${API}DescribeListenerCertificates.html`,
    instead: inMoto('has one list, with repetitions, and loses it when the default one changes'),
  },
  'certificate-in-use': {
    aws: 'deleting a certificate that a listener has: ResourceInUseException',
    source: `${ACM}DeleteCertificate.html`,
    instead: inMoto('deletes it'),
  },
  'certificate-users': {
    aws: 'ACM names the balancers that use a certificate now',
    source: `${ACM}CertificateDetail.html`,
    instead: inMoto('names listeners that were created with it, for ever'),
    unverified: 'how soon',
  },
  'key-algorithm-names': {
    aws: 'key algorithms are called RSA_2048, EC_prime256v1 and the like',
    source: `${ACM}CertificateDetail.html`,
    instead: { localstack: 'calls the first RSA-2048' },
    unverified: "that DescribeCertificate does so too: examples of AWS's guide have RSA-2048",
  },
  'listed-key-types': {
    aws: 'ListCertificates without a filter lists RSA keys of 1024 and 2048 bits alone',
    source: `${ACM}Filters.html`,
    instead: inMoto('lists all'),
  },
  'certificate-key': {
    aws: 'importing a certificate with the key of another: ValidationException',
    source: `${ACM}ImportCertificate.html`,
    instead: inMoto('accepts it'),
    unverified: 'the code',
  },
  'tags-of-reimport': {
    aws: 'importing into an existing certificate with tags: ValidationException',
    source: 'https://github.com/hashicorp/terraform-provider-aws/pull/15060',
    instead: inMoto('adds them'),
  },
  'listener-attribute-values': {
    aws: 'a listener attribute that does not exist, or not for its protocol, or with a bad value: ValidationError',
    source: `${API}ListenerAttribute.html`,
    instead: inMoto('stores whatever is given'),
    unverified: 'the code',
  },
} satisfies Readonly<Record<string, Difference>>;
